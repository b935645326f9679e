-- +goose Up

-- The audit trail is added to and never changed. Refusals, and what is told of clients
-- that there are no more, are deleted when an event purged stands for them, which is
-- written before: how many, and up to which seq.
ALTER TABLE client_event
	ADD COLUMN purged    BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN purged_to BIGINT NOT NULL DEFAULT 0;
CREATE INDEX client_event_purged ON client_event (purged_to) WHERE kind = 'purged';

DROP TRIGGER client_event_insert_only ON client_event;
CREATE TRIGGER client_event_insert_only BEFORE UPDATE ON client_event
	FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- +goose StatementBegin
CREATE FUNCTION refuse_unpurged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.kind <> 'purged'
		AND OLD.seq <= (SELECT max(t.purged_to) FROM client_event t WHERE t.kind = 'purged')
		AND (OLD.kind = 'refused' OR NOT EXISTS (SELECT FROM client c WHERE c.id = OLD.client_id)) THEN
		RETURN OLD;
	END IF;
	RAISE EXCEPTION 'client_event is insert only, but for a purge';
END $$;
-- +goose StatementEnd
CREATE TRIGGER client_event_purged BEFORE DELETE ON client_event
	FOR EACH ROW EXECUTE FUNCTION refuse_unpurged();
