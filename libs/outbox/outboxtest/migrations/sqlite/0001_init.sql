-- +goose Up

CREATE TABLE service_key (name text PRIMARY KEY, key text NOT NULL);
CREATE TABLE process (id text PRIMARY KEY, host text NOT NULL, version text NOT NULL, started_ms integer NOT NULL, seen_ms integer NOT NULL);

CREATE TABLE endpoint (
  id                text PRIMARY KEY,
  name              text NOT NULL,
  url               text NOT NULL,
  format            text NOT NULL DEFAULT '',
  events            text NOT NULL,
  policy_keys       text NOT NULL,
  signature         text NOT NULL CHECK (signature IN ('v1', 'v1a', 'both')),
  enabled           integer NOT NULL,
  disabled_reason   text NOT NULL,
  disabled_ms       integer NOT NULL,
  sealed            text NOT NULL,
  hint              text NOT NULL,
  public_key        text NOT NULL,
  previous_sealed   text NOT NULL,
  previous_hint     text NOT NULL,
  previous_public   text NOT NULL,
  previous_until_ms integer NOT NULL,
  failures          integer NOT NULL,
  failing_since_ms  integer NOT NULL,
  paused_until_ms   integer NOT NULL,
  created_by        text NOT NULL,
  created_ms        integer NOT NULL,
  updated_ms        integer NOT NULL,
  rev               integer NOT NULL,
  CONSTRAINT endpoint_name UNIQUE (name)
);
CREATE INDEX endpoint_created ON endpoint (created_ms, id);

CREATE TABLE message (
  event_id    text PRIMARY KEY,
  payload     text NOT NULL,
  traceparent text NOT NULL
);

CREATE TABLE delivery (
  id               text PRIMARY KEY,
  event_id         text NOT NULL,
  event_type       text NOT NULL,
  note_id          text,
  sequence         integer NOT NULL,
  endpoint_id      text,
  endpoint         text NOT NULL,
  url              text NOT NULL,
  target           text NOT NULL,
  status           text NOT NULL CHECK (status IN ('sending', 'delivered', 'failed', 'cancelled')),
  rare_status      text GENERATED ALWAYS AS (CASE WHEN status IN ('failed', 'cancelled') THEN status END) VIRTUAL,
  cycle            integer NOT NULL,
  attempt          integer NOT NULL,
  crashes          integer NOT NULL,
  last_attempt_ms  integer NOT NULL,
  last_status_code integer NOT NULL,
  last_error       text NOT NULL,
  last_duration_ms integer NOT NULL,
  response_excerpt text NOT NULL,
  delivered_ms     integer NOT NULL,
  created_ms       integer NOT NULL,
  updated_ms       integer NOT NULL,
  CONSTRAINT delivery_target UNIQUE (event_id, target)
);
CREATE INDEX delivery_created ON delivery (created_ms, id);
CREATE INDEX delivery_endpoint ON delivery (endpoint, created_ms, id);
CREATE INDEX delivery_note ON delivery (note_id, created_ms, id);
CREATE INDEX delivery_rare_status ON delivery (rare_status, created_ms, id) WHERE rare_status IS NOT NULL;

CREATE TABLE outbox (
  id              text PRIMARY KEY,
  lane            text NOT NULL,
  next_attempt_ms integer NOT NULL,
  cycle           integer NOT NULL,
  lease_token     integer NOT NULL,
  lease_owner     text NOT NULL,
  leased_ms       integer NOT NULL
);
CREATE INDEX outbox_due ON outbox (lane, next_attempt_ms, id);

CREATE TABLE delivery_attempt (
  delivery_id text NOT NULL,
  cycle       integer NOT NULL,
  seq         integer NOT NULL,
  n           integer,
  started_ms  integer NOT NULL,
  finished_ms integer NOT NULL,
  outcome     text NOT NULL CHECK (outcome IN ('delivered', 'failed', 'unknown')),
  status_code integer NOT NULL,
  error       text NOT NULL,
  excerpt     text NOT NULL,
  PRIMARY KEY (delivery_id, cycle, seq),
  CONSTRAINT delivery_attempt_n UNIQUE (delivery_id, cycle, n)
);
