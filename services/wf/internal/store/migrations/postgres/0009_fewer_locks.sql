-- +goose Up

-- A foreign key locks the row that it refers to. Every creation locked the row of its
-- policy version, which all of them share; the service reads that row in the same
-- transaction, and no version that was active is ever deleted. Participants are written
-- with their request alone.
ALTER TABLE request DROP CONSTRAINT request_policy_key_policy_version_fkey;
ALTER TABLE participant DROP CONSTRAINT participant_request_id_fkey;

-- A decision is read by its task.
DROP INDEX decision_request;
