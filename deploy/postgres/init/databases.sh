#!/bin/sh
# A database for each service, and a role that can use that one and no other. The
# postgres image runs this once, when its volume is empty; the passwords come from
# deploy/postgres.env.
set -eu

# create makes a database and the role of the same name, whose password is in the
# named variable. The role owns what it makes, not the database.
create() {
	psql -v ON_ERROR_STOP=1 --no-psqlrc -q -U "$POSTGRES_USER" -d "$POSTGRES_DB" -v name="$1" -v variable="$2" <<-'SQL'
		\getenv password :variable
		CREATE ROLE :"name" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
		CREATE DATABASE :"name";
		REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
		GRANT CONNECT ON DATABASE :"name" TO :"name";
		\connect :"name"
		REVOKE ALL ON SCHEMA public FROM PUBLIC;
		GRANT USAGE, CREATE ON SCHEMA public TO :"name";
	SQL
}
create wf WF_PASSWORD
create oidc_registrar REGISTRAR_PASSWORD

psql -v ON_ERROR_STOP=1 --no-psqlrc -q -U "$POSTGRES_USER" -d "$POSTGRES_DB" \
	-c 'REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC'
