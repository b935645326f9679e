-- Sessions of the console.

-- +goose Up

-- A session of the pages. The key is a hash, so that a reader of the table cannot use the session;
-- the tokens are sealed.
CREATE TABLE session (
  id         text PRIMARY KEY, -- SHA-256 of the secret in the cookie
  user_id    text NOT NULL,
  subject    text NOT NULL, -- of the issuer; a logout names it
  issuer_id  text NOT NULL, -- the issuer's session (sid); empty when it has none
  sealed     text NOT NULL, -- the tokens
  agent      text NOT NULL, -- the browser's User-Agent, at most 200 characters
  started_ms integer NOT NULL,
  seen_ms    integer NOT NULL,
  ends_ms    integer NOT NULL, -- the latest end
  renew_ms   integer NOT NULL, -- until then one process renews the tokens
  rev        integer NOT NULL
);
CREATE INDEX session_subject ON session (subject);
CREATE INDEX session_person ON session (user_id);
CREATE INDEX session_issuer ON session (issuer_id) WHERE issuer_id <> '';
CREATE INDEX session_ends ON session (ends_ms);

-- A form of the pages that the next page shows again, such as one with an error.
CREATE TABLE session_form (
  session_id text NOT NULL REFERENCES session ON DELETE CASCADE,
  id         text NOT NULL,
  sealed     text NOT NULL, -- the form
  kept_ms    integer NOT NULL,
  PRIMARY KEY (session_id, id)
);

-- A logout token of the issuer (OpenID Connect Back-Channel Logout 1.0). It is accepted once.
-- Until ends_ms, access tokens of the session, or older ones of the subject, are refused.
CREATE TABLE logout (
  jti       text PRIMARY KEY,
  subject   text NOT NULL, -- may be empty if issuer_id is not
  issuer_id text NOT NULL, -- the issuer's session (sid); empty for all sessions of the subject
  at_ms     integer NOT NULL, -- iat
  ends_ms   integer NOT NULL
);
CREATE INDEX logout_ends ON logout (ends_ms);
