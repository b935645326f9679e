#!/bin/sh
# A Docker engine with Compose and buildx for tests.
#
#   docker.sh run CMD…   run CMD with an engine; the status is CMD's
#
# A running engine is used as it is. Without one, root on Debian gets docker.io installed and a dockerd with a
# socket and a data root of its own, which ends with CMD and its containers. The plugins of the command line are
# built from the Go module proxy where they are missing. Where no image registry can be reached, images.sh makes
# stand-ins of the base images, and CMD gets their names (GO_IMAGE and so on). Everything is kept in
# COUNTERSIGN_CACHE, ~/.cache/countersign if not set; dockerd runs once for each cache.
#
# Where there is no engine CMD runs as well, with DOCKER_MISSING set to the reason.
set -eu

compose=v2.35.1 # Compose and buildx whose client accepts the engine of Debian 12
buildx=v0.23.0

here=$(cd "$(dirname "$0")" && pwd)
cache=${COUNTERSIGN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/countersign}

say() { echo "docker.sh: $*" >&2; }
die() { say "$*"; exit 1; }
missing() { reason="$*"; return 1; }

# start sets DOCKER_HOST and starts dockerd unless an engine runs.
start() {
	if command -v docker >/dev/null && docker version >/dev/null 2>&1; then return 0; fi
	[ "$(id -u)" = 0 ] || missing "no Docker engine, and only root can start one" || return 1
	if ! command -v dockerd >/dev/null; then
		command -v apt-get >/dev/null || missing "no Docker engine, and no apt-get to install docker.io with" || return 1
		say "installing docker.io"
		apt-get update -qq >&2
		# Without this the package would start a dockerd for the whole machine.
		printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker.io iptables >&2
		rm /usr/sbin/policy-rc.d
	fi
	mkdir -p "$cache/docker"
	exec 9>"$cache/docker/lock"
	flock -n 9 || die "another docker.sh uses $cache"
	dir=$(mktemp -d /tmp/countersign-docker.XXXXXX) # a short path: it holds sockets
	export DOCKER_HOST="unix://$dir/docker.sock"
	setsid dockerd --host "$DOCKER_HOST" --data-root "$cache/docker/data" --exec-root "$dir/exec" --pidfile "$dir/pid" \
		>"$dir/log" 2>&1 </dev/null 9>&- &
	pid=$!
	for _ in $(seq 60); do
		if docker version >/dev/null 2>&1; then return 0; fi
		kill -0 "$pid" 2>/dev/null || break
		sleep 1
	done
	tail -n 20 "$dir/log" >&2
	stop
	missing "dockerd did not start"
}

stop() {
	[ -n "$pid" ] || return 0
	docker ps -aq 2>/dev/null | xargs -r docker rm -f >/dev/null 2>&1 || true
	kill "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	umount "$dir"/exec/netns/* 2>/dev/null || true # of containers and builds that ended with it
	rm -rf "$dir"
	pid=
}

# plugin makes a plugin of the docker command: name, module, version, variable of its version. Its module excludes
# versions, so that go install refuses it.
plugin() {
	if docker "$1" version >/dev/null 2>&1; then return 0; fi
	mkdir -p "$DOCKER_CONFIG/cli-plugins"
	say "building docker $1 $3"
	source=$(go mod download -json "$2@$3" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	[ -n "$source" ] || die "$2@$3 cannot be had from the Go module proxy"
	copy=$(mktemp -d)
	cp -R "$source/." "$copy" && chmod -R u+w "$copy"
	(cd "$copy" && GOFLAGS=-mod=mod GOWORK=off CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X $4=$3" \
		-o "$DOCKER_CONFIG/cli-plugins/docker-$1" "./cmd$5")
	rm -rf "$copy"
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
		export DOCKER_CONFIG="${DOCKER_CONFIG:-$cache/docker/config}"
		plugin compose github.com/docker/compose/v2 "$compose" github.com/docker/compose/v2/internal.Version ""
		plugin buildx github.com/docker/buildx "$buildx" github.com/docker/buildx/version.Version /buildx
		images=$("$here/images.sh" "$cache")
		# shellcheck disable=SC2086 # one word each
		env $images "$@" || status=$?
	else
		say "$reason"
		DOCKER_MISSING=$reason "$@" || status=$?
	fi
	exit "$status"
	;;
*)
	sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$0" >&2
	exit 2
	;;
esac
