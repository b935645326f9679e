-- +goose Up

-- The members of a request that its door does not know, as a JSON list of names.
ALTER TABLE client_event ADD COLUMN ignored TEXT NOT NULL DEFAULT '[]';
