#!/usr/bin/env bash
# Tags the modules of a release at the commit that is checked out, so that
# go install …/services/wf/cmd/wf@v1.2.3 finds them. In two steps, because the sum of
# libs stands in the go.sum of the services:
#
#   deploy/release/modules.sh libs v1.2.3       tags libs/v1.2.3; publish that tag
#   deploy/release/modules.sh services v1.2.3   tags services/wf/v1.2.3 and so on
#
# On a branch, go.mod of a service replaces libs by its folder, and go install refuses a
# module that replaces another. The tags of the services are on a commit of their own
# that requires the released libs instead. No branch has it.
set -euo pipefail

module=github.com/countersign/countersign
step=${1-} version=${2-}
# Later major versions need another module path.
[[ $version =~ ^v[01]\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] || { echo "modules.sh: version \"$version\" is not v0.Y.Z or v1.Y.Z" >&2; exit 1; }
cd "$(git rev-parse --show-toplevel)"

# tag leaves a tag alone that is there, so that a release that failed is run again.
tag() { git rev-parse --quiet --verify "refs/tags/$1" >/dev/null || git tag "$1"; }

case $step in
libs)
	tag "libs/$version"
	;;
services)
	git checkout --quiet --detach
	for mod in services/*/go.mod; do
		(
			cd "$(dirname "$mod")"
			export GOWORK=off
			go mod edit -dropreplace="$module/libs" -require="$module/libs@$version"
			go get "$module/libs@$version"
			go build -o /dev/null ./cmd/... # fails unless go.mod and go.sum are complete
			git add go.mod go.sum
		)
	done
	git -c user.name=release -c user.email=release@users.noreply.github.com commit --quiet -m "Release $version of the services"
	for mod in services/*/go.mod; do tag "$(dirname "$mod")/$version"; done
	git checkout --quiet -
	;;
*)
	echo "modules.sh: step \"$step\" is not libs or services" >&2
	exit 1
	;;
esac
