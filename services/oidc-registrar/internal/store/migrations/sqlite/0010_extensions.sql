-- +goose Up

-- The fields of a client that only some interfaces have, as JSON.
ALTER TABLE client ADD COLUMN extensions TEXT NOT NULL DEFAULT '{}';
