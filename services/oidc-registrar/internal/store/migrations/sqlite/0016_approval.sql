-- +goose Up

-- What people are asked before it goes to the identity provider. It outlives the client,
-- since a request for it may have to be cancelled.
CREATE TABLE approval (
	client_id    TEXT NOT NULL,
	revision     BIGINT NOT NULL,
	state        TEXT NOT NULL CHECK (state IN ('asking', 'waiting', 'granted', 'denied', 'withdrawing', 'withdrawn')),
	kind         TEXT NOT NULL CHECK (kind IN ('register', 'update')),
	wanted       TEXT NOT NULL, -- of an update: the change that waits, as JSON
	policy       TEXT NOT NULL,
	requester    TEXT NOT NULL,
	title        TEXT NOT NULL,
	context      TEXT NOT NULL, -- what is to be approved, as JSON
	request_id   TEXT NOT NULL,
	context_hash TEXT NOT NULL,
	words        TEXT NOT NULL,
	asked_ms     BIGINT NOT NULL,
	due_ms       BIGINT NOT NULL,
	attempts     BIGINT NOT NULL,
	PRIMARY KEY (client_id, revision)
);
CREATE INDEX approval_due ON approval (due_ms) WHERE state IN ('asking', 'waiting', 'withdrawing');
CREATE INDEX approval_request ON approval (request_id) WHERE request_id <> '';

ALTER TABLE policy ADD COLUMN approval_policy TEXT NOT NULL DEFAULT '';
ALTER TABLE client_event ADD COLUMN words TEXT NOT NULL DEFAULT '';
