-- +goose Up

-- One refusal of a client, reason, actor and minute is stored, so each looks for the one
-- before.
CREATE INDEX client_event_refused ON client_event (client_id, reason, at_ms) WHERE kind = 'refused';
