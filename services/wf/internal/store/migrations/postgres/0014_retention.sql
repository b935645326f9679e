-- +goose Up

-- Events and decisions are evidence: they are added and never changed. They are deleted
-- when an event audit.purged in the service's chain stands for them, which is written
-- before. Of the service's own chain refusals alone can go.
DROP TRIGGER event_unchanged ON event;
DROP TRIGGER decision_unchanged ON decision;
CREATE TRIGGER event_unchanged BEFORE UPDATE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decision_unchanged BEFORE TRUNCATE ON decision FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION refuse_unburied_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.chain <> 'service' THEN
    PERFORM FROM event t WHERE t.chain = 'service' AND t.request_id <> '' AND t.request_id = OLD.chain AND t.type = 'audit.purged';
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
CREATE TRIGGER event_buried BEFORE DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_unburied_event();

-- +goose StatementBegin
CREATE FUNCTION refuse_unburied_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM event t WHERE t.chain = 'service' AND t.request_id <> '' AND t.request_id = OLD.request_id::text AND t.type = 'audit.purged';
  IF FOUND THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of decision are never changed, and deleted by a purge alone';
END $$;
-- +goose StatementEnd
CREATE TRIGGER decision_buried BEFORE DELETE ON decision FOR EACH ROW EXECUTE FUNCTION refuse_unburied_decision();

-- The names of people in a decision are for its view alone, and may be erased. What else
-- it says stays: the chain of its request has it too.
-- +goose StatementBegin
CREATE FUNCTION nameless(decision text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT decision::jsonb #- '{actor,username}' #- '{on_behalf_of,username}' #- '{on_behalf_of,name}' #- '{on_behalf_of,email}'
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION refuse_changed_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.task_id, NEW.request_id, NEW.revision, NEW.action, NEW.actor_id, NEW.decided_ms)
    IS DISTINCT FROM (OLD.id, OLD.task_id, OLD.request_id, OLD.revision, OLD.action, OLD.actor_id, OLD.decided_ms)
    OR nameless(NEW.body) IS DISTINCT FROM nameless(OLD.body) THEN
    RAISE EXCEPTION 'rows of decision are never changed';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER decision_same BEFORE UPDATE ON decision FOR EACH ROW EXECUTE FUNCTION refuse_changed_decision();

-- Without an index on its column this would read every decision for each request that is
-- deleted. Decisions hang on tasks, and tasks on requests.
ALTER TABLE decision DROP CONSTRAINT decision_request_id_fkey;
