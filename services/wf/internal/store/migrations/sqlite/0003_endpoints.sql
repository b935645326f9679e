-- +goose Up

-- Webhook endpoints that admins manage. The keys are encrypted.
CREATE TABLE endpoint (
  id                text PRIMARY KEY,
  name              text NOT NULL,
  url               text NOT NULL,
  events            text NOT NULL, -- JSON
  policy_keys       text NOT NULL, -- JSON
  signature         text NOT NULL CHECK (signature IN ('v1', 'v1a', 'both')),
  enabled           integer NOT NULL,
  disabled_reason   text NOT NULL,
  disabled_ms       integer NOT NULL,
  sealed            text NOT NULL,
  hint              text NOT NULL,
  public_key        text NOT NULL,
  previous_sealed   text NOT NULL,
  previous_hint     text NOT NULL,
  previous_public   text NOT NULL,
  previous_until_ms integer NOT NULL,
  failures          integer NOT NULL, -- in a row
  failing_since_ms  integer NOT NULL,
  paused_until_ms   integer NOT NULL,
  created_by        text NOT NULL, -- JSON
  created_ms        integer NOT NULL,
  updated_ms        integer NOT NULL,
  rev               integer NOT NULL,
  CONSTRAINT endpoint_name UNIQUE (name)
);
CREATE INDEX endpoint_created ON endpoint (created_ms, id);

-- NULL for a callback. A delivery outlives its endpoint, so this refers to nothing.
ALTER TABLE delivery ADD COLUMN endpoint_id text;

-- What all deliveries of an event carry.
CREATE TABLE message (
  event_id text PRIMARY KEY REFERENCES event,
  payload  text NOT NULL -- JSON
);
INSERT INTO message (event_id, payload) SELECT event_id, min(payload) FROM delivery GROUP BY event_id;
ALTER TABLE delivery DROP COLUMN payload;

-- A delivery that is being sent is pending, with a lease: no index changes when it is
-- taken or given back.
UPDATE delivery SET status = 'pending' WHERE status = 'sending';
DROP INDEX delivery_sending;
DROP INDEX delivery_due;
CREATE INDEX delivery_due ON delivery (lane, next_attempt_ms, id) WHERE status = 'pending';
