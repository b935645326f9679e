#!/bin/sh
# The entry point of the stand-in of the postgres image: it initialises an empty PGDATA, runs the scripts of
# /docker-entrypoint-initdb.d once, without a TCP port, and then serves.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
export PATH POSTGRES_USER=postgres POSTGRES_DB=postgres PGUSER=postgres

if [ ! -s "$PGDATA/PG_VERSION" ]; then
	printf %s "$POSTGRES_PASSWORD" >/tmp/password
	initdb --username=postgres --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8
	rm /tmp/password
	echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
	pg_ctl --wait --options="-c listen_addresses=''" start
	for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
	pg_ctl --wait --mode=fast stop
fi
exec "$@" -c listen_addresses='*'
