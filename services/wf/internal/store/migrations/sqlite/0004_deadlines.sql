-- Deadlines of stages.

-- +goose Up

-- expires_ms is the earliest of the expiry of the request and the due dates that end it; limit_ms is the expiry if
-- it differs (0 for none), else -1.
ALTER TABLE request ADD COLUMN limit_ms integer NOT NULL DEFAULT -1;

-- The deadline of a run; due_ms is 0 for none. timer_ms is the first time at which the deadline job has work.
ALTER TABLE stage_run ADD COLUMN due_ms       integer NOT NULL DEFAULT 0;
ALTER TABLE stage_run ADD COLUMN on_due       text NOT NULL DEFAULT '';
ALTER TABLE stage_run ADD COLUMN timer_ms     integer NOT NULL DEFAULT 0;
ALTER TABLE stage_run ADD COLUMN reminded_ms  integer NOT NULL DEFAULT 0; -- the newest reminder, the start, or the latest move of the date
ALTER TABLE stage_run ADD COLUMN due_recorded integer NOT NULL DEFAULT 0; -- stage.due is written
ALTER TABLE stage_run ADD COLUMN escalated_ms integer NOT NULL DEFAULT 0;
CREATE INDEX stage_run_timer ON stage_run (timer_ms) WHERE timer_ms > 0;

-- Copies of the due date of the run, for lists.
ALTER TABLE task ADD COLUMN due_ms integer NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN due_ms integer NOT NULL DEFAULT 0;
