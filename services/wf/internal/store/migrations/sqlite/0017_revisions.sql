-- +goose Up

-- What a request asked for before it was changed. Its present content is in request. Rows
-- are added when somebody answers a request for changes, and go with their request.
CREATE TABLE revision (
  request_id   TEXT NOT NULL REFERENCES request,
  number       INTEGER NOT NULL, -- from 1
  context      TEXT NOT NULL,
  context_hash TEXT NOT NULL,
  ended_ms     INTEGER NOT NULL, -- when the next revision began
  PRIMARY KEY (request_id, number)
);
-- +goose StatementBegin
CREATE TRIGGER revision_no_update BEFORE UPDATE ON revision
BEGIN SELECT RAISE(ABORT, 'rows of revision are never changed'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER revision_no_delete BEFORE DELETE ON revision
WHEN NOT EXISTS (SELECT 1 FROM event t WHERE t.chain = 'service' AND t.request_id <> '' AND t.request_id = OLD.request_id AND t.type = 'audit.purged')
BEGIN SELECT RAISE(ABORT, 'rows of revision are never changed, and deleted by a purge alone'); END;
-- +goose StatementEnd
