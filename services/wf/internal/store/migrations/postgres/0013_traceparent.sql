-- +goose Up

-- Where the call that caused an event stands in its trace, for those who send the event.
-- It is in the body of the event, too. Older messages have none.
ALTER TABLE message ADD COLUMN traceparent text NOT NULL DEFAULT '';
