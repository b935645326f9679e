-- +goose Up

-- The highest number that a version of the key has had. A draft can be deleted, and its
-- number is not given again.
ALTER TABLE policy ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;
UPDATE policy SET last_number = (SELECT coalesce(max(number), 0) FROM policy_version v WHERE v.policy_key = policy.policy_key);
