-- One list of all clients, with filters and a search, and the age of their keys.

-- +goose Up

-- Since when the current key is that of the client; 0: since its registration.
ALTER TABLE client ADD COLUMN key_since_ms bigint NOT NULL DEFAULT 0;

CREATE INDEX client_by_status ON client (status, created_ms, id);
CREATE INDEX client_doubtful ON client (created_ms, id) WHERE outcome_unknown;
-- By the API that a client came through.
CREATE INDEX client_by_origin ON client ((CASE WHEN substr(created_by, 1, 21) = 'initial access token:' THEN 'rfc7591' ELSE api END), created_ms, id);

-- The functions of the next two indexes are expensive: the planner reads the index instead of calling them. They are
-- not parallel safe: the start of workers takes longer than the search.

-- redirect_hosts returns the hosts and the schemes of a JSON list of redirect URIs, in lower case, among other parts.
-- +goose StatementBegin
CREATE FUNCTION redirect_hosts(uris text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE COST 1000 AS $$
BEGIN
  RETURN string_to_array(regexp_replace(lower(uris),
    '"(?:https?|([a-z][a-z0-9+.-]*)):(?://(?:[^/?#"@]*@)?(\[[^]]*\]|[^/:?#"]*))?[^"]*"', ' \1 \2 ', 'g'), ' ');
END $$;
-- +goose StatementEnd
CREATE INDEX client_redirect_hosts ON client USING gin (redirect_hosts(redirect_uris)) WITH (fastupdate = off);

-- name_words returns the words of a name for a search by their beginnings.
-- +goose StatementBegin
CREATE FUNCTION name_words(name text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE COST 1000 AS $$
BEGIN
  RETURN to_tsvector('pg_catalog.simple', translate(name, '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)));
END $$;
-- +goose StatementEnd
CREATE INDEX client_name_words ON client USING gin (name_words(name)) WITH (fastupdate = off);
CREATE INDEX client_id_prefix ON client (lower(id) text_pattern_ops);
