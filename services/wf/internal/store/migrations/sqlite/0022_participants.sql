-- +goose Up

-- The requests in which somebody has a part are listed by when they were made, and by what
-- never changes of them. So a participant has that too.
ALTER TABLE participant RENAME TO participant_before;
CREATE TABLE participant (
  user_id       TEXT NOT NULL,
  policy_key    TEXT NOT NULL,
  artifact_type TEXT NOT NULL,
  created_ms    INTEGER NOT NULL,
  request_id    TEXT NOT NULL,
  PRIMARY KEY (user_id, policy_key, artifact_type, created_ms, request_id)
);
INSERT INTO participant (user_id, policy_key, artifact_type, created_ms, request_id)
  SELECT p.user_id, r.policy_key, r.artifact_type, r.created_ms, r.id FROM participant_before p JOIN request r ON r.id = p.request_id;
DROP TABLE participant_before;

-- Each order is read from runs that have one status; what nobody narrows is all of them.
DROP INDEX request_created;
DROP INDEX request_policy;
DROP INDEX request_requester;
DROP INDEX request_updated;
CREATE INDEX request_filed ON request (policy_key, artifact_type, status, created_ms, id);
CREATE INDEX request_requester ON request (requester_id, status, updated_ms, id);
CREATE INDEX request_updated ON request (status, updated_ms, id);
