#!/bin/sh
# Stand-ins for the base images, from Debian's packages, for machines that reach no image registry. It prints
# their names as settings of docker-compose.yml, and nothing where the registry can be reached. A stand-in is
# made once for each content of this script and of its inputs.
#
#   images.sh CACHE
set -eu

cache=$1
cd "$(dirname "$0")/../.."
say() { echo "images.sh: $*" >&2; }

[ -z "${RUNTIME_IMAGE:-}" ] || exit 0 # the caller has images
real=$(sed -n 's/^ARG RUNTIME_IMAGE=//p' services/wf/Dockerfile)
if docker image inspect "$real" >/dev/null 2>&1 || timeout 60 docker pull -q "$real" >/dev/null 2>&1; then exit 0; fi

suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
key=$(sha256sum "$0" | cut -c1-12)-$suite
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

has() { docker image inspect "$1" >/dev/null 2>&1; }

# layer makes image $1 from image $2, the folder of files $3 and the instructions $4.
layer() {
	mkdir -p "$3"
	printf 'FROM %s\nCOPY . /\n%s\n' "$2" "$4" >"$work/Dockerfile"
	tar -C "$work" -c Dockerfile -C "$3" --exclude=./Dockerfile . | docker build -q -t "$1" - >&2
}

# One Debian for all of them: PostgreSQL, HAProxy, Prometheus and Alertmanager.
debian=countersign-base/debian:$key
if ! has "$debian"; then
	say "making stand-ins of the base images from Debian's packages; some minutes"
	command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap; } >&2
	debootstrap --variant=minbase --include=ca-certificates,tzdata,postgresql,haproxy,prometheus,prometheus-alertmanager \
		"$suite" "$work/root" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
	rm -rf "$work"/root/var/cache/apt/archives/*.deb "$work"/root/var/lib/apt/lists/*
	ln -s prometheus-alertmanager "$work/root/usr/bin/alertmanager"
	# With the CAs of this machine, which may be behind a proxy of its own.
	cp /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/"

	# What gcr.io/distroless/static has.
	for path in etc/ssl/certs/ca-certificates.crt usr/share/zoneinfo; do
		mkdir -p "$work/static/$(dirname "$path")"
		cp -R "$work/root/$path" "$work/static/$path"
	done
	echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' >"$work/static/etc/passwd"
	echo 'nonroot:x:65532:' >"$work/static/etc/group"
	mkdir -m 1777 "$work/static/tmp"
	tar -C "$work/static" -c . | docker import -c 'USER 65532' - "countersign-base/static:$key" >&2
	tar -C "$work/root" -c . | docker import - "$debian" >&2
fi

# The Go of this machine, with the modules of the programs as a file proxy.
go=countersign-base/go:$(cat services/*/go.sum test/go.sum | sha256sum | cut -c1-12)-$key
if ! has "$go"; then
	say "making the stand-in of the Go image"
	mkdir -p "$work/go/usr/local" "$work/go/go"
	cp -R "$(go env GOROOT)" "$work/go/usr/local/go"
	proxy="file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)"
	for module in services/wf services/oidc-registrar test; do
		(cd "$module" && GOMODCACHE="$work/mod" GOFLAGS=-modcacherw GOWORK=off GOPROXY=$proxy go mod download)
	done
	mv "$work/mod/cache/download" "$work/go/go/proxy"
	layer "$go" "$debian" "$work/go" 'ENV PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin GOTOOLCHAIN=local GOPATH=/go'
fi

# An entry point with the contract of the official image.
postgres=countersign-base/postgres:$key
if ! has "$postgres"; then
	mkdir -p "$work/postgres/usr/local/bin"
	cp deploy/dev/postgres-entrypoint.sh "$work/postgres/usr/local/bin/"
	layer "$postgres" "$debian" "$work/postgres" 'RUN install -d -o postgres -g postgres -m 700 /var/lib/postgresql/data \
  && install -d -o postgres -g postgres -m 3777 /run/postgresql
ENV PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["/usr/local/bin/postgres-entrypoint.sh"]
CMD ["postgres"]'
fi

# Mailpit from the Go module proxy, of the version in docker-compose.yml.
version=$(sed -n 's/.*axllent.mailpit:\(v[0-9.]*\)}.*/\1/p' docker-compose.yml)
mailpit=countersign-base/mailpit:$version-$key
if ! has "$mailpit"; then
	mkdir "$work/mailpit"
	if GOBIN=$work/mailpit GOFLAGS=-mod=mod GOWORK=off CGO_ENABLED=0 go install "github.com/axllent/mailpit@$version" >"$work/log" 2>&1; then
		layer "$mailpit" "countersign-base/static:$key" "$work/mailpit" ''
	else
		tail -n 5 "$work/log" >&2
		say "no stand-in of Mailpit"
		mailpit=
	fi
fi

# Keycloak from Maven Central, with the Java of this machine.
keycloak=countersign-base/keycloak:$(sha256sum deploy/keycloak/keycloak.sh | cut -c1-12)-$key
if ! has "$keycloak"; then
	if parts=$(deploy/keycloak/keycloak.sh parts); then
		mkdir -p "$work/keycloak/opt"
		cp -RL "${parts% *}" "$work/keycloak/opt/java" # its CAs can be a link
		cp -R "${parts#* }" "$work/keycloak/opt/keycloak"
		rm -rf "$work/keycloak/opt/keycloak/data"
		mkdir -p "$work/keycloak/opt/keycloak/data/import" # a mount would create it for root
		layer "$keycloak" "$debian" "$work/keycloak" 'RUN useradd --uid 1000 --gid 0 keycloak && chown -R 1000:0 /opt/keycloak
ENV JAVA_HOME=/opt/java
USER 1000
ENTRYPOINT ["/opt/keycloak/bin/kc.sh"]'
	else
		keycloak=
	fi
fi

echo "${mailpit:+MAILPIT_IMAGE=$mailpit} ${keycloak:+KEYCLOAK_IMAGE=$keycloak}"
echo "GO_IMAGE=$go RUNTIME_IMAGE=countersign-base/static:$key POSTGRES_IMAGE=$postgres PROXY_IMAGE=$debian" \
	"PROMETHEUS_IMAGE=$debian ALERTMANAGER_IMAGE=$debian GOPROXY=file:///go/proxy,$(go env GOPROXY)"
