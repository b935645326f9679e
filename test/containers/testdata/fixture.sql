-- A migration of a version after this one, for the test of an upgrade under load: it locks the tables
-- of most calls, in the order in which calls lock them.

-- +goose Up

ALTER TABLE request ADD COLUMN fixture text;
CREATE INDEX request_fixture ON request (created_ms) WHERE fixture IS NOT NULL;
ALTER TABLE task ADD COLUMN fixture bigint NOT NULL DEFAULT 0;
CREATE INDEX task_fixture ON task (created_ms) WHERE fixture > 0;
ALTER TABLE participant ADD COLUMN fixture text;
ALTER TABLE inbox ADD COLUMN fixture text;
ALTER TABLE event ADD COLUMN fixture text;
CREATE TABLE fixture (id text PRIMARY KEY);
