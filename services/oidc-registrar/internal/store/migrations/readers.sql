-- The rights of a role that reads, without secrets: migrate --grant-read-to ROLE runs this with ROLE in place of the
-- name here.
GRANT USAGE ON SCHEMA public TO registrar_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO registrar_reader;
REVOKE SELECT ON provider_record, service_key, endpoint, initial_token, registration_token, session FROM registrar_reader;
