-- +goose Up

-- The processes of the service. A row that has not been written for a few seconds is of
-- one that is dead; see package heartbeat.
CREATE TABLE process (
  id         TEXT PRIMARY KEY,
  host       TEXT NOT NULL,
  version    TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  seen_ms    INTEGER NOT NULL
);
