#!/usr/bin/env bash
# Builds the programs of a release for every platform, and the checksums of everything
# that is in the folder then:
#
#   deploy/release/programs.sh v1.2.3 dist
#
# The same commit and the same Go make the same bytes. PLATFORMS narrows the list.
set -euo pipefail

version=$1 out=$2
cd "$(dirname "$0")/../.."
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for platform in ${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}; do
	for main in services/*/cmd/*/main.go; do
		program=$(basename "$(dirname "$main")")
		GOOS=${platform%/*} GOARCH=${platform#*/} CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$work/$program" \
			-ldflags "-s -w -X github.com/countersign/countersign/libs/daemon.version=$version" "./$(dirname "$main")"
		tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=0755 -cf - "$program" |
			gzip -n9 >"$out/${program}_${version}_${platform/\//_}.tar.gz"
		rm "$work/$program"
	done
done
cd "$out"
find . -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum -- >SHA256SUMS
