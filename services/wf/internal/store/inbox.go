package store

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
)

// actsInRun is the condition that a person is requester or submitter of the request of an inbox entry, or has a place or
// an act in its stage run: such a person is no delegate there. It has five arguments, all the id of the person. For an
// EXISTS instead of the count PostgreSQL would read the tasks of all requests.
const actsInRun = `(EXISTS (SELECT 1 FROM request r WHERE r.id = inbox.request_id AND ? IN (r.requester_id, r.submitted_by_id))
	OR EXISTS (SELECT 1 FROM inbox own WHERE own.user_id = ? AND own.role = 'candidate' AND own.urgency = inbox.urgency
		AND own.created_ms = inbox.created_ms AND own.task_id = inbox.task_id)
	OR 0 < (SELECT count(*) FROM task t
		JOIN task own ON own.request_id = t.request_id AND own.stage_key = t.stage_key AND own.run = t.run
		WHERE t.id = inbox.task_id AND (own.assignee_id = ? OR own.actor_id = ?
			OR own.claimed_by_id = ? AND own.status = 'claimed' AND own.id <> t.id)))`

// inboxesOf returns the scans of each inbox that the tasks of a filter are in.
func inboxesOf(f wf.TaskFilter) (inboxes [][]scan) {
	if f.Inbox != "" {
		inboxes = append(inboxes, inboxScans(f.Inbox, f.Role, f.Delegations))
	}
	if f.Candidate != "" {
		inboxes = append(inboxes, inboxScans(f.Candidate, wf.InboxCandidate, nil))
	}
	return inboxes
}

// inboxScans returns the scans of a user's inbox, without those of another role: their own entries, and as
// InboxDelegate those of their delegators. Two delegators may have the same task.
func inboxScans(user string, role wf.InboxRole, given []approver.Delegation) (scans []scan) {
	user = printable(user)
	if role != wf.InboxDelegate {
		roles := everyRole
		if role != "" {
			roles = []wf.InboxRole{role}
		}
		scans = splitScans([]scan{cond("inbox.user_id = ?", user)}, "inbox.role", roles)
	}
	if role == "" || role == wf.InboxDelegate {
		for _, d := range given {
			all := allOf(
				cond("inbox.user_id = ? AND inbox.delegable", printable(d.User.ID)), matchesKey(d.Scope.PolicyKeys),
				whereIn("inbox.stage_key", d.Scope.StageKeys), whereIn("inbox.artifact_type", d.Scope.ArtifactTypes),
				cond("NOT "+actsInRun, user, user, user, user, user),
			)
			scans = append(scans, splitScans([]scan{all}, "inbox.role", everyRole)...)
		}
	}
	if len(scans) == 0 {
		scans = []scan{cond("1 = 0")}
	}
	return scans
}

// matchesKey returns the condition that the policy of an inbox entry matches one of the keys and prefixes of a scope.
func matchesKey(patterns []string) scan {
	return anyOf(sqldb.Values(patterns, func(p string) scan {
		prefix, isPrefix := strings.CutSuffix(printable(p), "*")
		if isPrefix {
			return cond(fmt.Sprintf("substr(inbox.policy_key, 1, %d) = ?", len([]rune(prefix))), prefix)
		}
		return cond("inbox.policy_key = ?", prefix)
	})...)
}
