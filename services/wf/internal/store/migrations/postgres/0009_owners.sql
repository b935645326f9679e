-- Owners of policies.

-- +goose Up

-- The owners of each policy: settings.owners of its active version, else of its latest. kind is user or role.
CREATE TABLE policy_owner (
  kind       text NOT NULL,
  name       text NOT NULL,
  policy_key text NOT NULL,
  PRIMARY KEY (kind, name, policy_key)
);
CREATE INDEX policy_owner_key ON policy_owner (policy_key);
