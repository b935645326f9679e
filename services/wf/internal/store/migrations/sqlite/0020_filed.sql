-- +goose Up

-- Tasks are listed by what their request says and never changes, so they have it too.
DROP INDEX task_status;
DROP INDEX task_assignee;
DROP INDEX task_rescue;
ALTER TABLE task ADD COLUMN policy_key TEXT NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN artifact_type TEXT NOT NULL DEFAULT '';
UPDATE task SET policy_key = r.policy_key, artifact_type = r.artifact_type FROM request r WHERE r.id = task.request_id;

-- Lists go from one run of rows that are alike in the first columns to the next: of all
-- tasks, of a person's, and of an inbox. Such a run is in both orders.
CREATE INDEX task_status ON task (status, urgency, created_ms, id);
CREATE INDEX task_filed ON task (policy_key, stage_key, artifact_type, kind, status, urgency, created_ms, id);
CREATE INDEX task_assignee ON task (assignee_id, policy_key, stage_key, artifact_type, kind, status, urgency, created_ms, id) WHERE assignee_id <> '';
ALTER TABLE inbox RENAME TO inbox_before;
CREATE TABLE inbox (
  user_id       TEXT NOT NULL,
  urgency       INTEGER NOT NULL, -- of the request's priority; 0 is the most urgent
  created_ms    INTEGER NOT NULL, -- of the task
  task_id       TEXT NOT NULL,
  request_id    TEXT NOT NULL,
  role          TEXT NOT NULL CHECK (role IN ('holder', 'delegate', 'candidate')),
  status        TEXT NOT NULL CHECK (status IN ('open', 'claimed')),
  kind          TEXT NOT NULL,
  stage_key     TEXT NOT NULL,
  policy_key    TEXT NOT NULL,
  artifact_type TEXT NOT NULL,
  PRIMARY KEY (user_id, policy_key, stage_key, artifact_type, kind, role, status, urgency, created_ms, task_id)
);
INSERT INTO inbox (user_id, urgency, created_ms, task_id, request_id, role, status, kind, stage_key, policy_key, artifact_type)
  SELECT user_id, urgency, created_ms, task_id, request_id, role, status, kind, stage_key, policy_key, artifact_type FROM inbox_before;
DROP TABLE inbox_before;
