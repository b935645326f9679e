-- +goose Up

-- Which call caused an event, and where it stands in its trace. Older events have neither.
ALTER TABLE client_event ADD COLUMN call_id TEXT NOT NULL DEFAULT '';
ALTER TABLE client_event ADD COLUMN traceparent TEXT NOT NULL DEFAULT '';
