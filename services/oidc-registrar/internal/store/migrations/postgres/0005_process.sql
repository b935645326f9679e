-- +goose Up

-- The processes of the service. A row that has not been written for a few seconds is of
-- one that is dead; see package heartbeat.
CREATE TABLE process (
  id         text PRIMARY KEY,
  host       text NOT NULL,
  version    text NOT NULL,
  started_ms bigint NOT NULL,
  seen_ms    bigint NOT NULL
);
