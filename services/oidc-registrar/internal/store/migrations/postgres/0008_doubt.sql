-- +goose Up

-- The id by which the identity provider knows a client that it named itself, whether
-- somebody has to find out what it has, and why a client failed.
ALTER TABLE client
	ADD COLUMN provider_client_id TEXT NOT NULL DEFAULT '',
	ADD COLUMN doubtful BOOLEAN NOT NULL DEFAULT false,
	ADD COLUMN failure_reason TEXT NOT NULL DEFAULT '',
	ADD COLUMN failure_provider_code TEXT NOT NULL DEFAULT '',
	ADD COLUMN failure_message TEXT NOT NULL DEFAULT '';
UPDATE client SET provider_client_id = r.provider_client_id FROM provider_record r WHERE r.client_id = client.id;
UPDATE client SET failure_reason = 'provider_unreachable', failure_message = 'the identity provider could not be reached' WHERE status = 'FAILED';
CREATE INDEX client_doubtful ON client (id) WHERE doubtful;

ALTER TABLE client_event ADD COLUMN provider_client_id TEXT NOT NULL DEFAULT '';

-- sent: the identity provider may have got the call. ours: what it has under the client's
-- id is this client. owner: the process that makes the call; see the table process.
ALTER TABLE idp_call
	ADD COLUMN sent BOOLEAN NOT NULL DEFAULT true,
	ADD COLUMN ours BOOLEAN NOT NULL DEFAULT false,
	ADD COLUMN owner TEXT NOT NULL DEFAULT '',
	DROP CONSTRAINT idp_call_kind_check,
	ADD CONSTRAINT idp_call_kind_check CHECK (kind IN ('register', 'update', 'remove'));
