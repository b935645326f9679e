-- +goose Up

-- The headers of a stored reply that a repeat has too. Replies of the version before
-- are repeated without them.
ALTER TABLE idempotency_key ADD COLUMN location TEXT NOT NULL DEFAULT '';
ALTER TABLE idempotency_key ADD COLUMN etag TEXT NOT NULL DEFAULT '';
