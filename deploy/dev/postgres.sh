#!/bin/sh
# A private, throw-away PostgreSQL for tests and benches: a cluster in a temporary
# folder, on a free port of 127.0.0.1, that accepts every user of that port.
#
#   postgres.sh run CMD…   start one, run CMD with TEST_POSTGRES_URL set, stop it; the status is CMD's
#   postgres.sh start      start one and print its URL
#   postgres.sh url        print the URL of the one that start started
#   postgres.sh stop       stop it and remove its data
#
# POSTGRES_FSYNC=on makes commits survive a power cut, as in production; use it for
# benches. By default it is off: the data is thrown away, and tests run faster. For
# the same reason the data then lies in /dev/shm if there is room; each test creates
# a database, which takes 25 ms there and 250 ms on a disk.
#
# PostgreSQL refuses to run as root, so as root this runs it as the user postgres,
# or nobody where there is none. If the binaries are missing and the user is root,
# the distribution's package is installed.
set -eu

fsync=${POSTGRES_FSYNC:-off}
state=$(cd "$(dirname "$0")/../.." && pwd)/.data/dev-postgres # holds the folder that start made

say() { echo "postgres.sh: $*" >&2; }
die() { say "$*"; exit 1; }

# find_binaries sets bin to the folder that holds initdb and postgres.
find_binaries() {
	bin=
	for initdb in "$(command -v initdb || true)" $(ls -d /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb /usr/libexec/postgresql*/initdb 2>/dev/null | sort -rV); do
		if [ -x "$initdb" ] && [ -x "$(dirname "$initdb")/postgres" ]; then
			bin=$(dirname "$initdb")
			return 0
		fi
	done
	return 1
}

install_binaries() {
	[ "$(id -u)" = 0 ] || die "no PostgreSQL server here (looked for initdb in PATH and /usr/lib/postgresql); install it, or set TEST_POSTGRES_URL"
	say "no PostgreSQL server here; installing the distribution's package"
	if command -v apt-get >/dev/null; then
		apt-get update -qq >&2
		# Without this the package would create and start a cluster of its own.
		mkdir -p /etc/postgresql-common/createcluster.d
		echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/countersign.conf
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >&2
	elif command -v dnf >/dev/null; then
		dnf install -y -q postgresql-server >&2
	elif command -v apk >/dev/null; then
		apk add -q postgresql >&2
	else
		die "found none of apt-get, dnf and apk; install PostgreSQL, or set TEST_POSTGRES_URL"
	fi
}

# as_server runs its arguments as the user that owns the cluster.
as_server() {
	if [ "$(id -u)" != 0 ]; then
		"$@"
	elif command -v setpriv >/dev/null && setpriv --help 2>&1 | grep -q -- --reuid; then
		setpriv --reuid="$server" --regid="$(id -g "$server")" --clear-groups -- "$@"
	elif command -v runuser >/dev/null; then
		runuser -u "$server" -- "$@"
	else
		su -s /bin/sh "$server" -c 'exec "$0" "$@"' -- "$@" # busybox
	fi
}

# base prints the folder to put the cluster's folder in.
base() {
	if [ -n "${TMPDIR:-}" ]; then
		echo "$TMPDIR"
	elif [ "$fsync" = off ] && [ -w /dev/shm ] && [ "$(df -Pk /dev/shm | awk 'NR == 2 { print $4 }')" -gt 2000000 ]; then
		echo /dev/shm
	else
		echo /tmp
	fi
}

# start makes a cluster and sets dir and url.
start() {
	find_binaries || { install_binaries && find_binaries; } || die "the package brought no initdb"
	server=$(id -un)
	if [ "$server" = root ]; then
		server=nobody
		if id postgres >/dev/null 2>&1; then server=postgres; fi
	fi
	dir=$(mktemp -d "$(base)/countersign-postgres.XXXXXX")
	if [ "$(id -u)" = 0 ]; then chown "$server" "$dir"; fi
	cd "$dir" # a folder the server's user may be in
	as_server "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$dir/log" 2>&1 || fail_start

	# A port that looks free may be taken by the time it is used: try again.
	for attempt in 1 2 3 4 5; do
		port=$(awk -v seed="$$$attempt" 'BEGIN { srand(seed + srand()); print 20000 + int(rand() * 12000) }')
		if as_server "$bin/pg_ctl" -D "$dir/data" -l "$dir/data/log" -w -t 60 -s start -o "-p $port -c listen_addresses=127.0.0.1 \
			-c unix_socket_directories='' -c max_connections=400 -c fsync=$fsync -c synchronous_commit=on \
			-c full_page_writes=$fsync -c shared_buffers=128MB -c max_wal_size=1GB" >>"$dir/log" 2>&1 </dev/null; then
			url="postgres://postgres@127.0.0.1:$port/postgres?sslmode=disable"
			return
		fi
	done
	fail_start
}

fail_start() {
	cat "$dir/log" "$dir/data/log" >&2 2>/dev/null || true
	rm -rf "$dir"
	die "could not start $bin/postgres"
}

# stop ends the cluster in dir and removes it.
stop() {
	as_server "$bin/pg_ctl" -D "$dir/data" -m immediate -w -s stop >/dev/null 2>&1 || true
	cd /
	rm -rf "$dir"
}

case "${1:-}" in
run)
	shift
	[ $# -gt 0 ] || die "run what?"
	home=$PWD
	start
	# A signal that reaches only this script takes effect once CMD is over.
	trap stop EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	cd "$home"
	status=0
	TEST_POSTGRES_URL=$url "$@" || status=$?
	exit "$status"
	;;
start)
	if [ -e "$state" ]; then
		dir=$(sed -n 1p "$state") bin=$(sed -n 3p "$state") server=$(sed -n 4p "$state")
		! as_server "$bin/pg_ctl" -D "$dir/data" status >/dev/null 2>&1 || die "already started: $(sed -n 2p "$state")"
		rm -rf "$dir" "$state" # of a server that did not survive a restart of the machine
	fi
	start
	mkdir -p "$(dirname "$state")"
	printf '%s\n%s\n%s\n%s\n' "$dir" "$url" "$bin" "$server" >"$state"
	echo "$url"
	;;
url)
	[ -e "$state" ] || die "not started"
	sed -n 2p "$state"
	;;
stop)
	[ -e "$state" ] || die "not started"
	dir=$(sed -n 1p "$state") bin=$(sed -n 3p "$state") server=$(sed -n 4p "$state")
	stop
	rm -f "$state"
	;;
*)
	sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$0" >&2
	exit 2
	;;
esac
