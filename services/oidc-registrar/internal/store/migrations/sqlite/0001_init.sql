-- Times are Unix milliseconds. Lists are JSON arrays of strings.

-- +goose Up
CREATE TABLE partner (
	id       TEXT PRIMARY KEY,
	name     TEXT NOT NULL,
	type     TEXT NOT NULL,
	status   TEXT NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
	logo_uri TEXT NOT NULL
);

CREATE TABLE policy (
	id                   TEXT PRIMARY KEY,
	name                 TEXT NOT NULL,
	type                 TEXT NOT NULL,
	status               TEXT NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
	user_claims          TEXT NOT NULL,
	acrs                 TEXT NOT NULL,
	mandatory_auth_types TEXT NOT NULL
);

CREATE TABLE partner_policy (
	partner_id TEXT NOT NULL REFERENCES partner (id),
	policy_id  TEXT NOT NULL REFERENCES policy (id),
	status     TEXT NOT NULL CHECK (status IN ('APPROVED', 'REVOKED')),
	PRIMARY KEY (partner_id, policy_id)
);

-- A registration that the identity provider refused is deleted, so the unique
-- indexes hold among the clients that exist. They decide every race.
CREATE TABLE client (
	id             TEXT NOT NULL,
	door           TEXT NOT NULL CHECK (door IN ('partner', 'provider')),
	name           TEXT NOT NULL,
	partner_id     TEXT NOT NULL,
	policy_id      TEXT NOT NULL,
	key_thumbprint TEXT NOT NULL,
	key_jwk        TEXT NOT NULL,
	key_id         TEXT NOT NULL,
	user_claims    TEXT NOT NULL,
	acrs           TEXT NOT NULL,
	logo_uri       TEXT NOT NULL,
	redirect_uris  TEXT NOT NULL,
	grant_types    TEXT NOT NULL,
	auth_methods   TEXT NOT NULL,
	status         TEXT NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'PENDING', 'FAILED')),
	created_by     TEXT NOT NULL,
	created_ms     BIGINT NOT NULL,
	updated_ms     BIGINT NOT NULL,
	rev            BIGINT NOT NULL,
	CONSTRAINT client_id UNIQUE (id),
	CONSTRAINT client_key UNIQUE (key_thumbprint)
);
CREATE INDEX client_by_creation ON client (created_ms, id);
CREATE INDEX client_by_partner ON client (partner_id, created_ms, id);

-- Apart from the client, because the access token is a secret.
CREATE TABLE provider_record (
	client_id          TEXT PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
	provider_client_id TEXT NOT NULL,
	uri                TEXT NOT NULL,
	access_token       TEXT NOT NULL
);

-- The outbox: at most one call is owed for a client. While one is under way,
-- token names who makes it, and due_ms is the end of their lease.
CREATE TABLE idp_call (
	client_id TEXT PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
	kind      TEXT NOT NULL CHECK (kind IN ('register', 'update')),
	wanted    TEXT NOT NULL, -- of an update: the change that the provider has yet to confirm, as JSON
	actor     TEXT NOT NULL,
	attempts  BIGINT NOT NULL,
	due_ms    BIGINT NOT NULL,
	token     TEXT NOT NULL
);
CREATE INDEX idp_call_due ON idp_call (due_ms);

-- The audit trail. It outlives the client.
CREATE TABLE client_event (
	seq           INTEGER PRIMARY KEY AUTOINCREMENT,
	client_id     TEXT NOT NULL,
	kind          TEXT NOT NULL,
	actor         TEXT NOT NULL,
	at_ms         BIGINT NOT NULL,
	changed       TEXT NOT NULL,
	flags         TEXT NOT NULL,
	reason        TEXT NOT NULL,
	provider_code TEXT NOT NULL
);
CREATE INDEX client_event_of_client ON client_event (client_id, seq);

-- +goose StatementBegin
CREATE TRIGGER client_event_no_update BEFORE UPDATE ON client_event
BEGIN
	SELECT RAISE(ABORT, 'client_event is insert only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER client_event_no_delete BEFORE DELETE ON client_event
BEGIN
	SELECT RAISE(ABORT, 'client_event is insert only');
END;
-- +goose StatementEnd
