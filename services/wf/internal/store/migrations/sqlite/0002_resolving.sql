-- +goose Up

-- A stage that was reached and whose approvers cannot be found out now is resolving;
-- retry_ms is when it is tried again. SQLite cannot change a constraint, but drops
-- it with its column.
ALTER TABLE stage_run RENAME COLUMN status TO old_status;
ALTER TABLE stage_run ADD COLUMN status TEXT NOT NULL DEFAULT 'pending'
  CHECK (status IN ('pending', 'resolving', 'active', 'blocked', 'approved', 'rejected', 'skipped', 'expired', 'cancelled'));
UPDATE stage_run SET status = old_status;
ALTER TABLE stage_run DROP COLUMN old_status;
ALTER TABLE stage_run ADD COLUMN retry_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX stage_run_retry ON stage_run (retry_ms) WHERE status = 'resolving';
