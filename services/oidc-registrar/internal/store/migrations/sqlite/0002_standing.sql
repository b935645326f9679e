-- The standing of granted approvals, renewals, and clients that are INACTIVE because their approval
-- has ended. The version before writes the defaults: its approvals are read and classified later.

-- +goose Up

ALTER TABLE client ADD COLUMN suspended boolean NOT NULL DEFAULT false; -- INACTIVE until a new approval

ALTER TABLE approval ADD COLUMN granted_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE approval ADD COLUMN valid_until_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE approval ADD COLUMN renews bigint NOT NULL DEFAULT 0; -- the revision that it renews; 0 for none
ALTER TABLE approval ADD COLUMN standing text NOT NULL DEFAULT '' -- empty: not reported by wf
  CHECK (standing IN ('', 'in_force', 'lapsed', 'revoked', 'replaced'));
CREATE INDEX approval_followed ON approval (due_ms) WHERE state = 'granted' AND standing IN ('', 'in_force');
