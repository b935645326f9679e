#!/bin/sh
# Pays the invoice in a file after an approval, once: pay.sh POLICY INVOICE.json
# WF_URL and WF_TOKEN name the service and its caller. Needs curl and jq.
set -eu
policy=$1 invoice=$2 requests=$WF_URL/v1/wf/requests
call() {
	curl -fsS -H "Authorization: Bearer $WF_TOKEN" -H 'Content-Type: application/json' "$@"
}

# A repeat of the script with the same invoice finds the same request.
key=$(sha256sum "$invoice" | cut -c1-64)
request=$(jq -c --arg policy "$policy" '{policy_key: $policy, context: .}' "$invoice" | call "$requests" -H "Idempotency-Key: $key" -d @-)
id=$(printf %s "$request" | jq -r .response.id)
hash=$(printf %s "$request" | jq -r .response.context_hash)

# Each call waits up to 50 s for the end of the request.
while :; do
	status=$(call "$requests/$id?wait=50" | jq -r .response.status)
	case $status in
	in_review | blocked) ;;
	approved) break ;;
	*) echo "the request is $status" >&2 && exit 1 ;;
	esac
done

# The use fails if the approval was used before, or if it has ended.
call "$requests/$id/consume" -d "{\"context_hash\": \"$hash\", \"consumer\": \"pay.sh\"}" >/dev/null
echo "paid $(jq -c . "$invoice")"
