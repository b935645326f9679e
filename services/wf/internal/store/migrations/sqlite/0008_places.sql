-- +goose Up

-- What a stage needs is kept with its run: the approvals of each rule's people, and for a
-- pool the rules of which somebody may take a task now (bit n for rule n). wanted is NULL
-- for a pool that was written before, until the service has turned it; need is more than
-- 0 for a pool.
ALTER TABLE stage_run ADD COLUMN minimums TEXT NOT NULL DEFAULT ''; -- JSON
ALTER TABLE stage_run ADD COLUMN wanted INTEGER;
UPDATE stage_run SET wanted = 0 WHERE need = 0 OR status NOT IN ('active', 'blocked');
CREATE INDEX stage_run_old_pool ON stage_run (request_id) WHERE need > 0 AND wanted IS NULL AND status IN ('active', 'blocked');

-- A blocked stage with too few people is looked at again by itself.
DROP INDEX stage_run_retry;
CREATE INDEX stage_run_retry ON stage_run (retry_ms) WHERE retry_ms > 0 AND status IN ('resolving', 'blocked');
UPDATE stage_run SET retry_ms = 1 WHERE status = 'blocked';

-- A rescue keeps its mark when somebody has taken it, and says whose seat it replaces.
-- Tasks of a pool are all alike: no slot is kept for anybody.
ALTER TABLE task ADD COLUMN rescue INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN replaces INTEGER NOT NULL DEFAULT 0;
UPDATE task SET rescue = 1 WHERE added OR kind = 'rescue';
UPDATE task SET added = 1 WHERE kind = 'rescue' AND owner = '';
ALTER TABLE task DROP COLUMN slot;

-- A stand-in may act for several people of a pool, and they may act themselves. SQLite
-- cannot change a primary key.
CREATE TABLE new_candidate (
  stage_run_id  TEXT NOT NULL REFERENCES stage_run,
  user_id       TEXT NOT NULL,
  mandate_id    TEXT NOT NULL, -- whose place it is: their own, or that of whom they stand in for
  rule          INTEGER NOT NULL, -- by which the person is in the pool; one row for each
  delegation_id TEXT REFERENCES delegation,
  PRIMARY KEY (stage_run_id, user_id, mandate_id, rule)
);
INSERT INTO new_candidate (stage_run_id, user_id, mandate_id, rule) SELECT stage_run_id, user_id, mandate_id, rule FROM stage_candidate;
DROP TABLE stage_candidate;
ALTER TABLE new_candidate RENAME TO stage_candidate;
CREATE INDEX stage_candidate_user ON stage_candidate (user_id);
CREATE INDEX stage_candidate_delegation ON stage_candidate (delegation_id) WHERE delegation_id IS NOT NULL;
