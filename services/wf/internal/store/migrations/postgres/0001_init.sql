-- The schema of wf for PostgreSQL. migrations/sqlite has the same tables and columns.
--
-- Times are Unix milliseconds (*_ms); 0 is none. A column commented as JSON holds the empty
-- text for none. rev counts the writes of a row and is its ETag.

-- +goose Up

-- ---------------------------------------------------------------------------------------
-- Policies
-- ---------------------------------------------------------------------------------------

-- A policy key and the highest number that a version of it has had. A draft can be deleted;
-- its number is not assigned again.
CREATE TABLE policy (
  policy_key  text PRIMARY KEY,
  last_number integer NOT NULL
);

-- One version of a policy. folded_name and labels repeat the definition, for lists.
CREATE TABLE policy_version (
  policy_key   text NOT NULL REFERENCES policy,
  number       integer NOT NULL CHECK (number > 0),
  status       text NOT NULL CHECK (status IN ('draft', 'active', 'retired')),
  folded_name  text NOT NULL,
  labels       jsonb NOT NULL,
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

-- The owners of each policy: settings.owners of its active version, else of its latest. kind is user or role.
CREATE TABLE policy_owner (
  kind       text NOT NULL,
  name       text NOT NULL,
  policy_key text NOT NULL,
  PRIMARY KEY (kind, name, policy_key)
);
CREATE INDEX policy_owner_key ON policy_owner (policy_key);

-- The figures of a policy that the start page shows. A job counts them again every five minutes.
CREATE TABLE policy_figures (
  policy_key text PRIMARY KEY,
  tasks      bigint NOT NULL, -- open ones
  overdue    bigint NOT NULL, -- of these
  oldest_ms  bigint NOT NULL, -- creation of the oldest open task; 0 without one
  requests   bigint NOT NULL, -- created in the last 30 days
  decided    bigint NOT NULL, -- approved or rejected in the last 30 days
  median_ms  bigint NOT NULL, -- from the creation of these to the decision: that of half of them at most
  ninety_ms  bigint NOT NULL, -- that of 90 % of them at most
  at_ms      bigint NOT NULL  -- of the count
);

-- ---------------------------------------------------------------------------------------
-- Requests
-- ---------------------------------------------------------------------------------------

-- An approval request, the aggregate that all rows of its stages, tasks and decisions belong
-- to: they are written and deleted under the lock of its row. It has no foreign key to its
-- policy version, because that would lock one row for all creations; no version that was
-- active is ever deleted.
CREATE TABLE request (
  id                 uuid PRIMARY KEY,
  -- The document, in three parts so that lists read only the first; users by id.
  summary            text NOT NULL, -- JSON: the members that lists show
  detail             text NOT NULL, -- JSON: stages, tasks, decisions and the other members
  context            text NOT NULL, -- JSON: the present content
  retries            text NOT NULL, -- JSON: what a retry of each stage run changes without an event
  rev                bigint NOT NULL,
  chain_seq          bigint NOT NULL, -- the last event of its chain
  chain_hash         text NOT NULL,
  sealed_seq         bigint NOT NULL DEFAULT 0, -- the last event of the chain that an event audit.checkpoint lists
  -- The columns from here on follow from the document and the retries: filters, sorts and timers.
  policy_key         text NOT NULL,
  policy_version     integer NOT NULL,
  status             text NOT NULL CHECK (status IN (
    'in_review', 'blocked', 'changes_requested', 'approved', 'rejected', 'cancelled', 'expired')),
  urgency       bigint NOT NULL, -- of the priority; 0 is the most urgent
  artifact_type      text NOT NULL,
  artifact_id        text NOT NULL,
  search_text        text NOT NULL, -- title, line feed, artifact id: NFKC, case folded like the folded_* of other tables
  labels             jsonb NOT NULL,
  context_hash       text NOT NULL,
  requester_id       text NOT NULL,
  submitted_by_id    text NOT NULL,
  one_open           boolean NOT NULL, -- no other request for the artifact may be open
  created_ms         bigint NOT NULL,
  updated_ms         bigint NOT NULL,
  completed_ms       bigint NOT NULL,
  ends_ms            bigint NOT NULL, -- the earliest of the expiry and the due dates that end the request; 0 after its end
  expires_ms         bigint NOT NULL, -- the expiry
  expiry_notified    boolean NOT NULL, -- the notice before the expiry is written
  due_ms             bigint NOT NULL, -- the earliest due date of the running stages
  timer_ms           bigint NOT NULL, -- when the deadline job has work
  retry_ms           bigint NOT NULL, -- when a resolving or blocked stage is tried again
  stuck              boolean NOT NULL, -- in review or blocked, without a live task and a retry
  -- standing is empty while an approval is pending or in force, else its end. valid_from_ms and valid_until_ms are the
  -- bounds of its validity; before the approval, those that the content sets. standing_ms is when an approval lapses.
  standing           text NOT NULL,
  valid_from_ms      bigint NOT NULL,
  valid_until_ms     bigint NOT NULL,
  standing_ms        bigint NOT NULL,
  lapse_notified     boolean NOT NULL -- the notice before the lapse is written
);
CREATE UNIQUE INDEX request_one_open ON request (policy_key, artifact_type, artifact_id)
  WHERE one_open AND status IN ('in_review', 'blocked', 'changes_requested');
CREATE INDEX request_open ON request (policy_key, policy_version)
  WHERE status IN ('in_review', 'blocked', 'changes_requested');
CREATE INDEX request_end ON request (ends_ms) WHERE ends_ms > 0;
CREATE INDEX request_timer ON request (timer_ms) WHERE timer_ms > 0;
CREATE INDEX request_retry ON request (retry_ms) WHERE retry_ms > 0;
CREATE INDEX request_stuck ON request (created_ms, id) WHERE stuck;
CREATE INDEX request_standing ON request (standing_ms) WHERE standing_ms > 0;
-- The requests with events after the last checkpoint.
CREATE INDEX request_unsealed ON request (updated_ms) WHERE chain_seq > sealed_seq;
-- The requests of a submitter with a content under a policy.
CREATE INDEX request_content ON request (submitted_by_id, policy_key, context_hash, id);
-- The figures of policies: the last changed requests of a status.
CREATE INDEX request_updated ON request (status, updated_ms);
-- Lists: each order has an index by status, and one for the filter that narrows it most.
CREATE INDEX request_created ON request (status, created_ms, id);
CREATE INDEX request_policy ON request (policy_key, status, created_ms, id);
CREATE INDEX request_priority ON request (status, urgency, created_ms, id);
CREATE INDEX request_due ON request (status, due_ms, created_ms, id) WHERE due_ms > 0;
CREATE INDEX request_requester ON request (requester_id, status, created_ms, id);
CREATE INDEX request_artifact ON request (artifact_id);
CREATE INDEX request_labels ON request USING gin (labels jsonb_path_ops);
-- The search by a part of the title or artifact id. pg_trgm comes with PostgreSQL, and the
-- owner of a database may create it; without it a search reads the requests.
-- +goose StatementBegin
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX request_search ON request USING gin (search_text gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no index of searches: %', SQLERRM;
END $$;
-- +goose StatementEnd

-- The context of a request before its requester changed it. The present context is in
-- request.
CREATE TABLE revision (
  request_id   uuid NOT NULL REFERENCES request,
  number       integer NOT NULL, -- from 1
  context      text NOT NULL,
  context_hash text NOT NULL,
  ended_ms     bigint NOT NULL, -- when the next revision began
  PRIMARY KEY (request_id, number)
);

-- A person with a part in a request, now or before, for the lists of that person's requests. Like task and inbox it
-- follows from the document and is written with it.
CREATE TABLE participant (
  user_id    text NOT NULL,
  created_ms bigint NOT NULL, -- of the request
  request_id uuid NOT NULL,
  approver   boolean NOT NULL, -- is or was assignee, candidate, delegate or delegator
  reader     boolean NOT NULL, -- has a part now, or decided
  live       boolean NOT NULL, -- has a task or may claim one of a running stage, or could if others left it
  PRIMARY KEY (user_id, created_ms, request_id)
);
CREATE INDEX participant_approver ON participant (user_id) WHERE approver;
CREATE INDEX participant_live ON participant (user_id, request_id) WHERE live;
CREATE INDEX participant_request ON participant (request_id);

-- ---------------------------------------------------------------------------------------
-- Delegations, tasks and inboxes
-- ---------------------------------------------------------------------------------------

-- For a time, delegate_id may claim and decide the tasks of user_id.
CREATE TABLE delegation (
  id            uuid PRIMARY KEY,
  user_id       text NOT NULL,
  delegate_id   text NOT NULL,
  starts_ms     bigint NOT NULL,
  ends_ms       bigint NOT NULL,
  reason        text NOT NULL,
  scope         text NOT NULL, -- JSON
  started       boolean NOT NULL, -- the event is written
  ended         boolean NOT NULL,
  warnings      text NOT NULL, -- JSON
  created_by    text NOT NULL, -- id of a user; so is the next
  revoked_by    text NOT NULL, -- empty without one
  created_ms    bigint NOT NULL,
  updated_ms    bigint NOT NULL,
  revoked_ms    bigint NOT NULL
);
CREATE INDEX delegation_user ON delegation (user_id, ends_ms) WHERE revoked_ms = 0;
CREATE INDEX delegation_delegate ON delegation (delegate_id, created_ms, id);
CREATE INDEX delegation_created ON delegation (created_ms, id);
CREATE INDEX delegation_to_start ON delegation (starts_ms) WHERE NOT started AND revoked_ms = 0;
CREATE INDEX delegation_to_end ON delegation (ends_ms) WHERE NOT ended AND revoked_ms = 0;

-- A task of one approver, or an unassigned task of a pool, for lists.
CREATE TABLE task (
  id            uuid PRIMARY KEY,
  request_id    uuid NOT NULL,
  policy_key    text NOT NULL,
  artifact_type text NOT NULL,
  stage_key     text NOT NULL,
  run           integer NOT NULL, -- of the stage
  kind          text NOT NULL CHECK (kind IN ('approver', 'rescue')),
  status        text NOT NULL CHECK (status IN ('open', 'claimed', 'completed', 'skipped', 'cancelled')),
  urgency       bigint NOT NULL, -- of the request's priority; 0 is the most urgent
  assignee_id   text NOT NULL,
  claimed_by_id text NOT NULL, -- the assignee or a delegate of theirs
  action        text NOT NULL, -- of the decision, like the next two; empty without one
  actor_id      text NOT NULL,
  decided_ms    bigint NOT NULL,
  created_ms    bigint NOT NULL,
  due_ms        bigint NOT NULL -- of the run
);
CREATE INDEX task_request ON task (request_id);
-- The order by time merges the urgencies.
CREATE INDEX task_status ON task (status, urgency, created_ms, id);
CREATE INDEX task_assignee ON task (assignee_id, status, urgency, created_ms, id) WHERE assignee_id <> '';
-- The order by due date. Tasks without a date have no entries.
CREATE INDEX task_due ON task (status, due_ms, created_ms, id) WHERE due_ms > 0;
CREATE INDEX task_assignee_due ON task (assignee_id, status, due_ms, created_ms, id) WHERE assignee_id <> '' AND due_ms > 0;

-- A person who may act on a task now. The key serves both orders.
CREATE TABLE inbox (
  user_id       text NOT NULL,
  policy_key    text NOT NULL,
  stage_key     text NOT NULL,
  artifact_type text NOT NULL,
  kind          text NOT NULL,
  role          text NOT NULL CHECK (role IN ('holder', 'candidate')),
  status        text NOT NULL CHECK (status IN ('open', 'claimed')),
  urgency       bigint NOT NULL,
  created_ms    bigint NOT NULL, -- of the task
  task_id       uuid NOT NULL,
  request_id    uuid NOT NULL,
  due_ms        bigint NOT NULL DEFAULT 0, -- of the run
  delegable     boolean NOT NULL, -- delegations give a right
  PRIMARY KEY (user_id, role, urgency, created_ms, task_id)
    INCLUDE (request_id)
);
CREATE INDEX inbox_due ON inbox (user_id, role, due_ms, created_ms, task_id) INCLUDE (request_id) WHERE due_ms > 0;

-- ---------------------------------------------------------------------------------------
-- Audit
-- ---------------------------------------------------------------------------------------

-- The end of the chain of the service's own events. The end of a request's chain is in its
-- row.
CREATE TABLE chain (
  name        text PRIMARY KEY,
  seq         bigint NOT NULL,
  hash        text NOT NULL,
  -- The last signed checkpoint; sealed_ms is 0 before the first.
  sealed_seq  bigint NOT NULL DEFAULT 0,
  sealed_hash text NOT NULL DEFAULT '',
  sealed_ms   bigint NOT NULL DEFAULT 0,
  checkpoint  text NOT NULL DEFAULT '', -- JWS
  invalid     bigint NOT NULL DEFAULT 0 -- invalid chains of the last pass
);
INSERT INTO chain (name, seq, hash) VALUES ('service', 0, '');

-- An event of a chain. The body is the evidence; actor_id and the columns after it repeat
-- it, for the search, and the verification compares them. Events of a request's chain leave
-- request_id, resource_type and resource_id empty. Ids are in the order of time.
CREATE TABLE event (
  id            uuid PRIMARY KEY,
  chain         text NOT NULL, -- the id of a request, or service
  seq           bigint NOT NULL CHECK (seq > 0),
  type          text NOT NULL,
  at_ms         bigint NOT NULL,
  body          text NOT NULL, -- the event as canonical JSON: the bytes that are hashed
  hash          text NOT NULL,
  actor_id      text NOT NULL,
  request_id    text NOT NULL,
  resource_type text NOT NULL,
  resource_id   text NOT NULL,
  outcome       text NOT NULL, -- empty for a success
  CONSTRAINT event_seq UNIQUE (chain, seq)
);
CREATE INDEX event_actor ON event (actor_id, id);
CREATE INDEX event_denied ON event (id) WHERE outcome = 'denied';
CREATE INDEX event_service ON event (id) WHERE chain = 'service';
CREATE INDEX event_service_resource ON event (resource_id, id) WHERE chain = 'service';
CREATE INDEX event_service_request ON event (request_id) WHERE chain = 'service' AND request_id <> '';
-- Events of the types that every request has are read in the order of their ids, and need no
-- entry here.
CREATE INDEX event_type ON event (type, id) WHERE type NOT IN (
  'request.created', 'stage.started', 'task.created', 'task.decided', 'task.closed', 'stage.approved',
  'request.approved');

-- The names of a person whom events identify by id. A row may be deleted: the chains stay
-- valid without it.
CREATE TABLE person (
  id              text PRIMARY KEY,
  username        text NOT NULL,
  name            text NOT NULL,
  email           text NOT NULL,
  folded_id       text NOT NULL,
  folded_username text NOT NULL,
  folded_name     text NOT NULL
);

-- The refusals of one person, object and code, of which at most one event a minute is
-- written.
CREATE TABLE denial (
  actor_id   text NOT NULL,
  object     text NOT NULL,
  code       text NOT NULL,
  since_ms   bigint NOT NULL, -- the last event
  suppressed bigint NOT NULL, -- refusals after it
  unreported bigint NOT NULL, -- refusals before it that have no event
  PRIMARY KEY (actor_id, object, code)
);
CREATE INDEX denial_since ON denial (since_ms);

-- Events and revisions are evidence: rows are added and never changed. A purge
-- may delete them after it has written an event audit.purged of the request into the
-- service's chain. Of the service's own chain only refusals can be deleted.
-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
END $$;
-- +goose StatementEnd
CREATE TRIGGER event_no_update BEFORE UPDATE OR TRUNCATE ON event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER revision_no_update BEFORE UPDATE OR TRUNCATE ON revision
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION refuse_unpurged_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.chain <> 'service' THEN
    PERFORM FROM event t
      WHERE t.chain = 'service' AND t.request_id <> '' AND t.request_id = OLD.chain AND t.type = 'audit.purged';
    IF FOUND THEN
      RETURN OLD;
    END IF;
  ELSIF OLD.type = 'auth.denied' AND OLD.seq <= (
    SELECT (t.body::json -> 'purged' ->> 'last')::bigint FROM event t
    WHERE t.chain = 'service' AND t.resource_id = 'service' AND t.type = 'audit.purged' ORDER BY t.id DESC LIMIT 1
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of event are never changed, and deleted by a purge alone';
END $$;
-- +goose StatementEnd
CREATE TRIGGER event_no_delete BEFORE DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_unpurged_event();

-- +goose StatementBegin
CREATE FUNCTION refuse_unpurged_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM event t
    WHERE t.chain = 'service' AND t.request_id <> '' AND t.request_id = OLD.request_id::text
      AND t.type = 'audit.purged';
  IF FOUND THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of revision are never changed, and deleted by a purge alone';
END $$;
-- +goose StatementEnd
CREATE TRIGGER revision_no_delete BEFORE DELETE ON revision FOR EACH ROW EXECUTE FUNCTION refuse_unpurged_revision();

-- The definition of a version changes only as a draft, and no version becomes a draft again.
-- +goose StatementBegin
CREATE FUNCTION refuse_changed_definition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a definition changes only as a draft';
END $$;
-- +goose StatementEnd
CREATE TRIGGER policy_version_no_update BEFORE UPDATE ON policy_version FOR EACH ROW WHEN (
  OLD.status <> 'draft' AND (NEW.status = 'draft'
    OR (NEW.policy_key, NEW.number, NEW.folded_name, NEW.labels, NEW.definition, NEW.content_hash)
      IS DISTINCT FROM (OLD.policy_key, OLD.number, OLD.folded_name, OLD.labels, OLD.definition, OLD.content_hash)))
  EXECUTE FUNCTION refuse_changed_definition();

-- A final status never changes, nor does the content that it is about.
-- +goose StatementBegin
CREATE FUNCTION refuse_changed_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a final status never changes';
END $$;
-- +goose StatementEnd
CREATE TRIGGER request_final BEFORE UPDATE ON request FOR EACH ROW WHEN (
  OLD.status IN ('approved', 'rejected', 'cancelled', 'expired')
  AND (NEW.status, NEW.context_hash, NEW.completed_ms) IS DISTINCT FROM (OLD.status, OLD.context_hash, OLD.completed_ms))
  EXECUTE FUNCTION refuse_changed_final();

-- Only an approval has a standing. Its end is final, and so is the end of its validity.
-- +goose StatementBegin
CREATE FUNCTION refuse_changed_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the end of an approval never changes';
END $$;
-- +goose StatementEnd
CREATE TRIGGER request_standing_final
  BEFORE UPDATE OF standing, valid_until_ms ON request FOR EACH ROW WHEN (
    NEW.standing <> '' AND NEW.status <> 'approved'
    OR OLD.status = 'approved' AND NEW.valid_until_ms <> OLD.valid_until_ms
    OR OLD.standing <> '' AND NEW.standing <> OLD.standing)
  EXECUTE FUNCTION refuse_changed_standing();

-- The public part of each key that signed receipts. A key verifies receipts until it is distrusted.
CREATE TABLE signing_key (
  kid           text PRIMARY KEY,
  public        text NOT NULL, -- base64url, the x of the JWK
  since_ms      bigint NOT NULL,
  distrusted_ms bigint NOT NULL DEFAULT 0
);

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
  policy_keys       text NOT NULL, -- JSON
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
  event_id    uuid NOT NULL REFERENCES event,
  variant     text NOT NULL, -- the parts that it includes
  payload     text NOT NULL, -- JSON
  traceparent text NOT NULL,
  PRIMARY KEY (event_id, variant)
);

-- One event to one endpoint or callback. A delivery that is not done has the status sending
-- and a row in outbox. No index has the status, so that the outcome is written without an
-- index entry; rare_status is for lists. A delivery outlives its endpoint.
CREATE TABLE delivery (
  id               uuid PRIMARY KEY,
  event_id         uuid NOT NULL REFERENCES event,
  variant          text NOT NULL, -- of the message
  event_type       text NOT NULL,
  subject          uuid REFERENCES request,
  sequence         bigint NOT NULL,
  endpoint_id      uuid, -- NULL for a callback
  endpoint         text NOT NULL,
  url              text NOT NULL,
  target           text NOT NULL, -- the endpoint, or the URL of a callback
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
) WITH (fillfactor = 60);
CREATE INDEX delivery_created ON delivery (created_ms, id);
CREATE INDEX delivery_endpoint ON delivery (endpoint, created_ms, id);
CREATE INDEX delivery_subject ON delivery (subject, created_ms, id);
CREATE INDEX delivery_type ON delivery (event_type, created_ms, id);
CREATE INDEX delivery_rare_status ON delivery (rare_status, created_ms, id) WHERE rare_status IS NOT NULL;

-- The queue: one row for each delivery that is not done. Senders read and write this table,
-- and delivery once at the end.
CREATE TABLE outbox (
  id          uuid PRIMARY KEY, -- of the delivery
  target      text NOT NULL, -- the endpoint, or the host of a callback: they share a limit of requests in flight
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
-- Notices to people
-- ---------------------------------------------------------------------------------------

-- The choice of a person. A person without a row gets frequent mail.
CREATE TABLE notice_setting (
  user_id    text PRIMARY KEY,
  mail       text NOT NULL CHECK (mail IN ('off', 'frequent', 'daily')),
  language   text NOT NULL, -- empty for that of the service
  zone       text NOT NULL -- empty for that of the service
);

-- A notice of a person. It has no names: the mail is written when it is sent.
CREATE TABLE notice_item (
  user_id    text NOT NULL,
  mail_id    text NOT NULL, -- the delivery of the mail; empty for the next one
  at_ms      bigint NOT NULL,
  event_id   uuid NOT NULL,
  kind       text NOT NULL,
  request_id text NOT NULL, -- empty for an event of no request
  due_ms     bigint NOT NULL, -- when the mail is sent at the latest
  PRIMARY KEY (user_id, mail_id, at_ms, event_id, kind)
);
CREATE INDEX notice_item_request ON notice_item (request_id);
CREATE INDEX notice_item_due ON notice_item (due_ms, user_id) WHERE mail_id = '';
CREATE INDEX notice_item_sent ON notice_item (at_ms) WHERE mail_id <> '';

-- ---------------------------------------------------------------------------------------
-- Calls, sessions and processes
-- ---------------------------------------------------------------------------------------

-- The stored reply of a call with an Idempotency-Key; status is 0 while the operation runs.
CREATE TABLE idempotency_key (
  principal   text NOT NULL,
  method      text NOT NULL,
  route       text NOT NULL,
  value       text NOT NULL,
  fingerprint text NOT NULL,
  status      integer NOT NULL,
  body        text NOT NULL,
  location    text NOT NULL DEFAULT '',
  etag        text NOT NULL DEFAULT '',
  expires_ms  bigint NOT NULL,
  PRIMARY KEY (principal, method, route, value)
) WITH (fillfactor = 40); -- the reply is written into the page of its key
CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_ms);
-- lz4 is the faster compression, where the server has it.
-- +goose StatementBegin
DO $$
BEGIN
  ALTER TABLE idempotency_key ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR syntax_error THEN
  RAISE NOTICE 'replies have the default compression: %', SQLERRM;
END $$;
-- +goose StatementEnd

-- A session of the pages for people. The key is a hash, so that a reader of the table cannot
-- use the session; the tokens are sealed.
CREATE TABLE session (
  id         text PRIMARY KEY, -- SHA-256 of the id in the cookie
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
