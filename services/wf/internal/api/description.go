package api

import (
	_ "embed"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/internal/condition"
)

// examples holds the example bodies of the document. A test sends them now and at a time decades
// later, so that an example always works.
var examples = web.Examples[string](examplesFile)

//go:embed examples.json
var examplesFile []byte

// tags lists the groups of operations in the document.
var tags = []*huma.Tag{
	{Name: "policies", Description: "Rules of approval. A policy has numbered versions, of which at most one is active."},
	{Name: "requests", Description: "Requests for approval, with their progress."},
	{Name: "tasks", Description: "Decisions that are assigned or offered to approvers."},
	{Name: "delegations", Description: "Rights of delegates, with their periods."},
	{Name: "deliveries", Description: "Deliveries of webhooks, for administrators."},
	{Name: "webhooks", Description: "Receivers of events, for administrators."},
	{Name: "audit", Description: "Audit trail, for auditors."},
	{Name: "service", Description: "Health and version of the service, and the caller's own data."},
}

// expressions lists the names of expressions, for the document.
func expressions() string {
	names, _ := condition.Declared() // an error of the types refuses every expression
	var text strings.Builder
	text.WriteString(" Expressions are CEL. They may use")
	for i, n := range names {
		if i > 0 {
			text.WriteString(",")
		}
		text.WriteString(" `" + n.Name + "` (" + strings.ReplaceAll(n.Type, "`", "") + ")")
	}
	return text.String() + "."
}

const filterRules = "Filters of different names must all match; several values of one filter are alternatives."

// descriptions holds the details of operations beyond their summaries.
var descriptions = map[string]string{
	"createPolicy": "For WF_ADMIN. The key is permanent; an existing key is a conflict (409). The version is a draft " +
		"until its activation. An invalid definition is rejected with 422 and a list of every problem.",
	"addVersion": "For WF_ADMIN and the `owners` of the policy, who may not change `owners`. The new version is a " +
		"draft with the next number. With `unless_unchanged` no version is added if the newest version is equal.",
	"updateVersion": "For WF_ADMIN and the `owners` of the policy, who may not change `owners`. Only drafts can be " +
		"changed. Absent members are unchanged, null removes a member, and arrays are replaced.",
	"activateVersion": "For WF_ADMIN and the `owners` of the policy, unless other owners would apply. New requests " +
		"use the version; the previously active version is retired. Requests in progress keep their version. " +
		"Activating the active version has no effect. With `If-Match` or `content_hash`, a version with other " +
		"content than the caller has read is refused (403); with WF_POLICY_FOUR_EYES one of them is required, and " +
		"the author of the content (`updated_by`) may not activate it.",
	"deactivateVersion": "For WF_ADMIN and the `owners` of the policy, unless other owners would apply. The policy " +
		"accepts no new requests until a version is activated. Requests in progress continue.",
	"simulateVersion": "For WF_VIEWER and the `owners` of the policy. Nothing is stored or sent. Approvers are " +
		"resolved as for a real request; the entries of `play` are applied in order. An `at` of `play` does the work " +
		"that is due by then: reminders, escalation, expiry and the end of a validity.",
	"compareVersions": "For WF_VIEWER and the `owners` of the policy. Changed stages, settings and other members, " +
		"without `change_note`.",
	"getPolicySchema": "JSON Schema 2020-12 of a policy file, the body of POST /v1/wf/policies, for editors. It may " +
		"be cached for five minutes.",
	"createRequest": "The request uses the active version of the policy. A repeat with the same `Idempotency-Key` " +
		"returns the first reply; the same key with another body is a conflict.",
	"getRequest": "With its stages, their approvers and the tasks of active stages. Callers without a role must be " +
		"participants of the request, or `consumers` or `owners` of its policy. With `wait`, the reply is delayed " +
		"until a change or the end of the time; it is always 200.",
	"cancelRequest": "For the requester, the submitter and admins. Open tasks are closed. A completed request cannot " +
		"be cancelled.",
	"claimTask": "Claims a task of a pool, or marks the caller's own task as in progress. A repeated claim by the " +
		"assignee has no effect.",
	"withdrawTask": "For the actor of the decision, while its stage is undecided. The task is open or claimed again, " +
		"and the decision counts nowhere; it stays in the audit trail.",
	"decideTask": "For the assignee, or a candidate of an open task of a pool. The reply contains the request after " +
		"the decision. Its actor may withdraw it while the stage is undecided.",
	"reassignTask": "For the assignee and admins. The policy of the stage permits any user, eligible users, or no " +
		"reassignment.",
	"retryDelivery": "Starts another cycle of attempts of a failed or cancelled delivery.",
	"createDelegation": "During the period the delegate may claim and decide the tasks of the delegator in scope. " +
		"The tasks stay with the delegator, who may decide them too. Only an admin may delegate for another user.",
	"deleteDelegation": "Ends the right of the delegate immediately.",
	"health":           "Queries the database. 503 during start and stop, and while the database is unavailable.",
	"listPolicies": "All for WF_VIEWER; for other callers those that they own. Each with its active and its newest " +
		"version, by key.",
	"getPolicy":    "For WF_VIEWER and the `owners` of the policy. With the active version, if any.",
	"listVersions": "For WF_VIEWER and the `owners` of the policy. The newest first.",
	"getVersion":   "For WF_VIEWER and the `owners` of the policy. With the definition and the number of open requests.",
	"deleteVersion": "For WF_ADMIN and the `owners` of the policy, unless other owners would apply. Only drafts can " +
		"be deleted.",
	"listRequests": "All for WF_VIEWER; for other callers those in which they participate, and those of policies " +
		"that they own. Without context and stages. " + filterRules,
	"resubmitRequest": "For the requester and the submitter, after a request for changes. Starts another revision. " +
		"Every stage decides again, unless the policy resumes and the context is unchanged.",
	"moveDueDate": "For WF_ADMIN and the `owners` of the policy. Reminders follow; one at or before the time of the " +
		"move is dropped. `stage.due` is sent again at the new date; people are added once per run. `due_at` may not " +
		"be after `expires_at`.",
	"revokeRequest": "For the requester, the submitter, users with a counted approval, `owners` of the policy and " +
		"admins, while the approval is in force. The status stays approved; `standing` becomes `revoked`.",
	"consumeRequest": "For the `consumers` of the policy, or without them the requester and the submitter. Only with " +
		"`single_use`, once, while the approval is in force, and with the `context_hash` of the content about to be " +
		"used.",
	"getReceipt": "A signed statement that the request was approved, for its readers. A third party verifies it with " +
		"the keys of /v1/wf/jwks.json. The approval is in force or consumed. Accept selects the envelope, " +
		"application/jose (the receipt alone) or application/vnd.in-toto+json (a DSSE envelope).",
	"getCheckpoint": "The last signed end of the audit trail, which commits to the chains of all requests. A third " +
		"party keeps the checkpoints, and wf audit verify compares an export with them. Each names its predecessor " +
		"in before. WF-007: the service has no key, or no checkpoint yet.",
	"getKeys": "A JWK Set (RFC 7517) with every key that ever signed a receipt or a checkpoint, except distrusted " +
		"ones. It may be cached for five minutes.",
	"getRevision": "For every reader of the request.",
	"listEvents": "The oldest first. Each event contains the hash of the previous one; `verify` recomputes every " +
		"hash.",
	"listComments": "The oldest first, for every reader of the request.",
	"addComment": "For participants of the request, who can also be mentioned. Completed requests accept comments. " +
		"Comments cannot be changed.",
	"listTasks":         "With a summary of each request. " + filterRules,
	"getTaskStats":      "Callers without a role get the numbers of their own tasks.",
	"getTask":           "With a summary of its request and the actions that the caller may take.",
	"unclaimTask":       "Returns a task to its pool.",
	"listDelegations":   "The newest first.",
	"getDelegation":     "With its current status.",
	"listDeliveries":    "The newest first, without payload and attempts.",
	"getDelivery":       "With the payload as sent.",
	"recoverDeliveries": "For a receiver after an outage. Repeat the call while `more` is true.",
	"createEndpoint": "Messages are signed with the secret, which only this reply contains. The configuration must " +
		"permit the host.",
	"listEndpoints":  "The newest first, without secrets.",
	"getEndpoint":    "With its health, without its secret.",
	"updateEndpoint": "The name is permanent. Absent and null members are unchanged.",
	"deleteEndpoint": "Waiting deliveries are cancelled. Earlier deliveries stay readable.",
	"rotateSecret":   "Messages are also signed with the previous secret during the overlap.",
	"testEndpoint":   "Sends a `webhook.test` event to this endpoint only.",
	"reevaluateRequest": "For WF_ADMIN and the `owners` of the policy. Resolves the approvers of stages that wait " +
		"for approvers, without the delay of the scheduled retry.",
	"listStuckRequests": "Requests in review or blocked without an open task, timer or retry, the oldest first. The " +
		"list should be empty.",
	"listAudit": exportRules,
	"restartAudit": "Appends `audit.restarted` with the breaks of the service chain and its stored end. Verification " +
		"of the service chain begins there, and checkpoints are signed again.",
	"getMe": "Roles, delegations in force, and numbers of tasks.",
	"getNotifications": "Mail has one path: the notices of a person are collected for five minutes after the first, " +
		"or until 8:00 in their time zone. A notice that no longer holds is left out.",
	"putNotifications": "Replaces the settings. With \"mail\": \"off\", pending mail is not sent.",
	"listUsablePolicies": "By key, with the schema of the context. A policy whose `submitters` rule reads the " +
		"context is listed if the rule permits the caller without a context. A page may contain fewer policies than " +
		"its limit.",
	"previewRequest": "Nothing is stored or sent. Refusals are those of the creation. User names are returned only " +
		"for stages that would start immediately.",
	"findPeople": "Searches the directory, or without one the known users. For participants of requests and for " +
		"`WF_VIEWER`.",
	"livez":   "For liveness probes. Does not query the database.",
	"readyz":  "For load balancers: the same checks as health without writes.",
	"version": "Name and version of the program.",
}
