-- +goose Up

-- Tokens of the standard door, as SHA-256 in hexadecimal: what is read here opens nothing.
CREATE TABLE initial_token (
	hash       TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL,
	policy_id  TEXT NOT NULL,
	uses       BIGINT NOT NULL CHECK (uses >= 0),
	expires_ms BIGINT NOT NULL,
	issued_by  TEXT NOT NULL
);

CREATE TABLE registration_token (
	hash      TEXT PRIMARY KEY,
	client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
CREATE INDEX registration_token_of_client ON registration_token (client_id);
