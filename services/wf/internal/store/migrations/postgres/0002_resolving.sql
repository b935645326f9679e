-- +goose Up

-- A stage that was reached and whose approvers cannot be found out now is resolving;
-- retry_ms is when it is tried again.
ALTER TABLE stage_run DROP CONSTRAINT stage_run_status_check;
ALTER TABLE stage_run ADD CONSTRAINT stage_run_status_check
  CHECK (status IN ('pending', 'resolving', 'active', 'blocked', 'approved', 'rejected', 'skipped', 'expired', 'cancelled'));
ALTER TABLE stage_run ADD COLUMN retry_ms bigint NOT NULL DEFAULT 0;
CREATE INDEX stage_run_retry ON stage_run (retry_ms) WHERE status = 'resolving';
