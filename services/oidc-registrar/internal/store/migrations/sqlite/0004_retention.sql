-- +goose Up

-- The audit trail is added to and never changed. Refusals, and what is told of clients
-- that there are no more, are deleted when an event purged stands for them, which is
-- written before: how many, and up to which seq.
ALTER TABLE client_event ADD COLUMN purged BIGINT NOT NULL DEFAULT 0;
ALTER TABLE client_event ADD COLUMN purged_to BIGINT NOT NULL DEFAULT 0;
CREATE INDEX client_event_purged ON client_event (purged_to) WHERE kind = 'purged';

DROP TRIGGER client_event_no_delete;
-- +goose StatementBegin
CREATE TRIGGER client_event_no_delete BEFORE DELETE ON client_event
WHEN OLD.kind = 'purged'
	OR OLD.seq > coalesce((SELECT max(t.purged_to) FROM client_event t WHERE t.kind = 'purged'), 0)
	OR OLD.kind <> 'refused' AND EXISTS (SELECT 1 FROM client c WHERE c.id = OLD.client_id)
BEGIN
	SELECT RAISE(ABORT, 'client_event is insert only, but for a purge');
END;
-- +goose StatementEnd
