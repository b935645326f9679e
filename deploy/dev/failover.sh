#!/bin/sh
# A network of its own for clusters of PostgreSQL under Patroni, as root on Debian.
#
#   failover.sh run CMD…   install patroni and etcd-server where they are missing, and run CMD in new
#                          network and mount namespaces, which end with it. The status is CMD's. Without the
#                          prerequisites CMD runs as it is, with the reason in COUNTERSIGN_FAILOVER_MISSING.
set -eu

missing() {
	echo "failover.sh: $*" >&2
	export COUNTERSIGN_FAILOVER_MISSING="$*"
}

have() {
	command -v patroni >/dev/null && command -v etcd >/dev/null && command -v ip >/dev/null &&
		ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1
}

# install installs the packages. Their services do not start.
install() {
	mkdir -p /etc/postgresql-common/createcluster.d
	echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/countersign.conf
	if [ ! -e /usr/sbin/policy-rc.d ]; then
		printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
		chmod 755 /usr/sbin/policy-rc.d
		trap 'rm -f /usr/sbin/policy-rc.d' EXIT
	fi
	apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		postgresql patroni python3-etcd etcd-server iproute2 util-linux >&2
	rm -f /usr/sbin/policy-rc.d
	trap - EXIT
}

case "${1:-}" in
run)
	shift
	[ $# -gt 0 ] || { echo "failover.sh: run what?" >&2; exit 2; }
	if [ "$(id -u)" != 0 ]; then
		missing "network namespaces need root"
	elif ! have && ! command -v apt-get >/dev/null; then
		missing "patroni and etcd are not here, and there is no apt-get"
	elif ! have && ! install; then
		missing "patroni and etcd-server cannot be installed"
	elif ! unshare --net --mount true 2>/dev/null; then
		missing "no network namespace can be created"
	fi
	[ -z "${COUNTERSIGN_FAILOVER_MISSING:-}" ] || exec "$@"
	exec unshare --net --mount --propagation private sh -c \
		'ip link set lo up; mkdir -p /run/netns; mount -t tmpfs tmpfs /run/netns; exec "$@"' failover.sh "$@"
	;;
*)
	sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$0" >&2
	exit 2
	;;
esac
