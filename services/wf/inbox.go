package wf

// InboxRole is the role of a person for a task in their inbox.
type InboxRole string

// The roles: the holder, the candidates for an unassigned pool task, and the delegates of either. Only lists of tasks
// have InboxDelegate.
const (
	InboxHolder    InboxRole = "holder"
	InboxCandidate InboxRole = "candidate"
	InboxDelegate  InboxRole = "delegate"
)

// InboxEntry is a task with a user permitted to act now.
type InboxEntry struct {
	UserID string
	Role   InboxRole
	Task   Task
}

// Inbox returns the users permitted to act on each task now, once per task, without their delegates.
func (r Request) Inbox() []InboxEntry {
	var entries []InboxEntry
	for _, t := range r.Tasks {
		if !t.Status.live() {
			continue
		}
		seen := map[string]bool{}
		add := func(id string, role InboxRole) {
			if !seen[id] {
				seen[id] = true
				entries = append(entries, InboxEntry{id, role, t})
			}
		}
		if t.Assignee != nil {
			add(t.Assignee.ID, InboxHolder)
			continue
		}
		for _, taker := range r.Run(t).EligibleClaimants(t, r.Tasks) {
			add(taker.ID, InboxCandidate)
		}
	}
	return entries
}
