-- +goose Up

-- The requests in which somebody has a part are listed by when they were made, and by what
-- never changes of them. So a participant has that too.
CREATE TABLE participant_before AS
  SELECT p.user_id, r.policy_key, r.artifact_type, r.created_ms, r.id AS request_id FROM participant p JOIN request r ON r.id = p.request_id;
TRUNCATE participant;
ALTER TABLE participant DROP CONSTRAINT participant_pkey,
  ADD COLUMN policy_key text NOT NULL DEFAULT '', ADD COLUMN artifact_type text NOT NULL DEFAULT '', ADD COLUMN created_ms bigint NOT NULL DEFAULT 0;
INSERT INTO participant (user_id, policy_key, artifact_type, created_ms, request_id)
  SELECT user_id, policy_key, artifact_type, created_ms, request_id FROM participant_before ORDER BY 1, 2, 3, 4, 5;
DROP TABLE participant_before;
ALTER TABLE participant ADD PRIMARY KEY (user_id, policy_key, artifact_type, created_ms, request_id);

-- The program of the version before may still run, and does not write these.
-- +goose StatementBegin
CREATE FUNCTION file_participant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT r.policy_key, r.artifact_type, r.created_ms INTO STRICT NEW.policy_key, NEW.artifact_type, NEW.created_ms FROM request r WHERE r.id = NEW.request_id;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER participant_filed BEFORE INSERT ON participant FOR EACH ROW WHEN (NEW.policy_key = '') EXECUTE FUNCTION file_participant();

-- Each order is read from runs that have one status; what nobody narrows is all of them.
DROP INDEX request_created;
DROP INDEX request_policy;
DROP INDEX request_requester;
DROP INDEX request_updated;
CREATE INDEX request_filed ON request (policy_key, artifact_type, status, created_ms, id);
CREATE INDEX request_requester ON request (requester_id, status, updated_ms, id);
CREATE INDEX request_updated ON request (status, updated_ms, id);

-- +goose StatementBegin
DO $$
BEGIN
  IF EXISTS (SELECT FROM request) THEN
    ANALYZE participant;
    ANALYZE request;
  END IF;
END $$;
-- +goose StatementEnd
