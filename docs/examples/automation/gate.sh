#!/bin/sh
# Runs a command after an approval: gate.sh POLICY CONTEXT.json COMMAND…
# WF_URL and WF_TOKEN name the service and its caller. Without an approval the command does not run, and the exit
# status is that of wf: 2 rejected, 3 expired, cancelled or revoked, 4 still open, 5 changes requested, 1 error.
set -eu
policy=$1 context=$2
shift 2
wf request "$policy" -f "$context" --title "${GATE_TITLE:-Release}" --wait --timeout "${GATE_TIMEOUT:-1h}"
exec "$@"
