-- +goose Up

-- Times are Unix milliseconds (*_ms); 0 is none. Columns commented as JSON hold the
-- empty text for none.

CREATE TABLE policy (
  policy_key TEXT PRIMARY KEY
);

CREATE TABLE policy_version (
  policy_key   TEXT NOT NULL REFERENCES policy,
  number       INTEGER NOT NULL CHECK (number > 0),
  status       TEXT NOT NULL CHECK (status IN ('draft', 'active', 'retired')),
  name         TEXT NOT NULL, -- of the definition, for the search
  labels       TEXT NOT NULL, -- of the definition, for the search
  definition   TEXT NOT NULL, -- JSON
  content_hash TEXT NOT NULL,
  created_by   TEXT NOT NULL, -- JSON, like the other people
  updated_by   TEXT NOT NULL,
  activated_by TEXT NOT NULL,
  retired_by   TEXT NOT NULL,
  created_ms   INTEGER NOT NULL,
  updated_ms   INTEGER NOT NULL,
  activated_ms INTEGER NOT NULL,
  retired_ms   INTEGER NOT NULL,
  rev          INTEGER NOT NULL,
  PRIMARY KEY (policy_key, number)
);
CREATE UNIQUE INDEX policy_version_active ON policy_version (policy_key) WHERE status = 'active';

CREATE TABLE request (
  id              TEXT PRIMARY KEY,
  policy_key      TEXT NOT NULL,
  policy_version  INTEGER NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('in_review', 'blocked', 'changes_requested', 'approved', 'rejected', 'cancelled', 'expired')),
  status_reason   TEXT NOT NULL, -- JSON
  artifact_type   TEXT NOT NULL,
  artifact_id     TEXT NOT NULL,
  title           TEXT NOT NULL,
  link            TEXT NOT NULL,
  priority        TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  labels          TEXT NOT NULL,
  comment         TEXT NOT NULL,
  attachments     TEXT NOT NULL, -- JSON
  callback_url    TEXT NOT NULL,
  context         TEXT NOT NULL, -- canonical JSON
  context_hash    TEXT NOT NULL,
  revision        INTEGER NOT NULL,
  requester_id    TEXT NOT NULL,
  requester       TEXT NOT NULL, -- JSON
  submitted_by_id TEXT NOT NULL,
  submitted_by    TEXT NOT NULL, -- JSON
  one_open        INTEGER NOT NULL,
  expires_ms      INTEGER NOT NULL,
  created_ms      INTEGER NOT NULL,
  updated_ms      INTEGER NOT NULL,
  completed_ms    INTEGER NOT NULL,
  chain_seq       INTEGER NOT NULL, -- the last event
  chain_hash      TEXT NOT NULL,
  rev             INTEGER NOT NULL,
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

-- Everybody who has or had a part in a request.
CREATE TABLE participant (
  user_id    TEXT NOT NULL,
  request_id TEXT NOT NULL REFERENCES request,
  PRIMARY KEY (user_id, request_id)
);

CREATE TABLE stage_run (
  id             TEXT PRIMARY KEY,
  request_id     TEXT NOT NULL REFERENCES request,
  ordinal        INTEGER NOT NULL, -- the place among the runs of the request
  stage_key      TEXT NOT NULL,
  name           TEXT NOT NULL,
  run            INTEGER NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('pending', 'active', 'blocked', 'approved', 'rejected', 'skipped', 'expired', 'cancelled')),
  parallel_group TEXT NOT NULL,
  people         TEXT NOT NULL, -- JSON
  excluded       TEXT NOT NULL, -- JSON
  need           INTEGER NOT NULL,
  fallback       INTEGER NOT NULL,
  tally          TEXT NOT NULL, -- JSON
  skip           TEXT NOT NULL, -- JSON
  last_error     TEXT NOT NULL,
  started_ms     INTEGER NOT NULL,
  completed_ms   INTEGER NOT NULL,
  CONSTRAINT stage_run_number UNIQUE (request_id, stage_key, run)
);

-- Who may claim the unassigned tasks of a pool, while it runs.
CREATE TABLE stage_candidate (
  stage_run_id TEXT NOT NULL REFERENCES stage_run,
  user_id      TEXT NOT NULL,
  rule         INTEGER NOT NULL, -- the rule that yielded them; one row for each
  mandate_id   TEXT NOT NULL, -- for whom they act: themselves, or the person for whom they stand in
  PRIMARY KEY (stage_run_id, user_id, rule)
);
CREATE INDEX stage_candidate_user ON stage_candidate (user_id);

CREATE TABLE delegation (
  id             TEXT PRIMARY KEY,
  user_id        TEXT NOT NULL,
  delegator      TEXT NOT NULL, -- JSON
  delegate_id    TEXT NOT NULL,
  delegate       TEXT NOT NULL, -- JSON
  starts_ms      INTEGER NOT NULL,
  ends_ms        INTEGER NOT NULL,
  reason         TEXT NOT NULL,
  scope          TEXT NOT NULL, -- JSON
  mode           TEXT NOT NULL CHECK (mode IN ('replace', 'share')),
  apply_to_open  INTEGER NOT NULL,
  return_on_end  INTEGER NOT NULL,
  started        INTEGER NOT NULL,
  closed         INTEGER NOT NULL,
  routed         INTEGER NOT NULL,
  warnings       TEXT NOT NULL, -- JSON
  created_by     TEXT NOT NULL, -- JSON
  revoked_by     TEXT NOT NULL, -- JSON
  created_ms     INTEGER NOT NULL,
  updated_ms     INTEGER NOT NULL,
  revoked_ms     INTEGER NOT NULL
);
CREATE INDEX delegation_user ON delegation (user_id, ends_ms) WHERE revoked_ms = 0;
CREATE INDEX delegation_delegate ON delegation (delegate_id, created_ms, id);
CREATE INDEX delegation_created ON delegation (created_ms, id);
CREATE INDEX delegation_to_start ON delegation (starts_ms) WHERE NOT started AND revoked_ms = 0;
CREATE INDEX delegation_to_close ON delegation (ends_ms) WHERE NOT closed;

CREATE TABLE task (
  id              TEXT PRIMARY KEY,
  request_id      TEXT NOT NULL REFERENCES request,
  stage_run_id    TEXT NOT NULL REFERENCES stage_run,
  ordinal         INTEGER NOT NULL, -- the place among the tasks of the request
  stage_key       TEXT NOT NULL,
  run             INTEGER NOT NULL,
  seat            INTEGER NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('approver', 'rescue')),
  status          TEXT NOT NULL CHECK (status IN ('open', 'claimed', 'completed', 'skipped', 'cancelled')),
  assignee_id     TEXT NOT NULL,
  assignee        TEXT NOT NULL, -- JSON
  owner           TEXT NOT NULL, -- JSON
  slot            INTEGER NOT NULL,
  rules           TEXT NOT NULL, -- JSON
  required        INTEGER NOT NULL,
  added           INTEGER NOT NULL,
  on_behalf_of_id TEXT NOT NULL,
  on_behalf_of    TEXT NOT NULL, -- JSON
  delegation_id   TEXT REFERENCES delegation,
  shared_with_id  TEXT NOT NULL,
  shared_with     TEXT NOT NULL, -- JSON
  reassigned_from TEXT NOT NULL, -- JSON
  reassign_count  INTEGER NOT NULL,
  close_reason    TEXT NOT NULL,
  created_ms      INTEGER NOT NULL,
  updated_ms      INTEGER NOT NULL,
  claimed_ms      INTEGER NOT NULL,
  completed_ms    INTEGER NOT NULL,
  rev             INTEGER NOT NULL,
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
  id         TEXT PRIMARY KEY,
  task_id    TEXT NOT NULL REFERENCES task,
  request_id TEXT NOT NULL REFERENCES request,
  revision   INTEGER NOT NULL,
  action     TEXT NOT NULL CHECK (action IN ('approve', 'reject', 'abstain', 'request_changes')),
  actor_id   TEXT NOT NULL,
  decided_ms INTEGER NOT NULL,
  body       TEXT NOT NULL, -- the decision as JSON
  CONSTRAINT decision_task UNIQUE (task_id)
);
CREATE INDEX decision_request ON decision (request_id);

-- The end of the service's own chain of events; a request holds the end of its own.
CREATE TABLE chain (
  name TEXT PRIMARY KEY,
  seq  INTEGER NOT NULL,
  hash TEXT NOT NULL
);
INSERT INTO chain (name, seq, hash) VALUES ('service', 0, '');

CREATE TABLE event (
  id    TEXT PRIMARY KEY,
  chain TEXT NOT NULL, -- the id of a request, or service
  seq   INTEGER NOT NULL CHECK (seq > 0),
  type  TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  body  TEXT NOT NULL, -- the event as canonical JSON: the bytes that are hashed
  hash  TEXT NOT NULL,
  CONSTRAINT event_number UNIQUE (chain, seq)
);

CREATE TABLE delivery (
  id               TEXT PRIMARY KEY,
  event_id         TEXT NOT NULL REFERENCES event,
  event_type       TEXT NOT NULL,
  request_id       TEXT REFERENCES request,
  sequence         INTEGER NOT NULL,
  endpoint         TEXT NOT NULL,
  url              TEXT NOT NULL,
  target           TEXT NOT NULL, -- the endpoint, or the URL of a callback
  lane             TEXT NOT NULL, -- the endpoint, or the host of a callback: what shares the limit of requests in flight
  payload          TEXT NOT NULL, -- JSON
  status           TEXT NOT NULL CHECK (status IN ('pending', 'sending', 'delivered', 'failed', 'cancelled')),
  cycle            INTEGER NOT NULL,
  attempt          INTEGER NOT NULL,
  crashes          INTEGER NOT NULL,
  next_attempt_ms  INTEGER NOT NULL,
  lease_token      INTEGER NOT NULL,
  lease_until_ms   INTEGER NOT NULL,
  last_attempt_ms  INTEGER NOT NULL,
  last_status_code INTEGER NOT NULL,
  last_error       TEXT NOT NULL,
  last_duration_ms INTEGER NOT NULL,
  response_excerpt TEXT NOT NULL,
  delivered_ms     INTEGER NOT NULL,
  created_ms       INTEGER NOT NULL,
  updated_ms       INTEGER NOT NULL,
  CONSTRAINT delivery_target UNIQUE (event_id, target)
);
CREATE INDEX delivery_due ON delivery (lane, next_attempt_ms, id) WHERE status IN ('pending', 'sending');
CREATE INDEX delivery_sending ON delivery (lane) WHERE status = 'sending';
CREATE INDEX delivery_created ON delivery (created_ms, id);
CREATE INDEX delivery_status ON delivery (status, created_ms, id);
CREATE INDEX delivery_endpoint ON delivery (endpoint, created_ms, id);
CREATE INDEX delivery_request ON delivery (request_id, created_ms, id);

CREATE TABLE delivery_attempt (
  delivery_id TEXT NOT NULL REFERENCES delivery,
  cycle       INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  n           INTEGER, -- NULL for a crash, which consumes none of the attempts
  started_ms  INTEGER NOT NULL,
  finished_ms INTEGER NOT NULL,
  outcome     TEXT NOT NULL CHECK (outcome IN ('delivered', 'failed', 'unknown')),
  status_code INTEGER NOT NULL,
  error       TEXT NOT NULL,
  excerpt     TEXT NOT NULL,
  PRIMARY KEY (delivery_id, cycle, seq),
  CONSTRAINT delivery_attempt_n UNIQUE (delivery_id, cycle, n)
);

CREATE TABLE idempotency_key (
  principal   TEXT NOT NULL,
  method      TEXT NOT NULL,
  route       TEXT NOT NULL,
  value       TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status      INTEGER NOT NULL, -- of the stored reply; 0 while the operation runs
  body        TEXT NOT NULL, -- of the stored reply
  expires_ms  INTEGER NOT NULL,
  PRIMARY KEY (principal, method, route, value)
);
CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_ms);

-- Events and decisions are evidence: they are added and never changed.
-- +goose StatementBegin
CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'rows of event are never changed'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'rows of event are never changed'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decision_no_update BEFORE UPDATE ON decision BEGIN SELECT RAISE(ABORT, 'rows of decision are never changed'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decision_no_delete BEFORE DELETE ON decision BEGIN SELECT RAISE(ABORT, 'rows of decision are never changed'); END;
-- +goose StatementEnd
