-- +goose Up

-- What the identity provider has of clients otherwise than here, as of the last look.
CREATE TABLE difference (
	client_id TEXT PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
	kind      TEXT NOT NULL CHECK (kind IN ('missing', 'changed', 'locked')),
	fields    TEXT NOT NULL, -- of changed: their names, as JSON
	found_ms  BIGINT NOT NULL
);

-- How far the comparison with it is: one row, and after_id is the last client that was
-- looked at. It is under way if it has not ended since it began.
CREATE TABLE reconciliation (
	name     TEXT PRIMARY KEY,
	after_id TEXT NOT NULL,
	begun_ms BIGINT NOT NULL,
	ended_ms BIGINT NOT NULL
);

-- While a client is read with a token that the provider may replace, nothing else is sent.
ALTER TABLE idp_call
	DROP CONSTRAINT idp_call_kind_check,
	ADD CONSTRAINT idp_call_kind_check CHECK (kind IN ('register', 'update', 'remove', 'read'));
