-- +goose Up

-- Tasks are listed by what their request says and never changes, so they have it too.
ALTER TABLE task ADD COLUMN policy_key text NOT NULL DEFAULT '', ADD COLUMN artifact_type text NOT NULL DEFAULT '';
DROP INDEX task_status;
DROP INDEX task_assignee;
DROP INDEX task_rescue;
UPDATE task SET policy_key = r.policy_key, artifact_type = r.artifact_type FROM request r WHERE r.id = task.request_id;

-- The program of the version before may still run, and does not write these.
-- +goose StatementBegin
CREATE FUNCTION file_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT r.policy_key, r.artifact_type INTO STRICT NEW.policy_key, NEW.artifact_type FROM request r WHERE r.id = NEW.request_id;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER task_filed BEFORE INSERT ON task FOR EACH ROW WHEN (NEW.policy_key = '') EXECUTE FUNCTION file_task();

-- Lists go from one run of rows that are alike in the first columns to the next: of all
-- tasks, of a person's, and of an inbox. Such a run is in both orders.
CREATE INDEX task_status ON task (status, urgency, created_ms, id) INCLUDE (request_id);
CREATE INDEX task_filed ON task (policy_key, stage_key, artifact_type, kind, status, urgency, created_ms, id) INCLUDE (request_id);
CREATE INDEX task_assignee ON task (assignee_id, policy_key, stage_key, artifact_type, kind, status, urgency, created_ms, id) INCLUDE (request_id)
  WHERE assignee_id <> '';
ALTER TABLE inbox DROP CONSTRAINT inbox_pkey;
ALTER TABLE inbox ADD PRIMARY KEY (user_id, policy_key, stage_key, artifact_type, kind, role, status, urgency, created_ms, task_id) INCLUDE (request_id);

-- A foreign key reads and locks the row that it refers to, once for each row. Stages, tasks
-- and decisions are written and deleted with their request, under its lock.
ALTER TABLE stage_run DROP CONSTRAINT stage_run_request_id_fkey;
ALTER TABLE task DROP CONSTRAINT task_request_id_fkey, DROP CONSTRAINT task_stage_run_id_fkey;
ALTER TABLE decision DROP CONSTRAINT decision_task_id_fkey;

-- A row is updated without new index entries where no index, nor its condition, has what
-- changes, and the page has room. Stages change their status; keys get their reply.
DROP INDEX stage_run_retry;
DROP INDEX stage_run_old_pool;
CREATE INDEX stage_run_retry ON stage_run (retry_ms) WHERE retry_ms > 0;
CREATE INDEX stage_run_old_pool ON stage_run (request_id) WHERE need > 0 AND wanted IS NULL;
ALTER TABLE stage_run SET (fillfactor = 70);
ALTER TABLE idempotency_key SET (fillfactor = 40);

-- Replies are compressed by the quicker way where the server has it.
-- +goose StatementBegin
DO $$
BEGIN
  ALTER TABLE idempotency_key ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR syntax_error THEN
  RAISE NOTICE 'replies are compressed as before: %', SQLERRM;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
BEGIN
  IF EXISTS (SELECT FROM request) THEN
    ANALYZE inbox;
    ANALYZE task;
  END IF;
END $$;
-- +goose StatementEnd
