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
-- SQLite cannot change a CHECK, so the table is made anew.
ALTER TABLE idp_call RENAME TO idp_call_before;
DROP INDEX idp_call_due;
CREATE TABLE idp_call (
	client_id TEXT PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
	kind      TEXT NOT NULL CHECK (kind IN ('register', 'update', 'remove', 'read')),
	wanted    TEXT NOT NULL, -- of an update: the change that the provider has yet to confirm, as JSON
	actor     TEXT NOT NULL,
	attempts  BIGINT NOT NULL,
	due_ms    BIGINT NOT NULL,
	token     TEXT NOT NULL,
	sent      BOOLEAN NOT NULL DEFAULT true,
	ours      BOOLEAN NOT NULL DEFAULT false,
	owner     TEXT NOT NULL DEFAULT ''
);
INSERT INTO idp_call (client_id, kind, wanted, actor, attempts, due_ms, token, sent, ours, owner)
	SELECT client_id, kind, wanted, actor, attempts, due_ms, token, sent, ours, owner FROM idp_call_before;
DROP TABLE idp_call_before;
CREATE INDEX idp_call_due ON idp_call (due_ms);
