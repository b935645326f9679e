-- +goose Up

-- Who may read a request and comment on it without deciding: people, as JSON.
ALTER TABLE stage_run ADD COLUMN observers TEXT NOT NULL DEFAULT '';
