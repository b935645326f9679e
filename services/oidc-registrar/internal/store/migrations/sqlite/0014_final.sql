-- +goose Up

-- A client that was switched off one way stays so until an admin lifts it.
ALTER TABLE client ADD COLUMN final BOOLEAN NOT NULL DEFAULT FALSE;
