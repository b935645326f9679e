-- The rights of the role of the service: migrate --grant-to ROLE runs this as the owner of the tables, who migrates
-- and purges, with ROLE in place of the name here. The service then starts with serve --migrate=false.
GRANT USAGE ON SCHEMA public TO registrar_app;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO registrar_app;
GRANT INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO registrar_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO registrar_app;

-- Evidence is added and never changed. The owner migrates.
REVOKE UPDATE ON client_event, catalog_event FROM registrar_app;
REVOKE INSERT, UPDATE ON goose_db_version FROM registrar_app;

-- A registration that the identity provider has refused is deleted, with what is owed for it.
GRANT DELETE ON client, client_key, idp_call, provider_record TO registrar_app;

-- What the identity provider has again as it is here does not differ any more.
GRANT DELETE ON difference TO registrar_app;

-- What is sent is no longer due, and admins delete endpoints.
GRANT DELETE ON outbox, endpoint TO registrar_app;

-- A process that ends takes its heartbeat with it, and those of the dead.
GRANT DELETE ON process TO registrar_app;

-- While writes fail the service tries whether they work again, with a row that it deletes.
GRANT DELETE ON write_probe TO registrar_app;

-- Tokens of the standard door end.
GRANT DELETE ON initial_token, registration_token TO registrar_app;

-- Sessions of the console end, with their forms and the logouts of the issuer.
GRANT DELETE ON session, logout TO registrar_app;
