-- +goose Up

CREATE TABLE service_key (name text PRIMARY KEY, key text NOT NULL);
CREATE TABLE process (id text PRIMARY KEY, host text NOT NULL, version text NOT NULL, started_ms bigint NOT NULL, seen_ms bigint NOT NULL);

CREATE TABLE endpoint (
  id                uuid PRIMARY KEY,
  name              text NOT NULL,
  url               text NOT NULL,
  format            text NOT NULL DEFAULT '',
  events            text NOT NULL,
  policy_keys       text NOT NULL,
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
  failures          integer NOT NULL,
  failing_since_ms  bigint NOT NULL,
  paused_until_ms   bigint NOT NULL,
  created_by        text NOT NULL,
  created_ms        bigint NOT NULL,
  updated_ms        bigint NOT NULL,
  rev               bigint NOT NULL,
  CONSTRAINT endpoint_name UNIQUE (name)
);
CREATE INDEX endpoint_created ON endpoint (created_ms, id);

CREATE TABLE message (
  event_id    uuid PRIMARY KEY,
  payload     text NOT NULL,
  traceparent text NOT NULL
);

CREATE TABLE delivery (
  id               uuid PRIMARY KEY,
  event_id         uuid NOT NULL,
  event_type       text NOT NULL,
  note_id          text,
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
CREATE INDEX delivery_note ON delivery (note_id, created_ms, id);
CREATE INDEX delivery_rare_status ON delivery (rare_status, created_ms, id) WHERE rare_status IS NOT NULL;

CREATE TABLE outbox (
  id              uuid PRIMARY KEY,
  lane            text NOT NULL,
  next_attempt_ms bigint NOT NULL,
  cycle           integer NOT NULL,
  lease_token     bigint NOT NULL,
  lease_owner     text NOT NULL,
  leased_ms       bigint NOT NULL
);
CREATE INDEX outbox_due ON outbox (lane, next_attempt_ms, id);

CREATE TABLE delivery_attempt (
  delivery_id uuid NOT NULL,
  cycle       integer NOT NULL,
  seq         integer NOT NULL,
  n           integer,
  started_ms  bigint NOT NULL,
  finished_ms bigint NOT NULL,
  outcome     text NOT NULL CHECK (outcome IN ('delivered', 'failed', 'unknown')),
  status_code integer NOT NULL,
  error       text NOT NULL,
  excerpt     text NOT NULL,
  PRIMARY KEY (delivery_id, cycle, seq),
  CONSTRAINT delivery_attempt_n UNIQUE (delivery_id, cycle, n)
);
