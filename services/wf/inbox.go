package wf

// InboxRole says why a task is in somebody's inbox.
type InboxRole string

// Who may act on a task: who holds it, a delegate who shares it, and for a task of a pool
// that nobody has taken everybody who may.
const (
	InboxHolder    InboxRole = "holder"
	InboxDelegate  InboxRole = "delegate"
	InboxCandidate InboxRole = "candidate"
)

// InboxEntry says that a person may act on a task now.
type InboxEntry struct {
	UserID string
	Role   InboxRole
	Task   Task
}

// Inbox returns who may act on which task now, each person once for a task.
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
			if t.SharedWith != nil {
				add(t.SharedWith.ID, InboxDelegate)
			}
			continue
		}
		for _, taker := range r.Run(t).Offered(t, r.Tasks) {
			add(taker.ID, InboxCandidate)
		}
	}
	return entries
}
