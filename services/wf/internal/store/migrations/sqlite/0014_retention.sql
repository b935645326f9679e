-- +goose Up

-- Without an index on its column a foreign key would read the whole table for each
-- request that is deleted. Decisions hang on tasks, and tasks on requests; participants
-- are written with their request alone. SQLite cannot drop a constraint.
CREATE TABLE new_decision (
  id         TEXT PRIMARY KEY,
  task_id    TEXT NOT NULL REFERENCES task,
  request_id TEXT NOT NULL,
  revision   INTEGER NOT NULL,
  action     TEXT NOT NULL CHECK (action IN ('approve', 'reject', 'abstain', 'request_changes')),
  actor_id   TEXT NOT NULL,
  decided_ms INTEGER NOT NULL,
  body       TEXT NOT NULL, -- the decision as JSON
  CONSTRAINT decision_task UNIQUE (task_id)
);
INSERT INTO new_decision (id, task_id, request_id, revision, action, actor_id, decided_ms, body)
  SELECT id, task_id, request_id, revision, action, actor_id, decided_ms, body FROM decision;
DROP TRIGGER decision_no_update;
DROP TRIGGER decision_no_delete;
DROP TABLE decision;
ALTER TABLE new_decision RENAME TO decision;

CREATE TABLE new_participant (
  user_id    TEXT NOT NULL,
  request_id TEXT NOT NULL,
  PRIMARY KEY (user_id, request_id)
);
INSERT INTO new_participant (user_id, request_id) SELECT user_id, request_id FROM participant;
DROP TABLE participant;
ALTER TABLE new_participant RENAME TO participant;

-- Events and decisions are evidence: they are added and never changed. They are deleted
-- when an event audit.purged in the service's chain stands for them, which is written
-- before. Of the service's own chain refusals alone can go.
DROP TRIGGER event_no_delete;
-- +goose StatementBegin
CREATE TRIGGER event_no_delete BEFORE DELETE ON event WHEN NOT CASE WHEN OLD.chain <> 'service'
  THEN EXISTS (SELECT 1 FROM event t WHERE t.chain = 'service' AND t.request_id <> '' AND t.request_id = OLD.chain AND t.type = 'audit.purged')
  ELSE OLD.type = 'auth.denied' AND OLD.seq <= coalesce((SELECT json_extract(t.body, '$.purged.last') FROM event t
    WHERE t.chain = 'service' AND t.resource_id = 'service' AND t.type = 'audit.purged' ORDER BY t.id DESC LIMIT 1), 0)
  END
BEGIN SELECT RAISE(ABORT, 'rows of event are never changed, and deleted by a purge alone'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decision_no_delete BEFORE DELETE ON decision
WHEN NOT EXISTS (SELECT 1 FROM event t WHERE t.chain = 'service' AND t.request_id <> '' AND t.request_id = OLD.request_id AND t.type = 'audit.purged')
BEGIN SELECT RAISE(ABORT, 'rows of decision are never changed, and deleted by a purge alone'); END;
-- +goose StatementEnd

-- The names of people in a decision are for its view alone, and may be erased. What else
-- it says stays: the chain of its request has it too.
-- +goose StatementBegin
CREATE TRIGGER decision_no_update BEFORE UPDATE ON decision
WHEN (NEW.id, NEW.task_id, NEW.request_id, NEW.revision, NEW.action, NEW.actor_id, NEW.decided_ms)
  IS NOT (OLD.id, OLD.task_id, OLD.request_id, OLD.revision, OLD.action, OLD.actor_id, OLD.decided_ms)
  OR json_remove(NEW.body, '$.actor.username', '$.on_behalf_of.username', '$.on_behalf_of.name', '$.on_behalf_of.email')
  IS NOT json_remove(OLD.body, '$.actor.username', '$.on_behalf_of.username', '$.on_behalf_of.name', '$.on_behalf_of.email')
BEGIN SELECT RAISE(ABORT, 'rows of decision are never changed'); END;
-- +goose StatementEnd
