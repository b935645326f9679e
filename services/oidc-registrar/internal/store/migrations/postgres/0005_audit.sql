-- The audit trail of all clients, and the list of initial access tokens.

-- +goose Up

CREATE INDEX client_event_by_time ON client_event (at_ms, seq);
CREATE INDEX client_event_by_actor ON client_event (actor, at_ms, seq);
CREATE INDEX client_event_by_type ON client_event (type, at_ms, seq);

-- The initial access token that an event is about; empty for none.
ALTER TABLE catalog_event ADD COLUMN token_id text NOT NULL DEFAULT '';

ALTER TABLE initial_token ADD COLUMN issued_ms bigint NOT NULL DEFAULT 0; -- 0: issued by an earlier version
