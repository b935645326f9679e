-- +goose Up

-- Deliveries of a type that few have, or none, were looked for among all of them.
CREATE INDEX delivery_type ON delivery (event_type, created_ms, id);
