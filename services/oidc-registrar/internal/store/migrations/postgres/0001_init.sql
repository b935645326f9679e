-- The schema of oidc-registrar for PostgreSQL. migrations/sqlite has the same tables and
-- columns.
--
-- Times are Unix milliseconds (*_ms); 0 is none. Lists are JSON arrays of strings. rev counts
-- the writes of a row and is its ETag.

-- +goose Up

-- ---------------------------------------------------------------------------------------
-- Catalogue
-- ---------------------------------------------------------------------------------------

-- A partner (relying party), which owns clients.
CREATE TABLE partner (
  id       text PRIMARY KEY,
  name     text NOT NULL,
  type     text NOT NULL,
  status   text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
  logo_uri text NOT NULL
);

-- A policy: the claims, ACRs and authentication types that clients under it may have.
CREATE TABLE policy (
  id                   text PRIMARY KEY,
  name                 text NOT NULL,
  type                 text NOT NULL,
  status               text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
  user_claims          text NOT NULL,
  acrs                 text NOT NULL,
  mandatory_auth_types text NOT NULL,
  client_types         text NOT NULL DEFAULT '[]', -- empty: confidential
  approval_policy      text NOT NULL, -- of wf; empty when registrations need no approval
  approval_exempt      text NOT NULL, -- members that change without an approval
  expires_after        text NOT NULL DEFAULT '' -- P90D: the lifetime of clients; empty for unlimited
);

-- The permission of a partner to register clients under a policy.
CREATE TABLE partner_policy (
  partner_id text NOT NULL REFERENCES partner (id),
  policy_id  text NOT NULL REFERENCES policy (id),
  status     text NOT NULL CHECK (status IN ('APPROVED', 'REVOKED')),
  PRIMARY KEY (partner_id, policy_id)
);

-- A request of a partner for a mapping. At most one for a mapping is in progress.
CREATE TABLE mapping_request (
  mapping_key  text PRIMARY KEY,
  partner_id   text NOT NULL REFERENCES partner (id),
  policy_id    text NOT NULL REFERENCES policy (id),
  use_case     text NOT NULL, -- the partner's description
  state        text NOT NULL CHECK (state IN ('InProgress', 'approved', 'rejected')),
  comment      text NOT NULL, -- of the decision
  requested_by text NOT NULL,
  created_ms   bigint NOT NULL,
  updated_ms   bigint NOT NULL
);
CREATE UNIQUE INDEX mapping_request_open ON mapping_request (partner_id, policy_id) WHERE state = 'InProgress';
CREATE INDEX mapping_request_of_partner ON mapping_request (partner_id, policy_id, mapping_key);

-- ---------------------------------------------------------------------------------------
-- Clients
-- ---------------------------------------------------------------------------------------

-- An OpenID Connect client. A registration that the identity provider refused is deleted, so
-- the unique constraints hold among the clients that exist. They decide every race.
CREATE TABLE client (
  id                      text NOT NULL,
  api                     text NOT NULL CHECK (api IN ('partner', 'provider')), -- that manages it
  name                    text NOT NULL,
  partner_id              text NOT NULL,
  policy_id               text NOT NULL,
  key_thumbprint          text NOT NULL,
  key_jwk                 text NOT NULL,
  key_id                  text NOT NULL,
  other_keys              text NOT NULL DEFAULT '[]', -- further keys until their removal, as a JSON array
  user_claims             text NOT NULL,
  acrs                    text NOT NULL,
  logo_uri                text NOT NULL,
  redirect_uris           text NOT NULL,
  grant_types             text NOT NULL,
  auth_methods            text NOT NULL,
  extensions              text NOT NULL, -- fields that only some APIs have, as a JSON object
  status                  text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'PENDING', 'FAILED')),
  final                   boolean NOT NULL, -- INACTIVE until an admin enables it
  provider_client_id      text NOT NULL, -- the id that the identity provider assigned
  mark                    text NOT NULL DEFAULT '', -- of the registration at the identity provider, random
  outcome_unknown         boolean NOT NULL, -- the client must be read from the identity provider first
  failure_reason          text NOT NULL,
  failure_provider_code   text NOT NULL,
  failure_message         text NOT NULL,
  created_by              text NOT NULL,
  created_ms              bigint NOT NULL,
  updated_ms              bigint NOT NULL,
  expires_ms              bigint NOT NULL DEFAULT 0, -- INACTIVE for good from then on
  rev                     bigint NOT NULL,
  suspended               boolean NOT NULL DEFAULT false, -- INACTIVE until a new approval
  key_since_ms            bigint NOT NULL DEFAULT 0, -- since when the current key is that of the client; 0: since its registration
  CONSTRAINT client_id UNIQUE (id)
);
CREATE INDEX client_by_creation ON client (created_ms, id);
CREATE INDEX client_by_partner ON client (partner_id, created_ms, id);
CREATE INDEX client_outcome_unknown ON client (id) WHERE outcome_unknown;
CREATE INDEX client_by_status ON client (status, created_ms, id);
CREATE INDEX client_doubtful ON client (created_ms, id) WHERE outcome_unknown;
CREATE INDEX client_expires ON client (expires_ms) WHERE expires_ms > 0;
CREATE INDEX client_open ON client (policy_id, status, created_ms) WHERE substr(created_by, 1, 18) = 'open registration:';
-- By the API that a client came through.
CREATE INDEX client_by_origin ON client ((CASE WHEN substr(created_by, 1, 21) = 'initial access token:' OR substr(created_by, 1, 18) = 'open registration:' THEN 'rfc7591' ELSE api END), created_ms, id);

-- A key of a client, current or previous. No key belongs to two clients.
CREATE TABLE client_key (
  thumbprint text PRIMARY KEY,
  client_id  text NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
CREATE INDEX client_key_of_client ON client_key (client_id);

-- An initial access token (RFC 7591), as SHA-256 in hexadecimal: a reader of the table cannot
-- use it.
CREATE TABLE initial_token (
  hash       text PRIMARY KEY,
  partner_id text NOT NULL,
  policy_id  text NOT NULL,
  uses       bigint NOT NULL CHECK (uses >= 0),
  expires_ms bigint NOT NULL,
  issued_by  text NOT NULL,
  issued_ms  bigint NOT NULL DEFAULT 0
);

-- A registration access token (RFC 7592) of a client, as SHA-256 in hexadecimal.
CREATE TABLE registration_token (
  hash      text PRIMARY KEY,
  client_id text NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
CREATE INDEX registration_token_of_client ON registration_token (client_id);

-- ---------------------------------------------------------------------------------------
-- Approvals and calls to the identity provider
-- ---------------------------------------------------------------------------------------

-- An approval in wf that a registration or update needs before it is sent to the identity
-- provider. It outlives the client, because its request may have to be cancelled.
CREATE TABLE approval (
  client_id      text NOT NULL, -- or mapping/ and the key of a mapping request
  revision       bigint NOT NULL,
  state          text NOT NULL CHECK (state IN ('asking', 'waiting', 'granted', 'denied', 'withdrawing', 'withdrawn')),
  kind           text NOT NULL CHECK (kind IN ('register', 'update', 'mapping')),
  change         text NOT NULL, -- of an update, as JSON
  policy_key     text NOT NULL,
  requester      text NOT NULL,
  title          text NOT NULL,
  context        text NOT NULL, -- of the request, as JSON
  request_id     text NOT NULL,
  context_hash   text NOT NULL,
  reason         text NOT NULL, -- of the decision
  requested_ms   bigint NOT NULL,
  due_ms         bigint NOT NULL,
  attempts       bigint NOT NULL,
  granted_ms     bigint NOT NULL DEFAULT 0,
  valid_until_ms bigint NOT NULL DEFAULT 0,
  standing       text NOT NULL DEFAULT '' -- empty unless granted
    CHECK (standing IN ('', 'in_force', 'lapsed', 'revoked', 'replaced')),
  PRIMARY KEY (client_id, revision)
);
CREATE INDEX approval_due ON approval (due_ms) WHERE state IN ('asking', 'waiting', 'withdrawing');
CREATE INDEX approval_followed ON approval (due_ms) WHERE state = 'granted' AND standing = 'in_force';
CREATE INDEX approval_request ON approval (request_id) WHERE request_id <> '';

-- The queue of calls to the identity provider: at most one for each client. During a call
-- lease_token identifies the caller, lease_owner is its process, and due_ms is the end of its lease.
CREATE TABLE idp_call (
  client_id   text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  kind        text NOT NULL CHECK (kind IN ('register', 'update', 'remove', 'read')),
  change      text NOT NULL, -- of an update: not confirmed by the provider, as JSON
  actor       text NOT NULL,
  attempts    bigint NOT NULL,
  due_ms      bigint NOT NULL,
  lease_token text NOT NULL, -- empty while there is no lease
  lease_owner text NOT NULL,
  leased_ms   bigint NOT NULL, -- 0 while there is no lease
  sent        boolean NOT NULL, -- the identity provider may have received the call
  confirmed   boolean NOT NULL -- the provider's client with the id is this one
);
CREATE INDEX idp_call_due ON idp_call (due_ms);

-- The registration of a client at an rfc7591 provider. The access token is encrypted with a
-- key of REGISTRAR_ENC_KEYS.
CREATE TABLE provider_record (
  client_id          text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  provider_client_id text NOT NULL,
  uri                text NOT NULL,
  access_token       text NOT NULL
);

-- A client that the identity provider has otherwise, as of the last comparison.
CREATE TABLE difference (
  client_id text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  kind      text NOT NULL CHECK (kind IN ('missing', 'different')),
  members   text NOT NULL, -- of different, with both values
  found_ms  bigint NOT NULL
);

-- ---------------------------------------------------------------------------------------
-- Audit
-- ---------------------------------------------------------------------------------------

-- The audit trail of clients. It outlives the client. Rows are added and never changed. A
-- purge may delete refusals and the events of deleted clients, after it has written an event
-- purged: their number, and the last seq. Such an event comes from no call.
CREATE TABLE client_event (
  seq                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  client_id          text NOT NULL,
  type               text NOT NULL,
  actor              text NOT NULL,
  acting             text NOT NULL DEFAULT '[]', -- parties that acted for the actor, as JSON
  at_ms              bigint NOT NULL,
  changed            text NOT NULL,
  flags              text NOT NULL,
  reason             text NOT NULL,
  provider_code      text NOT NULL,
  provider_client_id text NOT NULL DEFAULT '',
  comment            text NOT NULL DEFAULT '', -- of the approvers
  ignored            text NOT NULL DEFAULT '[]', -- the members of the call that its API does not know
  call_id            text NOT NULL DEFAULT '',
  traceparent        text NOT NULL DEFAULT '',
  purged             bigint NOT NULL DEFAULT 0,
  purged_last_seq    bigint NOT NULL DEFAULT 0
);
CREATE INDEX client_event_of_client ON client_event (client_id, seq);
CREATE INDEX client_event_refused ON client_event (client_id, reason, at_ms) WHERE type = 'refused';
CREATE INDEX client_event_purged ON client_event (purged_last_seq) WHERE type = 'purged';
CREATE INDEX client_event_by_time ON client_event (at_ms, seq);
CREATE INDEX client_event_by_actor ON client_event (actor, at_ms, seq);
CREATE INDEX client_event_by_type ON client_event (type, at_ms, seq);

-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'client_event is insert only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER client_event_insert_only BEFORE UPDATE ON client_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER client_event_no_truncate BEFORE TRUNCATE ON client_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- +goose StatementBegin
CREATE FUNCTION refuse_unpurged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.type <> 'purged'
    AND OLD.seq <= (SELECT max(t.purged_last_seq) FROM client_event t WHERE t.type = 'purged')
    AND (OLD.type = 'refused' OR NOT EXISTS (SELECT FROM client c WHERE c.id = OLD.client_id)) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'client_event is insert only, but for a purge';
END $$;
-- +goose StatementEnd
CREATE TRIGGER client_event_purged BEFORE DELETE ON client_event
  FOR EACH ROW EXECUTE FUNCTION refuse_unpurged();

-- The audit trail of the catalogue. Rows are added and never changed.
CREATE TABLE catalog_event (
  seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partner_id  text NOT NULL,
  policy_id   text NOT NULL,
  type        text NOT NULL,
  actor       text NOT NULL,
  at_ms       bigint NOT NULL,
  changed     text NOT NULL,
  call_id     text NOT NULL,
  traceparent text NOT NULL,
  token_id    text NOT NULL DEFAULT '' -- the initial access token that the event is about; empty for none
);
CREATE INDEX catalog_event_of_partner ON catalog_event (partner_id, seq);
CREATE INDEX catalog_event_of_policy ON catalog_event (policy_id, seq);

-- +goose StatementBegin
CREATE FUNCTION refuse_catalog_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'catalog_event is insert only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER catalog_event_insert_only BEFORE UPDATE OR DELETE ON catalog_event
  FOR EACH ROW EXECUTE FUNCTION refuse_catalog_change();
CREATE TRIGGER catalog_event_no_truncate BEFORE TRUNCATE ON catalog_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_catalog_change();

-- ---------------------------------------------------------------------------------------
-- Webhooks
-- ---------------------------------------------------------------------------------------

-- A webhook endpoint that an admin manages. The keys are encrypted. The sealed secret of a
-- chat is its URL; url then has the part of it that may be shown.
CREATE TABLE endpoint (
  id                uuid PRIMARY KEY,
  name              text NOT NULL,
  url               text NOT NULL,
  format            text NOT NULL, -- empty for events, else the chat that gets messages
  events            text NOT NULL, -- JSON
  policy_keys       text NOT NULL, -- JSON; patterns of policyIds
  include           text NOT NULL, -- JSON; parts of messages
  signature         text NOT NULL CHECK (signature IN ('v1', 'v1a', 'both')),
  enabled           boolean NOT NULL,
  disabled_reason   text NOT NULL,
  disabled_ms       bigint NOT NULL,
  sealed            text NOT NULL,
  hint              text NOT NULL,
  public_key        text NOT NULL,
  previous_sealed   text NOT NULL,
  previous_hint     text NOT NULL,
  previous_public   text NOT NULL,
  previous_until_ms bigint NOT NULL,
  failures          integer NOT NULL, -- in a row
  failing_since_ms  bigint NOT NULL,
  paused_until_ms   bigint NOT NULL,
  created_by        text NOT NULL, -- JSON
  created_ms        bigint NOT NULL,
  updated_ms        bigint NOT NULL,
  rev               bigint NOT NULL,
  CONSTRAINT endpoint_name UNIQUE (name)
);

-- The payload that all deliveries of an event share, and the trace context of the call that
-- caused the event.
CREATE TABLE message (
  event_id    uuid NOT NULL,
  variant     text NOT NULL, -- the parts that it includes
  payload     text NOT NULL, -- JSON
  traceparent text NOT NULL,
  PRIMARY KEY (event_id, variant)
);

-- One event to one endpoint. A delivery that is not done has the status sending and a row in
-- outbox. No index has the status, so that the outcome is written without an index entry;
-- rare_status is for lists. A delivery outlives its endpoint and its client.
CREATE TABLE delivery (
  id               uuid PRIMARY KEY,
  event_id         uuid NOT NULL,
  variant          text NOT NULL, -- of the message
  event_type       text NOT NULL,
  subject          text,
  sequence         bigint NOT NULL,
  endpoint_id      uuid,
  endpoint         text NOT NULL,
  url              text NOT NULL,
  target           text NOT NULL,
  status           text NOT NULL CHECK (status IN ('sending', 'delivered', 'failed', 'cancelled')),
  rare_status      text GENERATED ALWAYS AS (CASE WHEN status IN ('failed', 'cancelled') THEN status END) STORED,
  cycle            integer NOT NULL,
  attempt          integer NOT NULL,
  crashes          integer NOT NULL,
  last_attempt_ms  bigint NOT NULL,
  last_status_code integer NOT NULL,
  last_error       text NOT NULL,
  last_duration_ms bigint NOT NULL,
  response_excerpt text NOT NULL,
  delivered_ms     bigint NOT NULL,
  created_ms       bigint NOT NULL,
  updated_ms       bigint NOT NULL,
  CONSTRAINT delivery_target UNIQUE (event_id, target)
);
CREATE INDEX delivery_created ON delivery (created_ms, id);
CREATE INDEX delivery_endpoint ON delivery (endpoint, created_ms, id);
CREATE INDEX delivery_subject ON delivery (subject, created_ms, id);
CREATE INDEX delivery_rare_status ON delivery (rare_status, created_ms, id) WHERE rare_status IS NOT NULL;

-- The queue: one row for each delivery that is not done. Senders read and write this table,
-- and delivery once at the end.
CREATE TABLE outbox (
  id          uuid PRIMARY KEY, -- of the delivery
  target      text NOT NULL, -- the endpoint: its deliveries share a limit of requests in flight
  due_ms      bigint NOT NULL,
  lease_token text NOT NULL, -- empty while there is no lease
  lease_owner text NOT NULL, -- the process that sends it; empty for none
  leased_ms   bigint NOT NULL -- 0 while there is no lease
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX outbox_due ON outbox (target, due_ms, id);

-- One attempt of a delivery. A crash has no number, because it consumes none of the attempts.
-- Rows are written and deleted with their delivery.
CREATE TABLE delivery_attempt (
  delivery_id uuid NOT NULL,
  cycle       integer NOT NULL,
  seq         integer NOT NULL,
  number      integer,
  started_ms  bigint NOT NULL,
  finished_ms bigint NOT NULL,
  outcome     text NOT NULL CHECK (outcome IN ('delivered', 'failed', 'unknown')),
  status_code integer NOT NULL,
  error       text NOT NULL,
  excerpt     text NOT NULL,
  PRIMARY KEY (delivery_id, cycle, seq),
  CONSTRAINT delivery_attempt_number UNIQUE (delivery_id, cycle, number)
);

-- ---------------------------------------------------------------------------------------
-- Sessions, keys and processes
-- ---------------------------------------------------------------------------------------

-- A session of the pages. The key is a hash, so that a reader of the table cannot use the session;
-- the tokens are sealed.
CREATE TABLE session (
  id         text PRIMARY KEY, -- SHA-256 of the secret in the cookie
  user_id    text NOT NULL,
  subject    text NOT NULL, -- of the issuer; a logout names it
  issuer_id  text NOT NULL, -- the issuer's session (sid); empty when it has none
  sealed     text NOT NULL, -- the tokens
  agent      text NOT NULL, -- the browser's User-Agent, at most 200 characters
  started_ms bigint NOT NULL,
  seen_ms    bigint NOT NULL,
  ends_ms    bigint NOT NULL, -- the latest end
  renew_ms   bigint NOT NULL, -- until then one process renews the tokens
  rev        bigint NOT NULL
);
CREATE INDEX session_subject ON session (subject);
CREATE INDEX session_person ON session (user_id);
CREATE INDEX session_issuer ON session (issuer_id) WHERE issuer_id <> '';
CREATE INDEX session_ends ON session (ends_ms);

-- A logout token of the issuer (OpenID Connect Back-Channel Logout 1.0). It is accepted once.
-- Until ends_ms, access tokens of the session, or older ones of the subject, are refused.
CREATE TABLE logout (
  jti       text PRIMARY KEY,
  subject   text NOT NULL, -- may be empty if issuer_id is not
  issuer_id text NOT NULL, -- the issuer's session (sid); empty for all sessions of the subject
  at_ms     bigint NOT NULL, -- iat
  ends_ms   bigint NOT NULL
);
CREATE INDEX logout_ends ON logout (ends_ms);

-- A key that the service creates on first use, and that all its processes share.
CREATE TABLE service_key (
  name text PRIMARY KEY,
  key  text NOT NULL -- base64
);

-- A process of the service. It is dead when its row is a few seconds old; see package
-- heartbeat.
CREATE TABLE process (
  id         text PRIMARY KEY,
  host       text NOT NULL,
  version    text NOT NULL,
  works      boolean NOT NULL, -- runs the jobs of the service
  started_ms bigint NOT NULL,
  seen_ms    bigint NOT NULL
);

-- Test writes, while the database refuses writes. A row is deleted at once.
CREATE TABLE write_probe (
  id     text PRIMARY KEY,
  filler text NOT NULL
);
