-- One list of all clients, with filters and a search, and the age of their keys.

-- +goose Up

-- Since when the current key is that of the client; 0: since its registration.
ALTER TABLE client ADD COLUMN key_since_ms bigint NOT NULL DEFAULT 0;

CREATE INDEX client_by_status ON client (status, created_ms, id);
CREATE INDEX client_doubtful ON client (created_ms, id) WHERE outcome_unknown;
-- By the API that a client came through.
CREATE INDEX client_by_origin ON client ((CASE WHEN substr(created_by, 1, 21) = 'initial access token:' THEN 'rfc7591' ELSE api END), created_ms, id);
