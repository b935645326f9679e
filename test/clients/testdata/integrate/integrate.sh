#!/bin/sh
# Requests an approval, waits for the decision and reads the result. Needs curl and jq.
# WF_URL, TOKEN_URL, CLIENT_ID, CLIENT_SECRET and POLICY are variables.
set -eu
token=$(curl -fsS -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials "$TOKEN_URL" | jq -r .access_token)
call() {
	curl -fsS -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"
}
id=$(call "$WF_URL/v1/wf/requests" -H "Idempotency-Key: $POLICY-117" \
	-d '{"policy_key": "'"$POLICY"'", "title": "Invoice 117", "context": {"amount": 900.5, "recipient": "Zoë"}}' | jq -r .response.id)
status=in_review
while [ "$status" = in_review ] || [ "$status" = blocked ]; do
	status=$(call "$WF_URL/v1/wf/requests/$id?wait=50" | jq -r .response.status)
done
call "$WF_URL/v1/wf/requests/$id" | jq -e '.response | select(.standing == "in_force") | {id, status, context_hash}'
