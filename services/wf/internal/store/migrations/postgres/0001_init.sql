-- +goose Up

-- Times are Unix milliseconds (*_ms); 0 is none. Columns commented as JSON hold the
-- empty text for none.

CREATE TABLE policy (
  policy_key text PRIMARY KEY
);

CREATE TABLE policy_version (
  policy_key   text NOT NULL REFERENCES policy,
  number       integer NOT NULL CHECK (number > 0),
  status       text NOT NULL CHECK (status IN ('draft', 'active', 'retired')),
  name         text NOT NULL, -- of the definition, for the search
  labels       jsonb NOT NULL, -- of the definition, for the search
  definition   text NOT NULL, -- JSON
  content_hash text NOT NULL,
  created_by   text NOT NULL, -- JSON, like the other people
  updated_by   text NOT NULL,
  activated_by text NOT NULL,
  retired_by   text NOT NULL,
  created_ms   bigint NOT NULL,
  updated_ms   bigint NOT NULL,
  activated_ms bigint NOT NULL,
  retired_ms   bigint NOT NULL,
  rev          bigint NOT NULL,
  PRIMARY KEY (policy_key, number)
);
CREATE UNIQUE INDEX policy_version_active ON policy_version (policy_key) WHERE status = 'active';

CREATE TABLE request (
  id              uuid PRIMARY KEY,
  policy_key      text NOT NULL,
  policy_version  integer NOT NULL,
  status          text NOT NULL CHECK (status IN ('in_review', 'blocked', 'changes_requested', 'approved', 'rejected', 'cancelled', 'expired')),
  status_reason   text NOT NULL, -- JSON
  artifact_type   text NOT NULL,
  artifact_id     text NOT NULL,
  title           text NOT NULL,
  link            text NOT NULL,
  priority        text NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  labels          jsonb NOT NULL,
  comment         text NOT NULL,
  attachments     text NOT NULL, -- JSON
  callback_url    text NOT NULL,
  context         text NOT NULL, -- canonical JSON
  context_hash    text NOT NULL,
  revision        integer NOT NULL,
  requester_id    text NOT NULL,
  requester       text NOT NULL, -- JSON
  submitted_by_id text NOT NULL,
  submitted_by    text NOT NULL, -- JSON
  one_open        boolean NOT NULL,
  expires_ms      bigint NOT NULL,
  created_ms      bigint NOT NULL,
  updated_ms      bigint NOT NULL,
  completed_ms    bigint NOT NULL,
  chain_seq       bigint NOT NULL, -- the last event
  chain_hash      text NOT NULL,
  rev             bigint NOT NULL,
  FOREIGN KEY (policy_key, policy_version) REFERENCES policy_version
);
CREATE UNIQUE INDEX request_one_open ON request (policy_key, artifact_type, artifact_id)
  WHERE one_open AND status IN ('in_review', 'blocked', 'changes_requested');
CREATE INDEX request_open ON request (policy_key, policy_version) WHERE status IN ('in_review', 'blocked', 'changes_requested');
CREATE INDEX request_expiry ON request (expires_ms) WHERE expires_ms > 0 AND status IN ('in_review', 'blocked', 'changes_requested');
CREATE INDEX request_created ON request (created_ms, id);
CREATE INDEX request_updated ON request (updated_ms, id);
CREATE INDEX request_status ON request (status, created_ms, id);
CREATE INDEX request_policy ON request (policy_key, created_ms, id);
CREATE INDEX request_artifact ON request (artifact_type, artifact_id, created_ms, id);
CREATE INDEX request_requester ON request (requester_id, created_ms, id);
CREATE INDEX request_labels ON request USING gin (labels jsonb_path_ops);

-- Everybody who has or had a part in a request.
CREATE TABLE participant (
  user_id    text NOT NULL,
  request_id uuid NOT NULL REFERENCES request,
  PRIMARY KEY (user_id, request_id)
);

CREATE TABLE stage_run (
  id             uuid PRIMARY KEY,
  request_id     uuid NOT NULL REFERENCES request,
  ordinal        integer NOT NULL, -- the place among the runs of the request
  stage_key      text NOT NULL,
  name           text NOT NULL,
  run            integer NOT NULL,
  status         text NOT NULL CHECK (status IN ('pending', 'active', 'blocked', 'approved', 'rejected', 'skipped', 'expired', 'cancelled')),
  parallel_group text NOT NULL,
  people         text NOT NULL, -- JSON
  excluded       text NOT NULL, -- JSON
  need           integer NOT NULL,
  fallback       boolean NOT NULL,
  tally          text NOT NULL, -- JSON
  skip           text NOT NULL, -- JSON
  last_error     text NOT NULL,
  started_ms     bigint NOT NULL,
  completed_ms   bigint NOT NULL,
  CONSTRAINT stage_run_number UNIQUE (request_id, stage_key, run)
);

-- Who may claim the unassigned tasks of a pool, while it runs.
CREATE TABLE stage_candidate (
  stage_run_id uuid NOT NULL REFERENCES stage_run,
  user_id      text NOT NULL,
  rule         integer NOT NULL, -- the rule that yielded them; one row for each
  mandate_id   text NOT NULL, -- for whom they act: themselves, or the person for whom they stand in
  PRIMARY KEY (stage_run_id, user_id, rule)
);
CREATE INDEX stage_candidate_user ON stage_candidate (user_id);

CREATE TABLE delegation (
  id             uuid PRIMARY KEY,
  user_id        text NOT NULL,
  delegator      text NOT NULL, -- JSON
  delegate_id    text NOT NULL,
  delegate       text NOT NULL, -- JSON
  starts_ms      bigint NOT NULL,
  ends_ms        bigint NOT NULL,
  reason         text NOT NULL,
  scope          text NOT NULL, -- JSON
  mode           text NOT NULL CHECK (mode IN ('replace', 'share')),
  apply_to_open  boolean NOT NULL,
  return_on_end  boolean NOT NULL,
  started        boolean NOT NULL,
  closed         boolean NOT NULL,
  routed         integer NOT NULL,
  warnings       text NOT NULL, -- JSON
  created_by     text NOT NULL, -- JSON
  revoked_by     text NOT NULL, -- JSON
  created_ms     bigint NOT NULL,
  updated_ms     bigint NOT NULL,
  revoked_ms     bigint NOT NULL
);
CREATE INDEX delegation_user ON delegation (user_id, ends_ms) WHERE revoked_ms = 0;
CREATE INDEX delegation_delegate ON delegation (delegate_id, created_ms, id);
CREATE INDEX delegation_created ON delegation (created_ms, id);
CREATE INDEX delegation_to_start ON delegation (starts_ms) WHERE NOT started AND revoked_ms = 0;
CREATE INDEX delegation_to_close ON delegation (ends_ms) WHERE NOT closed;

CREATE TABLE task (
  id              uuid PRIMARY KEY,
  request_id      uuid NOT NULL REFERENCES request,
  stage_run_id    uuid NOT NULL REFERENCES stage_run,
  ordinal         integer NOT NULL, -- the place among the tasks of the request
  stage_key       text NOT NULL,
  run             integer NOT NULL,
  seat            integer NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('approver', 'rescue')),
  status          text NOT NULL CHECK (status IN ('open', 'claimed', 'completed', 'skipped', 'cancelled')),
  assignee_id     text NOT NULL,
  assignee        text NOT NULL, -- JSON
  owner           text NOT NULL, -- JSON
  slot            integer NOT NULL,
  rules           text NOT NULL, -- JSON
  required        boolean NOT NULL,
  added           boolean NOT NULL,
  on_behalf_of_id text NOT NULL,
  on_behalf_of    text NOT NULL, -- JSON
  delegation_id   uuid REFERENCES delegation,
  shared_with_id  text NOT NULL,
  shared_with     text NOT NULL, -- JSON
  reassigned_from text NOT NULL, -- JSON
  reassign_count  integer NOT NULL,
  close_reason    text NOT NULL,
  created_ms      bigint NOT NULL,
  updated_ms      bigint NOT NULL,
  claimed_ms      bigint NOT NULL,
  completed_ms    bigint NOT NULL,
  rev             bigint NOT NULL,
  CONSTRAINT task_seat UNIQUE (stage_run_id, seat)
);
-- One person, one seat.
CREATE UNIQUE INDEX task_person ON task (stage_run_id, assignee_id)
  WHERE assignee_id <> '' AND kind = 'approver' AND status IN ('open', 'claimed', 'completed');
CREATE INDEX task_request ON task (request_id, ordinal);
CREATE INDEX task_created ON task (created_ms, id);
CREATE INDEX task_assignee ON task (assignee_id, created_ms, id) WHERE assignee_id <> '';
CREATE INDEX task_assignee_live ON task (assignee_id) WHERE assignee_id <> '' AND status IN ('open', 'claimed');
CREATE INDEX task_shared ON task (shared_with_id) WHERE shared_with_id <> '';
CREATE INDEX task_live ON task (created_ms, id) WHERE status IN ('open', 'claimed');
CREATE INDEX task_delegation ON task (delegation_id) WHERE delegation_id IS NOT NULL;

CREATE TABLE decision (
  id         uuid PRIMARY KEY,
  task_id    uuid NOT NULL REFERENCES task,
  request_id uuid NOT NULL REFERENCES request,
  revision   integer NOT NULL,
  action     text NOT NULL CHECK (action IN ('approve', 'reject', 'abstain', 'request_changes')),
  actor_id   text NOT NULL,
  decided_ms bigint NOT NULL,
  body       text NOT NULL, -- the decision as JSON
  CONSTRAINT decision_task UNIQUE (task_id)
);
CREATE INDEX decision_request ON decision (request_id);

-- The end of the service's own chain of events; a request holds the end of its own.
CREATE TABLE chain (
  name text PRIMARY KEY,
  seq  bigint NOT NULL,
  hash text NOT NULL
);
INSERT INTO chain (name, seq, hash) VALUES ('service', 0, '');

CREATE TABLE event (
  id    uuid PRIMARY KEY,
  chain text NOT NULL, -- the id of a request, or service
  seq   bigint NOT NULL CHECK (seq > 0),
  type  text NOT NULL,
  at_ms bigint NOT NULL,
  body  text NOT NULL, -- the event as canonical JSON: the bytes that are hashed
  hash  text NOT NULL,
  CONSTRAINT event_number UNIQUE (chain, seq)
);

CREATE TABLE delivery (
  id               uuid PRIMARY KEY,
  event_id         uuid NOT NULL REFERENCES event,
  event_type       text NOT NULL,
  request_id       uuid REFERENCES request,
  sequence         bigint NOT NULL,
  endpoint         text NOT NULL,
  url              text NOT NULL,
  target           text NOT NULL, -- the endpoint, or the URL of a callback
  lane             text NOT NULL, -- the endpoint, or the host of a callback: what shares the limit of requests in flight
  payload          text NOT NULL, -- JSON
  status           text NOT NULL CHECK (status IN ('pending', 'sending', 'delivered', 'failed', 'cancelled')),
  cycle            integer NOT NULL,
  attempt          integer NOT NULL,
  crashes          integer NOT NULL,
  next_attempt_ms  bigint NOT NULL,
  lease_token      bigint NOT NULL,
  lease_until_ms   bigint NOT NULL,
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
CREATE INDEX delivery_due ON delivery (lane, next_attempt_ms, id) WHERE status IN ('pending', 'sending');
CREATE INDEX delivery_sending ON delivery (lane) WHERE status = 'sending';
CREATE INDEX delivery_created ON delivery (created_ms, id);
CREATE INDEX delivery_status ON delivery (status, created_ms, id);
CREATE INDEX delivery_endpoint ON delivery (endpoint, created_ms, id);
CREATE INDEX delivery_request ON delivery (request_id, created_ms, id);

CREATE TABLE delivery_attempt (
  delivery_id uuid NOT NULL REFERENCES delivery,
  cycle       integer NOT NULL,
  seq         integer NOT NULL,
  n           integer, -- NULL for a crash, which consumes none of the attempts
  started_ms  bigint NOT NULL,
  finished_ms bigint NOT NULL,
  outcome     text NOT NULL CHECK (outcome IN ('delivered', 'failed', 'unknown')),
  status_code integer NOT NULL,
  error       text NOT NULL,
  excerpt     text NOT NULL,
  PRIMARY KEY (delivery_id, cycle, seq),
  CONSTRAINT delivery_attempt_n UNIQUE (delivery_id, cycle, n)
);

CREATE TABLE idempotency_key (
  principal   text NOT NULL,
  method      text NOT NULL,
  route       text NOT NULL,
  value       text NOT NULL,
  fingerprint text NOT NULL,
  status      integer NOT NULL, -- of the stored reply; 0 while the operation runs
  body        text NOT NULL, -- of the stored reply
  expires_ms  bigint NOT NULL,
  PRIMARY KEY (principal, method, route, value)
);
CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_ms);

-- Events and decisions are evidence: they are added and never changed.
-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
END $$;
-- +goose StatementEnd
CREATE TRIGGER event_unchanged BEFORE UPDATE OR DELETE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decision_unchanged BEFORE UPDATE OR DELETE OR TRUNCATE ON decision FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
