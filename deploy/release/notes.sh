#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a version, under the heading "## v1.2.3". There is no
# release without it.
set -euo pipefail

cd "$(git rev-parse --show-toplevel)"
awk -v heading="## $1" '
	/^## / { found = $0 == heading || index($0, heading " ") == 1; next }
	found  { print; if (NF) some = 1 }
	END    { exit !some }' CHANGELOG.md ||
	{ echo "notes.sh: CHANGELOG.md has nothing under \"## $1\"" >&2; exit 1; }
