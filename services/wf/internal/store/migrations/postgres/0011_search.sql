-- +goose Up

-- Requests are searched by a part of their title or artifact id. pg_trgm comes with
-- PostgreSQL, and the owner of a database may make it; where nobody can, a search reads
-- the requests.
-- +goose StatementBegin
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX request_search ON request USING gin (lower(title || E'\n' || artifact_id) gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no index of searches: %', SQLERRM;
END $$;
-- +goose StatementEnd

-- What PostgreSQL knows of a table that it has seen empty lets it read the whole table,
-- until autovacuum looks again.
-- +goose StatementBegin
DO $$
BEGIN
  IF EXISTS (SELECT FROM request) THEN
    ANALYZE inbox;
    ANALYZE task;
    ANALYZE request;
  END IF;
END $$;
-- +goose StatementEnd
