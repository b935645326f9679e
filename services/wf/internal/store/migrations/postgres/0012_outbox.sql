-- +goose Up

-- The processes of the service. A row that has not been written for a few seconds is of
-- one that is dead; see package heartbeat.
CREATE TABLE process (
  id         text PRIMARY KEY,
  host       text NOT NULL,
  version    text NOT NULL,
  started_ms bigint NOT NULL,
  seen_ms    bigint NOT NULL
);

-- What is not sent yet: one row for each delivery that is not done. Whoever sends reads
-- and writes this table, and the large one once at the end.
CREATE TABLE outbox (
  id              uuid PRIMARY KEY, -- of the delivery
  lane            text NOT NULL, -- the endpoint, or the host of a callback: what shares the limit of requests in flight
  next_attempt_ms bigint NOT NULL,
  cycle           integer NOT NULL, -- of the delivery
  lease_token     bigint NOT NULL, -- of this cycle
  lease_owner     text NOT NULL, -- the process that sends it; empty for none, and for one that says nothing of itself
  leased_ms       bigint NOT NULL  -- when it was taken; 0 while nobody has it
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX outbox_due ON outbox (lane, next_attempt_ms, id);

-- The program of the version before may still run. It neither writes these nor knows
-- outbox, so it leaves the rows alone that are here as sending; the service takes over
-- what it adds.
ALTER TABLE delivery ALTER COLUMN lane SET DEFAULT '';
ALTER TABLE delivery ALTER COLUMN next_attempt_ms SET DEFAULT 0;
ALTER TABLE delivery ALTER COLUMN lease_token SET DEFAULT 0;
ALTER TABLE delivery ALTER COLUMN lease_until_ms SET DEFAULT 0;

-- A status that few rows have, for lists: NULL for what is delivered, and for what
-- outbox knows better. No index holds the status itself, so that to write an outcome
-- touches none. A trigger keeps it, and not a generated column, for which the whole table
-- would be written anew.
ALTER TABLE delivery ADD COLUMN rare_status text;
-- +goose StatementBegin
CREATE FUNCTION keep_rare_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.rare_status := CASE WHEN NEW.status IN ('pending', 'failed', 'cancelled') THEN NEW.status END;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER delivery_rare_status BEFORE INSERT OR UPDATE OF status ON delivery FOR EACH ROW
  WHEN (NEW.status IN ('pending', 'failed', 'cancelled') OR NEW.rare_status IS NOT NULL) EXECUTE FUNCTION keep_rare_status();

-- What is being sent stays with who sends it until its lease runs out.
WITH free AS (
  UPDATE delivery SET status = 'sending'
  WHERE status = 'pending' AND lease_until_ms <= (extract(epoch from clock_timestamp()) * 1000)::bigint
  RETURNING id, lane, next_attempt_ms, cycle, lease_token, lease_until_ms
)
INSERT INTO outbox (id, lane, next_attempt_ms, cycle, lease_token, lease_owner, leased_ms)
SELECT id, lane, next_attempt_ms, cycle, lease_token, '', CASE WHEN lease_until_ms > 0 THEN lease_until_ms - 45000 ELSE 0 END FROM free;
UPDATE delivery SET status = status WHERE status IN ('pending', 'failed', 'cancelled');

DROP INDEX delivery_due;
DROP INDEX delivery_status;
CREATE INDEX delivery_rare_status ON delivery (rare_status, created_ms, id) WHERE rare_status IS NOT NULL;

-- Nothing looks for the head of a queue here any more.
ALTER TABLE delivery RESET (autovacuum_vacuum_scale_factor);

-- A foreign key locks the row that it refers to. Attempts are written with their
-- delivery alone.
ALTER TABLE delivery_attempt DROP CONSTRAINT delivery_attempt_delivery_id_fkey;
