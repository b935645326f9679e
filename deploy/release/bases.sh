#!/usr/bin/env bash
# Prints every base image of the Dockerfiles with the digest that its tag has now, as the
# build contexts that make BuildKit use that digest:
#
#   deploy/release/bases.sh services/*/Dockerfile
#   golang:1.26=docker-image://golang:1.26@sha256:…
set -euo pipefail

# Neither an earlier stage nor scratch is an image of a registry.
images=$(awk 'toupper($1) == "ARG" && split($2, argument, "=") == 2 { values["$" argument[1]] = argument[2] }
toupper($1) == "FROM" {
	image = $2 ~ /^--/ ? $3 : $2
	if (image in values) image = values[image]
	if (image != "scratch" && !((FILENAME, image) in stages)) print image
	if (toupper($(NF - 1)) == "AS") stages[FILENAME, $NF]
}' "$@" | sort -u)
[ -n "$images" ] || { echo "bases.sh: no base image in $*" >&2; exit 1; }
for image in $images; do
	digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
	[[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "bases.sh: no digest of $image: \"$digest\"" >&2; exit 1; }
	echo "$image=docker-image://$image@$digest"
done
