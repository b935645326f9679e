-- +goose Up

-- A client may have two keys while it moves from one to the other. No key belongs to two
-- clients, whichever of its keys it is.
ALTER TABLE client DROP CONSTRAINT client_key;
ALTER TABLE client
	ADD COLUMN former_thumbprint TEXT NOT NULL DEFAULT '',
	ADD COLUMN former_jwk TEXT NOT NULL DEFAULT '',
	ADD COLUMN former_id TEXT NOT NULL DEFAULT '';

CREATE TABLE client_key (
	thumbprint TEXT PRIMARY KEY,
	client_id  TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
CREATE INDEX client_key_of_client ON client_key (client_id);
INSERT INTO client_key (thumbprint, client_id) SELECT key_thumbprint, id FROM client;
