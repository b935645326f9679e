-- The rights of a role that reads, without secrets: migrate --grant-read-to ROLE runs this with ROLE in place of the
-- name here.
GRANT USAGE ON SCHEMA public TO wf_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO wf_reader;
REVOKE SELECT ON endpoint, service_key, idempotency_key, session FROM wf_reader;
