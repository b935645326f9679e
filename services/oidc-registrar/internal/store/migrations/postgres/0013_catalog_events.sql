-- +goose Up

-- The audit trail of the catalogue, which is added to and never changed.
CREATE TABLE catalog_event (
	seq         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	partner_id  TEXT NOT NULL,
	policy_id   TEXT NOT NULL,
	kind        TEXT NOT NULL,
	actor       TEXT NOT NULL,
	at_ms       BIGINT NOT NULL,
	changed     TEXT NOT NULL,
	call_id     TEXT NOT NULL,
	traceparent TEXT NOT NULL
);
CREATE INDEX catalog_event_of_partner ON catalog_event (partner_id, seq);
CREATE INDEX catalog_event_of_policy ON catalog_event (policy_id, seq);

-- +goose StatementBegin
CREATE FUNCTION refuse_catalog_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'catalog_event is insert only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER catalog_event_insert_only BEFORE UPDATE OR DELETE ON catalog_event
	FOR EACH ROW EXECUTE FUNCTION refuse_catalog_change();
CREATE TRIGGER catalog_event_no_truncate BEFORE TRUNCATE ON catalog_event
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_catalog_change();
