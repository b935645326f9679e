-- +goose Up

-- Whoever has requests under many policies has all of them in the order of their times.
CREATE INDEX participant_created ON participant (user_id, created_ms, request_id);
