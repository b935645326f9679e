-- +goose Up

-- What a request asked for before it was changed. Its present content is in request. Rows
-- are added when somebody answers a request for changes, and go with their request.
CREATE TABLE revision (
  request_id   uuid NOT NULL REFERENCES request,
  number       integer NOT NULL, -- from 1
  context      text NOT NULL,
  context_hash text NOT NULL,
  ended_ms     bigint NOT NULL, -- when the next revision began
  PRIMARY KEY (request_id, number)
);
CREATE TRIGGER revision_unchanged BEFORE UPDATE OR TRUNCATE ON revision FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- +goose StatementBegin
CREATE FUNCTION refuse_unburied_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM event t WHERE t.chain = 'service' AND t.request_id <> '' AND t.request_id = OLD.request_id::text AND t.type = 'audit.purged';
  IF FOUND THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of revision are never changed, and deleted by a purge alone';
END $$;
-- +goose StatementEnd
CREATE TRIGGER revision_buried BEFORE DELETE ON revision FOR EACH ROW EXECUTE FUNCTION refuse_unburied_revision();
