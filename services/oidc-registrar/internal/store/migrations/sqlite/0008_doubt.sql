-- +goose Up

-- The id by which the identity provider knows a client that it named itself, whether
-- somebody has to find out what it has, and why a client failed.
ALTER TABLE client ADD COLUMN provider_client_id TEXT NOT NULL DEFAULT '';
ALTER TABLE client ADD COLUMN doubtful BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE client ADD COLUMN failure_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE client ADD COLUMN failure_provider_code TEXT NOT NULL DEFAULT '';
ALTER TABLE client ADD COLUMN failure_message TEXT NOT NULL DEFAULT '';
UPDATE client SET provider_client_id = coalesce((SELECT r.provider_client_id FROM provider_record r WHERE r.client_id = client.id), '');
UPDATE client SET failure_reason = 'provider_unreachable', failure_message = 'the identity provider could not be reached' WHERE status = 'FAILED';
CREATE INDEX client_doubtful ON client (id) WHERE doubtful;

ALTER TABLE client_event ADD COLUMN provider_client_id TEXT NOT NULL DEFAULT '';

-- sent: the identity provider may have got the call. ours: what it has under the client's
-- id is this client. owner: the process that makes the call; see the table process.
-- SQLite cannot change a CHECK, so the table is made anew.
ALTER TABLE idp_call RENAME TO idp_call_before;
DROP INDEX idp_call_due;
CREATE TABLE idp_call (
	client_id TEXT PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
	kind      TEXT NOT NULL CHECK (kind IN ('register', 'update', 'remove')),
	wanted    TEXT NOT NULL, -- of an update: the change that the provider has yet to confirm, as JSON
	actor     TEXT NOT NULL,
	attempts  BIGINT NOT NULL,
	due_ms    BIGINT NOT NULL,
	token     TEXT NOT NULL,
	sent      BOOLEAN NOT NULL DEFAULT true,
	ours      BOOLEAN NOT NULL DEFAULT false,
	owner     TEXT NOT NULL DEFAULT ''
);
INSERT INTO idp_call (client_id, kind, wanted, actor, attempts, due_ms, token)
	SELECT client_id, kind, wanted, actor, attempts, due_ms, token FROM idp_call_before;
DROP TABLE idp_call_before;
CREATE INDEX idp_call_due ON idp_call (due_ms);
