package api

import "encoding/json"

// examples are the bodies that the document shows. A test sends them, at its time and
// decades later: an example works whenever somebody tries it.
var examples = map[string]json.RawMessage{
	"createPolicy": json.RawMessage(`{
		"policy_key": "disbursement.batch",
		"name": "Disbursement batch approval",
		"context_schema": {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number", "minimum": 0}}},
		"settings": {"repeat_approver": "exclude", "require_comment": {"reject": true}},
		"stages": [
			{"key": "checks", "name": "Finance and programme", "approvers": [{"type": "user", "ids": ["ana", "bo"]}], "quorum": {"mode": "all"}},
			{"key": "director", "name": "Director", "when": "context.amount > 50000", "assignment": "pool",
			 "approvers": [{"type": "user", "ids": ["dan", "eli"]}], "quorum": {"mode": "any"}}
		]
	}`),
	"addVersion": json.RawMessage(`{
		"name": "Disbursement batch approval",
		"change_note": "One approval is enough",
		"stages": [{"key": "checks", "name": "Finance", "approvers": [{"type": "user", "ids": ["ana", "bo"]}], "quorum": {"mode": "any"}}]
	}`),
	"updateVersion":     json.RawMessage(`{"name": "Batch approval", "description": null, "settings": {"expires_in": "P14D"}}`),
	"simulateVersion":   json.RawMessage(`{"context": {"amount": 60000}, "requester": "rita", "decisions": [{"stage_key": "checks", "user_id": "ana", "action": "approve"}]}`),
	"previewRequest":    json.RawMessage(`{"context": {"amount": 60000}, "artifact_type": "batch", "artifact_id": "B-18"}`),
	"createRequest":     json.RawMessage(`{"policy_key": "disbursement.batch", "context": {"amount": 60000}, "artifact_type": "batch", "artifact_id": "B-17", "title": "Batch 17"}`),
	"cancelRequest":     json.RawMessage(`{"reason": "Sent by mistake"}`),
	"resubmitRequest":   json.RawMessage(`{"context": {"amount": 58000}, "comment": "Two payments less"}`),
	"putNotifications":  json.RawMessage(`{"kinds": {"waits_for_you": "daily", "mentioned": "none"}, "language": "fr", "zone": "Africa/Dakar"}`),
	"addComment":        json.RawMessage(`{"text": "Which account is this paid from?", "mentions": ["rita"]}`),
	"decideTask":        json.RawMessage(`{"action": "reject", "comment": "The total does not match"}`),
	"decideTasks":       json.RawMessage(`{"items": [{"task_id": "0199a000-0000-7000-8000-000000000000", "action": "approve", "comment": "Checked with the ledger"}]}`),
	"reassignTask":      json.RawMessage(`{"new_assignee": "eli", "reason": "On leave"}`),
	"createEndpoint":    json.RawMessage(`{"name": "ledger", "url": "https://ledger.example.org/hooks/wf", "events": ["request.*", "task.decided"], "policy_keys": ["disbursement.*"], "signature": "both"}`),
	"updateEndpoint":    json.RawMessage(`{"url": "https://ledger.example.org/hooks/approvals", "enabled": true}`),
	"rotateSecret":      json.RawMessage(`{"overlap": "PT48H"}`),
	"recoverDeliveries": json.RawMessage(`{"endpoint": "ledger", "status": "failed", "created_after": "2026-01-15T08:00:00Z", "created_before": "2026-01-15T12:00:00Z"}`),
	"createDelegation":  json.RawMessage(`{"delegate_to": "eli", "starts_at": "2099-12-21T08:00:00Z", "ends_at": "2100-01-05T18:00:00Z", "reason": "On leave", "scope": {"policy_keys": ["disbursement.*"]}}`),
}
