-- The life of an approval after the decision.

-- +goose Up

-- standing is empty while an approval is in force, else its end. valid_until_ms is the end of its
-- validity; before the approval, the end that the content sets. standing_ms is when an approval in
-- force lapses. An approval without these values is in force without an end.
ALTER TABLE request
  ADD COLUMN standing       text NOT NULL DEFAULT '',
  ADD COLUMN valid_until_ms bigint NOT NULL DEFAULT 0,
  ADD COLUMN standing_ms    bigint NOT NULL DEFAULT 0,
  ADD COLUMN lapse_notified boolean NOT NULL DEFAULT false, -- the notice before the lapse is written
  ADD COLUMN ended_ms       bigint NOT NULL DEFAULT 0,
  ADD COLUMN ended_by_id    text NOT NULL DEFAULT '',
  ADD COLUMN ended_by       text NOT NULL DEFAULT '', -- JSON
  ADD COLUMN end_reason     text NOT NULL DEFAULT '';
CREATE INDEX request_standing ON request (standing_ms) WHERE standing_ms > 0;

-- Only an approval has a standing. Its end is final, and so is the end of its validity. The columns are
-- of this file, so the trigger refuses no write of the version before.
-- +goose StatementBegin
CREATE FUNCTION refuse_changed_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the end of an approval never changes';
END $$;
-- +goose StatementEnd
CREATE TRIGGER request_standing_final
  BEFORE UPDATE OF standing, valid_until_ms, ended_ms, ended_by_id, end_reason ON request FOR EACH ROW WHEN (
    NEW.standing <> '' AND NEW.status <> 'approved'
    OR OLD.status = 'approved' AND NEW.valid_until_ms <> OLD.valid_until_ms
    OR OLD.standing <> '' AND (NEW.standing, NEW.ended_ms, NEW.ended_by_id, NEW.end_reason)
      IS DISTINCT FROM (OLD.standing, OLD.ended_ms, OLD.ended_by_id, OLD.end_reason))
  EXECUTE FUNCTION refuse_changed_standing();
