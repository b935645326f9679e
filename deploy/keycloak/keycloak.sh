#!/bin/sh
# A private, throw-away Keycloak for tests, without a container engine: the distribution
# from Maven Central, on a free port of 127.0.0.1, with a database in memory and the realm
# of realm.json.
#
#   keycloak.sh run CMD…   start one, run CMD with KEYCLOAK_URL set, stop it; the status is CMD's
#   keycloak.sh parts      print the folders of Java and of the distribution, for an image
#
# Where none can be started CMD runs as well, with KEYCLOAK_MISSING set to the reason. A distribution with a wrong checksum is an error.
#
# It needs Java 21 or newer, of JAVA_HOME, in PATH or below /usr/lib/jvm, and for the first
# time Maven and unzip. The distribution is kept in .cache; KEYCLOAK_HEAP bounds its memory.
set -eu

version=26.5.7 # as in docker-compose.yml
sha256=7c38073ca48702f7d5e992508681d45027ba309ea2633ce8bef92343c795d729
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.8.1

here=$(cd "$(dirname "$0")" && pwd)
cache=$(cd "$here/../.." && pwd)/.cache/keycloak
home=$cache/keycloak-$version

say() { echo "keycloak.sh: $*" >&2; }
die() { say "$*"; exit 1; }

# missing ends what start does; its words are the reason.
missing() { reason="$*"; return 1; }

# find_java sets java_home to that of a Java 21 or newer.
find_java() {
	for java in "${JAVA_HOME:-}/bin/java" "$(command -v java || true)" /usr/lib/jvm/*/bin/java; do
		[ -x "$java" ] || continue
		major=$("$java" -version 2>&1 | sed -n 's/^[a-z]* version "\([0-9]*\).*/\1/p')
		if [ "${major:-0}" -ge 21 ]; then
			java_home=$(dirname "$(dirname "$(readlink -f "$java")")")
			return 0
		fi
	done
	missing "no Java 21 or newer in JAVA_HOME, PATH or /usr/lib/jvm"
}

# fetch unpacks the distribution into the cache, once.
fetch() {
	[ ! -e "$home/bin/kc.sh" ] || return 0
	command -v mvn >/dev/null || missing "no Maven to fetch Keycloak $version with" || return 1
	command -v unzip >/dev/null || missing "no unzip to unpack Keycloak $version with" || return 1
	mkdir -p "$cache"
	say "fetching Keycloak $version"
	mvn -B -q "$plugin:copy" -Dartifact="org.keycloak:keycloak-quarkus-dist:$version:zip" -DoutputDirectory="$cache" >"$cache/fetch.log" 2>&1 ||
		missing "Maven could not fetch Keycloak $version; see $cache/fetch.log" || return 1
	zip=$cache/keycloak-quarkus-dist-$version.zip
	echo "$sha256  $zip" | sha256sum -c - >/dev/null || die "$zip has another checksum than $sha256"
	rm -rf "$cache/unpack"
	unzip -q "$zip" -d "$cache/unpack"
	mv "$cache/unpack/keycloak-$version" "$home"
	rm -r "$cache/unpack" "$zip"
}

# start starts Keycloak and sets pid and url, or reason and a status.
start() {
	find_java || return 1
	fetch || return 1
	mkdir -p "$home/data/import"
	cp "$here/realm.json" "$home/data/import/realm.json"
	log=$cache/keycloak.log
	# It lives too short for the better compiler to pay, and uses what newer versions of Java
	# keep closed.
	# Ports that look free may be taken by the time they are used: try again.
	for attempt in 1 2 3; do
		port=$(awk -v seed="$$$attempt" 'BEGIN { srand(seed + srand()); print 20000 + int(rand() * 12000) }')
		url=http://127.0.0.1:$port
		say "starting Keycloak $version; a minute or two"
		# Its metadata names the registrar of the tests, on the next port but one.
		metadata=$cache/metadata.$port.json
		echo "{\"registration_endpoint\": \"http://127.0.0.1:$((port + 2))/v1/registrar/register\"}" >"$metadata"
		JAVA_HOME=$java_home JAVA_OPTS_KC_HEAP="-Xms128m -Xmx${KEYCLOAK_HEAP:-512m}" JAVA_OPTS_APPEND="-XX:TieredStopAtLevel=1 --add-opens=java.base/java.lang=ALL-UNNAMED" \
			KC_BOOTSTRAP_ADMIN_USERNAME=admin KC_BOOTSTRAP_ADMIN_PASSWORD=admin-local-only \
			"$home/bin/kc.sh" start-dev --import-realm --db=dev-mem --http-host=127.0.0.1 --http-port="$port" --hostname="$url" \
			--http-management-host=127.0.0.1 --http-management-port="$((port + 1))" \
			--spi-well-known--openid-configuration--openid-configuration-override="$metadata" \
			--spi-well-known--oauth-authorization-server--openid-configuration-override="$metadata" >"$log" 2>&1 </dev/null &
		pid=$!
		wait_ready && return 0
		stop
		grep -q 'already bound\|Address already in use\|port.* in use' "$log" || break
	done
	tail -n 20 "$log" >&2
	missing "Keycloak $version did not start; see $log"
}

# wait_ready waits until the realm is served, for 5 minutes at most.
wait_ready() {
	for _ in $(seq 300); do
		if curl -sf -o /dev/null "$url/realms/countersign"; then return 0; fi
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 1
	done
	return 1
}

stop() {
	[ -n "$pid" ] || return 0
	kill "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	pid=
	rm -f "$metadata"
}

case "${1:-}" in
run)
	shift
	[ $# -gt 0 ] || die "run what?"
	pid=
	# A signal that reaches only this script takes effect once CMD is over.
	trap stop EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	status=0
	if start; then
		KEYCLOAK_URL=$url "$@" || status=$?
	else
		say "$reason"
		KEYCLOAK_MISSING=$reason "$@" || status=$?
	fi
	exit "$status"
	;;
parts)
	find_java && fetch || die "$reason"
	echo "$java_home $home"
	;;
*)
	sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$0" >&2
	exit 2
	;;
esac
