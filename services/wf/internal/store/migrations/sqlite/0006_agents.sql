-- Requests of agents.

-- +goose Up

-- The parties that acted for the submitter (JSON); empty if the submitter acted.
ALTER TABLE request ADD COLUMN acting text NOT NULL DEFAULT '';

-- The requests of a submitter with a content under a policy.
CREATE INDEX request_content ON request (submitted_by_id, policy_key, context_hash, id);
