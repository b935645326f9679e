-- What the role of wf may do, and no more. The owner of the tables, who migrates and
-- purges, runs this after every migration:
--
--   psql "$OWNER_URL" -v ON_ERROR_STOP=1 -f deploy/postgres/wf-roles.sql
--
-- The service then starts as wf_app with `wf serve --migrate=false`. wf_reader is for
-- people who look.
GRANT USAGE ON SCHEMA public TO wf_app, wf_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO wf_app, wf_reader;
GRANT INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO wf_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO wf_app;

-- Evidence is added and never changed. Who has the schema migrated is the owner.
REVOKE UPDATE ON event, decision, revision FROM wf_app;
REVOKE INSERT, UPDATE ON goose_db_version FROM wf_app;

-- What follows from something else, or what an admin may delete.
GRANT DELETE ON idempotency_key, denial, inbox, outbox, process, stage_candidate, endpoint, policy_version, session, logout, notice_setting, notice_item TO wf_app;

-- While writes fail the service tries whether they work again, with a row that it deletes.
GRANT DELETE ON write_probe TO wf_app;

-- Secrets are not for people who look.
REVOKE SELECT ON endpoint, service_key, idempotency_key, session FROM wf_reader;
