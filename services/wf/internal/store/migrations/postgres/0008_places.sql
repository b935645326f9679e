-- +goose Up

-- What a stage needs is kept with its run: the approvals of each rule's people, and for a
-- pool the rules of which somebody may take a task now (bit n for rule n). wanted is NULL
-- for a pool that was written before, until the service has turned it; need is more than
-- 0 for a pool.
ALTER TABLE stage_run ADD COLUMN minimums text NOT NULL DEFAULT ''; -- JSON
ALTER TABLE stage_run ADD COLUMN wanted bigint;
UPDATE stage_run SET wanted = 0 WHERE need = 0 OR status NOT IN ('active', 'blocked');
CREATE INDEX stage_run_old_pool ON stage_run (request_id) WHERE need > 0 AND wanted IS NULL AND status IN ('active', 'blocked');

-- A blocked stage with too few people is looked at again by itself.
DROP INDEX stage_run_retry;
CREATE INDEX stage_run_retry ON stage_run (retry_ms) WHERE retry_ms > 0 AND status IN ('resolving', 'blocked');
UPDATE stage_run SET retry_ms = 1 WHERE status = 'blocked';

-- A rescue keeps its mark when somebody has taken it, and says whose seat it replaces.
-- Tasks of a pool are all alike: no slot is kept for anybody.
ALTER TABLE task ADD COLUMN rescue boolean NOT NULL DEFAULT false;
ALTER TABLE task ADD COLUMN replaces integer NOT NULL DEFAULT 0;
UPDATE task SET rescue = true WHERE added OR kind = 'rescue';
UPDATE task SET added = true WHERE kind = 'rescue' AND owner = '';
ALTER TABLE task ALTER COLUMN slot SET DEFAULT -1; -- for processes of the version before, while both run

-- A stand-in may act for several people of a pool, and they may act themselves.
ALTER TABLE stage_candidate DROP CONSTRAINT stage_candidate_pkey;
ALTER TABLE stage_candidate ADD PRIMARY KEY (stage_run_id, user_id, mandate_id, rule);
ALTER TABLE stage_candidate ADD COLUMN delegation_id uuid REFERENCES delegation;
CREATE INDEX stage_candidate_delegation ON stage_candidate (delegation_id) WHERE delegation_id IS NOT NULL;
