-- +goose Up

-- A decision is read by its task. SQLite locks no rows: its foreign keys stay.
DROP INDEX decision_request;
