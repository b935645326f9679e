package approver

import "github.com/countersign/countersign/services/wf/identity"

// Fit is a person permitted to act in a stage run. Bars.Check is its only constructor. Functions that assign a
// place or a task, or record a decision, take a Fit and read it by User, so that none of them omits the check.
type Fit struct {
	user    identity.User
	checked bool
}

// User returns the person. It panics for a Fit without a check.
func (f Fit) User() identity.User {
	if !f.checked {
		panic("a person acts or is assigned without a check")
	}
	return f.user
}

// Known returns the person with the names of the directory.
func (f Fit) Known(u identity.User) Fit {
	if u.ID == f.User().ID {
		f.user = u
	}
	return f
}

// As returns a place in a stage run as the person's.
func (f Fit) As(a Approver) Approver {
	a.User = f.User()
	return a
}

// Bars holds the reasons for excluding people from a stage run.
type Bars struct {
	Parties map[string]ExclusionReason // of the requester and the submitter, by id
	Start   map[string]bool            // ids of the people that the exclude rules yielded at the start of the run
	Now     map[string]string          // names of the exclude rules that yield people now, by the id of the person
	Repeats func(id string) bool       // reports a part in another stage; nil if that excludes nobody
}

// Check returns the person as fit, or the reason for the exclusion.
func (b Bars) Check(u identity.User) (Fit, *Exclusion) {
	rule, now := b.Now[u.ID]
	switch why := b.Parties[u.ID]; {
	case why != "":
		return Fit{}, &Exclusion{User: u, Reason: why}
	case now, b.Start[u.ID]:
		return Fit{}, &Exclusion{User: u, Reason: ExcludedByRule, Label: rule}
	case b.Repeats != nil && b.Repeats(u.ID):
		return Fit{}, &Exclusion{User: u, Reason: ExcludedRepeat}
	default:
		return Fit{u, true}, nil
	}
}

// Admits reports whether the person is not excluded.
func (b Bars) Admits(u identity.User) bool {
	_, why := b.Check(u)
	return why == nil
}
