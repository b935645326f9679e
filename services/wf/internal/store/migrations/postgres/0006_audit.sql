-- +goose Up

-- What people search events by. It is all in the body as well, which is what counts:
-- verifying compares. An event in the chain of a request says there what it is about.
ALTER TABLE event
  ADD COLUMN actor_id      text NOT NULL DEFAULT '',
  ADD COLUMN request_id    text NOT NULL DEFAULT '',
  ADD COLUMN resource_type text NOT NULL DEFAULT '',
  ADD COLUMN resource_id   text NOT NULL DEFAULT '',
  ADD COLUMN outcome       text NOT NULL DEFAULT '', -- empty for a success
  ADD COLUMN error_code    text NOT NULL DEFAULT '';
ALTER TABLE event DISABLE TRIGGER event_unchanged;
UPDATE event SET actor_id = coalesce(body::json -> 'actor' ->> 'id', '');
UPDATE event SET
  request_id    = coalesce(body::json ->> 'request_id', ''),
  resource_type = coalesce(body::json -> 'resource' ->> 'type', ''),
  resource_id   = coalesce(body::json -> 'resource' ->> 'id', '')
WHERE chain = 'service';
ALTER TABLE event ENABLE TRIGGER event_unchanged;

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
  id         text PRIMARY KEY,
  username   text NOT NULL,
  name       text NOT NULL,
  email      text NOT NULL,
  updated_ms bigint NOT NULL
);

-- Refusals are events, but one of a person, object and code in a minute is enough.
CREATE TABLE denial (
  actor_id text NOT NULL,
  object   text NOT NULL,
  code     text NOT NULL,
  since_ms bigint NOT NULL, -- the last event
  folded   bigint NOT NULL, -- refusals after it
  untold   bigint NOT NULL, -- refusals before it that have no event
  PRIMARY KEY (actor_id, object, code)
);
CREATE INDEX denial_since ON denial (since_ms);
