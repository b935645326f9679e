-- +goose Up

-- Who may act on a task now: one row for each person and task, with what inboxes are
-- sorted and filtered by. It follows from the request and its tasks, and is written with
-- them. The key serves each role and status and both orders: the rows of several come
-- together in order.
CREATE TABLE inbox (
  user_id       text NOT NULL,
  urgency       bigint NOT NULL, -- of the request's priority; 0 is the most urgent
  created_ms    bigint NOT NULL, -- of the task
  task_id       uuid NOT NULL,
  request_id    uuid NOT NULL,
  role          text NOT NULL CHECK (role IN ('holder', 'delegate', 'candidate')),
  status        text NOT NULL CHECK (status IN ('open', 'claimed')),
  kind          text NOT NULL,
  stage_key     text NOT NULL,
  policy_key    text NOT NULL,
  artifact_type text NOT NULL,
  PRIMARY KEY (user_id, role, status, urgency, created_ms, task_id)
    INCLUDE (request_id, kind, stage_key, policy_key, artifact_type)
);
INSERT INTO inbox (user_id, urgency, created_ms, task_id, request_id, role, status, kind, stage_key, policy_key, artifact_type)
  SELECT person.id, CASE r.priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'normal' THEN 2 ELSE 3 END,
    t.created_ms, t.id, t.request_id, person.role, t.status, t.kind, t.stage_key, r.policy_key, r.artifact_type
  FROM (
    SELECT assignee_id AS id, id AS task_id, 'holder' AS role FROM task WHERE assignee_id <> '' AND status IN ('open', 'claimed')
    UNION ALL
    SELECT shared_with_id, id, 'delegate' FROM task
    WHERE assignee_id <> '' AND shared_with_id <> '' AND shared_with_id <> assignee_id AND status IN ('open', 'claimed')
    UNION ALL
    SELECT DISTINCT c.user_id, o.id, 'candidate'
    FROM task o JOIN stage_run s ON s.id = o.stage_run_id JOIN stage_candidate c ON c.stage_run_id = o.stage_run_id
    WHERE o.status = 'open' AND o.kind = 'approver' AND o.assignee_id = '' AND (s.wanted IS NULL OR (s.wanted >> c.rule) & 1 = 1)
      AND NOT EXISTS (SELECT 1 FROM task used WHERE used.stage_run_id = c.stage_run_id
        AND used.status IN ('open', 'claimed', 'completed') AND used.assignee_id <> ''
        AND (used.assignee_id IN (c.user_id, c.mandate_id) OR used.on_behalf_of_id IN (c.user_id, c.mandate_id)))
  ) person JOIN task t ON t.id = person.task_id JOIN request r ON r.id = t.request_id;

-- The revision whose inboxes are written. It is another than rev when a process of the
-- version before has written the request, and NULL when the request was over by now.
ALTER TABLE request ADD COLUMN listed_rev bigint;
UPDATE request SET listed_rev = rev WHERE status IN ('in_review', 'blocked', 'changes_requested');
-- Who may take a task of a pool that was written before 0008 is known once it is read.
UPDATE request SET listed_rev = 0
  WHERE id IN (SELECT request_id FROM stage_run WHERE need > 0 AND wanted IS NULL AND status IN ('active', 'blocked'));
ALTER TABLE request ALTER COLUMN listed_rev SET DEFAULT 0;
CREATE INDEX request_unlisted ON request (id) WHERE listed_rev <> rev;

-- Tasks are listed in the order of their priorities as well. The priority of a request
-- never changes. An index that has status and urgency before the time serves each status
-- and both orders: the rows of several come together in order.
DROP INDEX task_assignee_live;
DROP INDEX task_shared;
DROP INDEX task_created;
DROP INDEX task_live;
DROP INDEX task_assignee;
ALTER TABLE task ADD COLUMN urgency bigint NOT NULL DEFAULT 2;
UPDATE task SET urgency = CASE r.priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 ELSE 3 END
  FROM request r WHERE r.id = task.request_id AND r.priority <> 'normal';
CREATE INDEX task_status ON task (status, urgency, created_ms, id);
CREATE INDEX task_assignee ON task (assignee_id, status, urgency, created_ms, id) WHERE assignee_id <> '';
CREATE INDEX task_rescue ON task (created_ms, id) WHERE kind = 'rescue';

-- Events of the types that every request has are found by going through them in order,
-- and cost no entry here.
CREATE INDEX event_type ON event (type, id) WHERE type NOT IN (
  'request.created', 'stage.started', 'task.created', 'task.decided', 'task.closed', 'stage.approved', 'request.approved');
