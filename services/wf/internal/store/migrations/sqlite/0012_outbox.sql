-- +goose Up

-- The processes of the service. A row that has not been written for a few seconds is of
-- one that is dead; see package heartbeat.
CREATE TABLE process (
  id         TEXT PRIMARY KEY,
  host       TEXT NOT NULL,
  version    TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  seen_ms    INTEGER NOT NULL
);

-- What is not sent yet: one row for each delivery that is not done. Whoever sends reads
-- and writes this table, and the large one once at the end.
CREATE TABLE outbox (
  id              TEXT PRIMARY KEY, -- of the delivery
  lane            TEXT NOT NULL, -- the endpoint, or the host of a callback: what shares the limit of requests in flight
  next_attempt_ms INTEGER NOT NULL,
  cycle           INTEGER NOT NULL, -- of the delivery
  lease_token     INTEGER NOT NULL, -- of this cycle
  lease_owner     TEXT NOT NULL, -- the process that sends it; empty for none, and for one that says nothing of itself
  leased_ms       INTEGER NOT NULL  -- when it was taken; 0 while nobody has it
);
CREATE INDEX outbox_due ON outbox (lane, next_attempt_ms, id);

INSERT INTO outbox (id, lane, next_attempt_ms, cycle, lease_token, lease_owner, leased_ms)
SELECT id, lane, next_attempt_ms, cycle, lease_token, '', CASE WHEN lease_until_ms > 0 THEN lease_until_ms - 45000 ELSE 0 END
FROM delivery WHERE status = 'pending';
UPDATE delivery SET status = 'sending' WHERE status = 'pending';
DROP INDEX delivery_due;
DROP INDEX delivery_status;
ALTER TABLE delivery DROP COLUMN lane;
ALTER TABLE delivery DROP COLUMN next_attempt_ms;
ALTER TABLE delivery DROP COLUMN lease_token;
ALTER TABLE delivery DROP COLUMN lease_until_ms;

-- A status that few rows have, for lists: NULL for what is delivered, and for what
-- outbox knows better. To write an outcome touches no index.
ALTER TABLE delivery ADD COLUMN rare_status TEXT
  GENERATED ALWAYS AS (CASE WHEN status IN ('failed', 'cancelled') THEN status END) VIRTUAL;
CREATE INDEX delivery_rare_status ON delivery (rare_status, created_ms, id) WHERE rare_status IS NOT NULL;
