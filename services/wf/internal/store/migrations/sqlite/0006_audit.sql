-- +goose Up

-- What people search events by. It is all in the body as well, which is what counts:
-- verifying compares. An event in the chain of a request says there what it is about.
ALTER TABLE event ADD COLUMN actor_id TEXT NOT NULL DEFAULT '';
ALTER TABLE event ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE event ADD COLUMN resource_type TEXT NOT NULL DEFAULT '';
ALTER TABLE event ADD COLUMN resource_id TEXT NOT NULL DEFAULT '';
ALTER TABLE event ADD COLUMN outcome TEXT NOT NULL DEFAULT ''; -- empty for a success
ALTER TABLE event ADD COLUMN error_code TEXT NOT NULL DEFAULT '';
DROP TRIGGER event_no_update;
UPDATE event SET actor_id = coalesce(json_extract(body, '$.actor.id'), '');
UPDATE event SET
  request_id    = coalesce(json_extract(body, '$.request_id'), ''),
  resource_type = coalesce(json_extract(body, '$.resource.type'), ''),
  resource_id   = coalesce(json_extract(body, '$.resource.id'), '')
WHERE chain = 'service';
-- +goose StatementBegin
CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'rows of event are never changed'); END;
-- +goose StatementEnd

-- Events are listed in the order of their ids, which is that of time.
CREATE INDEX event_actor ON event (actor_id, id);
-- Few events are in these.
CREATE INDEX event_denied ON event (id) WHERE outcome = 'denied';
CREATE INDEX event_service ON event (id) WHERE chain = 'service';
CREATE INDEX event_service_resource ON event (resource_id, id) WHERE chain = 'service';
CREATE INDEX event_service_request ON event (request_id) WHERE chain = 'service' AND request_id <> '';

-- The names of the people whom events name by their ids. A row may be deleted: the
-- chains of events hold without it.
CREATE TABLE person (
  id         TEXT PRIMARY KEY,
  username   TEXT NOT NULL,
  name       TEXT NOT NULL,
  email      TEXT NOT NULL,
  updated_ms INTEGER NOT NULL
);

-- Refusals are events, but one of a person, object and code in a minute is enough.
CREATE TABLE denial (
  actor_id TEXT NOT NULL,
  object   TEXT NOT NULL,
  code     TEXT NOT NULL,
  since_ms INTEGER NOT NULL, -- the last event
  folded   INTEGER NOT NULL, -- refusals after it
  untold   INTEGER NOT NULL, -- refusals before it that have no event
  PRIMARY KEY (actor_id, object, code)
);
CREATE INDEX denial_since ON denial (since_ms);
