-- +goose Up

-- The audit trail of the catalogue, which is added to and never changed.
CREATE TABLE catalog_event (
	seq         INTEGER PRIMARY KEY AUTOINCREMENT,
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
CREATE TRIGGER catalog_event_no_update BEFORE UPDATE ON catalog_event
BEGIN
	SELECT RAISE(ABORT, 'catalog_event is insert only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER catalog_event_no_delete BEFORE DELETE ON catalog_event
BEGIN
	SELECT RAISE(ABORT, 'catalog_event is insert only');
END;
-- +goose StatementEnd
