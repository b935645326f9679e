-- +goose Up

-- Who is signed in to the pages for people. A row is found by the hash of what the browser
-- has, so that nobody who reads the table can go on with a session; the tokens are sealed.
CREATE TABLE session (
  id        TEXT PRIMARY KEY,   -- SHA-256 of the id in the cookie
  user_id   TEXT NOT NULL,
  subject   TEXT NOT NULL,      -- the issuer's name for the person, which a logout names
  issuer_id TEXT NOT NULL,      -- the issuer's name for the session (sid); empty when it has none
  sealed    TEXT NOT NULL,      -- the tokens
  seen_ms   INTEGER NOT NULL,
  ends_ms   INTEGER NOT NULL,    -- whatever happens
  renew_ms  INTEGER NOT NULL,    -- until then somebody renews the tokens
  rev       INTEGER NOT NULL
);
CREATE INDEX session_subject ON session (subject);
CREATE INDEX session_person ON session (user_id);
CREATE INDEX session_issuer ON session (issuer_id) WHERE issuer_id <> '';
CREATE INDEX session_ends ON session (ends_ms);
