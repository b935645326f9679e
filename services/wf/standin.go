package wf

import "slices"

// route is the chain of delegations in force that begins at a person.
type route struct {
	path []Delegation
	last int  // index in path of the delegation by which somebody stands in, or -1
	loop bool // the chain leads back to somebody in it: nobody stands in
}

// to is the delegation by which somebody stands in.
func (r route) to() (Delegation, bool) {
	if r.loop || r.last < 0 {
		return Delegation{}, false
	}
	return r.path[r.last], true
}

// uses reports whether the delegation is on the way to the person who stands in.
func (r route) uses(id string) bool {
	return !r.loop && slices.ContainsFunc(r.path[:r.last+1], func(d Delegation) bool { return d.ID == id })
}

// delegationsOf returns the delegations in force of a person.
func (c *change) delegationsOf(id string) []Delegation {
	list, ok := c.facts.Answers.Delegations[id]
	if !ok && !slices.Contains(c.open.Delegators, id) {
		c.open.Delegators = append(c.open.Delegators, id)
	}
	return list
}

// route follows the newest delegation of each person on the way, at most as many as the
// policy allows, and stops at the last person who is fit. It looks further only for
// loops.
func (c *change) route(owner User, run *StageRun, counts func(Delegation) bool, fit func(User) bool) route {
	r := route{last: -1}
	hops := c.def.Settings.Hops(c.stage(run))
	if hops == 0 {
		return r
	}
	passed := map[string]bool{owner.ID: true}
	for at := owner; ; {
		next, ok := newestOf(c.delegationsOf(at.ID), func(d Delegation) bool {
			return c.covers(d, run) && counts(d)
		})
		if !ok || next.Mode == DelegationShare && at.ID != owner.ID {
			return r // a delegate who would share keeps the task
		}
		if passed[next.DelegateTo.ID] {
			r.loop = true
			return r
		}
		r.path = append(r.path, next)
		at = next.DelegateTo
		passed[at.ID] = true
		if len(r.path) <= hops && fit(at) {
			r.last = len(r.path) - 1
		}
		if next.Mode == DelegationShare {
			return r // the owner keeps the task, so there is nothing to pass on
		}
	}
}

func newestOf(list []Delegation, counts func(Delegation) bool) (newest Delegation, ok bool) {
	for _, d := range list {
		if counts(d) && (!ok || newer(d, newest)) {
			newest, ok = d, true
		}
	}
	return newest, ok
}

func anybody(User) bool        { return true }
func everyOne(Delegation) bool { return true }

// standsIn reports whether a person stands in for another in a run now. A delegation
// that is over does not count, also before the service has noticed.
func (c *change) standsIn(id string, owner User, run *StageRun) bool {
	r := c.route(owner, run, everyOne, func(u User) bool { return u.ID == id })
	_, ok := r.to()
	return ok
}

// delegates lists everybody to whom the delegations of these people lead.
func (c *change) delegates(run *StageRun, owners []User) []User {
	var people []User
	for _, owner := range owners {
		for _, d := range c.route(owner, run, everyOne, anybody).path {
			people = append(people, d.DelegateTo)
		}
	}
	return people
}

// mayStandIn returns a test of who may stand in for somebody in a run. They are known
// and enabled, not excluded, no approver of the stage themselves, and have not acted in
// it. A stand-in holds one task; in a pool they may act for several people, and do so
// for one.
func (c *change) mayStandIn(run *StageRun, owners []User) func(User) bool {
	enabled := c.known(c.delegates(run, owners))
	used := run.used(c.Tasks)
	return func(u User) bool {
		_, there := enabled[u.ID]
		return there && !used[u.ID] && run.entry(u.ID) < 0 && c.unfit(u, run) == "" &&
			(run.Pool || !slices.ContainsFunc(run.People, func(a Approver) bool { return a.stands(u.ID) }))
	}
}

// follow finds who stands in for the people of a run that starts.
func (c *change) follow(run *StageRun) {
	fit := c.mayStandIn(run, run.users())
	if c.asks() {
		return
	}
	for i := range run.People {
		a := &run.People[i]
		r := c.route(a.User, run, everyOne, fit)
		if d, ok := r.to(); ok {
			*a = a.represented(d)
		} else if len(r.path) > 0 {
			c.note(EventDelegationNotApplied, run, nil)
		}
	}
}

// represented is the approver with a stand-in.
func (a Approver) represented(d Delegation) Approver {
	a.StandIn, a.DelegationID, a.Shared = new(d.DelegateTo), d.ID, d.Mode == DelegationShare
	return a
}

// alone is the approver without a stand-in.
func (a Approver) alone() Approver {
	a.StandIn, a.DelegationID, a.Shared = nil, "", false
	return a
}

// followed is the task after the delegation of its person is applied.
func (t Task) followed(a Approver) Task {
	switch {
	case a.StandIn == nil:
	case a.Shared:
		t.SharedWith, t.DelegationID = a.StandIn, a.DelegationID
	default:
		t.Assignee, t.OnBehalfOf, t.DelegationID = a.StandIn, new(a.User), a.DelegationID
	}
	return t
}

// Reroute follows the delegations anew in everything that is open, because d has
// started, ended or been revoked.
func (r Request) Reroute(def Definition, d Delegation, f Facts) (Request, []Event, error) {
	by := SystemExpiry
	switch d.Status(f.At) {
	case DelegationActive:
		by = Actor{User: d.CreatedBy, Kind: ActorUser}
	case DelegationRevoked:
		by = Actor{User: d.RevokedBy, Kind: ActorUser}
	}
	c := r.begin(def, by, f)
	if c.Status.Final() || c.Overdue(f.At) {
		return c.end(nil)
	}
	for i := range c.Stages {
		run := &c.Stages[i]
		switch {
		case !run.Status.running():
		case run.Pool:
			c.reroutePool(run, d)
		default:
			c.rerouteTasks(run, d)
		}
	}
	if c.asks() || len(c.events) == 0 {
		return c.end(nil)
	}
	return c.end(c.advance())
}

// reaches returns a test of which delegations apply to tasks that were open when they
// started.
func reaches(run *StageRun) func(Delegation) bool {
	return func(d Delegation) bool {
		return d.ApplyToOpen || !d.StartsAt.After(run.StartedAt) && !d.CreatedAt.After(run.StartedAt)
	}
}

func (c *change) rerouteTasks(run *StageRun, d Delegation) {
	var owners []User
	for _, t := range c.of(run) {
		if t.Status.live() && t.Assignee != nil {
			owners = append(owners, t.owner())
		}
	}
	fit := c.mayStandIn(run, owners)
	if c.asks() {
		return
	}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if run.Owns(*t) && t.Status.live() && t.Assignee != nil {
			c.rerouteTask(t, run, d, fit)
		}
	}
}

// owner is the person who is asked, also while somebody stands in for them.
func (t Task) owner() User {
	if t.OnBehalfOf != nil {
		return *t.OnBehalfOf
	}
	return *t.Assignee
}

// standIn is the person who holds or shares the task for somebody else.
func (t Task) standIn() *User {
	if t.OnBehalfOf != nil {
		return t.Assignee
	}
	return t.SharedWith
}

// delegate is the person on whose delegation the task is held or shared: the stand-in, or
// the delegate who reassigned the task to them. It is nil without a delegation.
func (c *change) delegate(t Task) *User {
	stand := t.standIn()
	if stand == nil {
		return nil
	}
	if d, known := c.delegation(t.DelegationID); known {
		return &d.DelegateTo
	}
	return stand
}

// delegated reports whether the delegation on which the task is held or shared is in force.
func (c *change) delegated(t Task, run *StageRun) bool {
	delegate := c.delegate(t)
	return delegate != nil && c.standsIn(delegate.ID, t.owner(), run)
}

func (c *change) rerouteTask(t *Task, run *StageRun, d Delegation, fit func(User) bool) {
	present := c.delegate(*t)
	r := c.route(t.owner(), run, reaches(run), func(u User) bool { return present != nil && u.ID == present.ID || fit(u) })
	next, ok := r.to()
	switch {
	case present == nil && !r.uses(d.ID):
		if t.owner().ID == d.User.ID && t.Status == TaskOpen && c.covers(d, run) && reaches(run)(d) {
			c.note(EventDelegationNotApplied, run, t)
		}
		return
	case present != nil && ok && next.DelegateTo.ID == present.ID && (next.Mode == DelegationShare) == (t.SharedWith != nil):
		if t.DelegationID != next.ID { // another delegation to the same person
			t.DelegationID = next.ID
			*t = t.touched(c.facts.At)
			c.setStandIn(run, t.owner().ID, &next)
			c.note(EventDelegationApplied, run, t)
		}
		return
	}
	if present != nil && !c.giveBack(t, run, d) {
		return
	}
	c.setStandIn(run, t.owner().ID, nil)
	if ok && t.Status == TaskOpen { // somebody who works on the task goes on
		*t = t.followed(Approver{User: t.owner()}.represented(next)).touched(c.facts.At)
		c.setStandIn(run, t.owner().ID, &next)
		c.note(EventDelegationApplied, run, t)
	}
}

// setStandIn notes in the people of a run who stands in for one of them.
func (c *change) setStandIn(run *StageRun, owner string, d *Delegation) {
	switch i := run.entry(owner); {
	case i < 0:
	case d == nil:
		run.People[i] = run.People[i].alone()
	default:
		run.People[i] = run.People[i].represented(*d)
	}
}

// giveBack takes the task from a stand-in whose delegation is over, and reports whether
// its owner has it again. A stand-in who has claimed it may still decide when the
// delegation has ended, but not when it was revoked. A hand-over without return is
// final.
func (c *change) giveBack(t *Task, run *StageRun, d Delegation) bool {
	switch {
	case t.SharedWith != nil:
		t.SharedWith, t.DelegationID = nil, ""
		*t = t.touched(c.facts.At)
		c.note(EventTaskReassigned, run, t)
		return true
	case t.DelegationID == d.ID && c.isFinal(*t):
		c.handOver(t, run)
		c.note(EventTaskReassigned, run, t)
		return false
	case c.mayFinish(*t):
		return false
	case c.unfit(t.owner(), run) != "": // the owner is in a parallel stage meanwhile
		_ = c.vacate(t, run) // an error means open questions, which are kept
		return false
	}
	*t = t.returned(c.facts.At)
	c.note(EventTaskReassigned, run, t)
	return true
}

// reroutePool finds anew who may act for the people of a pool. The people themselves
// may act all the time.
func (c *change) reroutePool(run *StageRun, d Delegation) {
	fit := c.mayStandIn(run, run.users())
	if c.asks() {
		return
	}
	for i := range run.People {
		a := &run.People[i]
		if a.Lost {
			continue
		}
		r := c.route(a.User, run, reaches(run), func(u User) bool { return a.stands(u.ID) || fit(u) })
		next, ok := r.to()
		switch {
		case ok && a.stands(next.DelegateTo.ID):
			if a.DelegationID != next.ID { // another delegation to the same person
				*a = a.represented(next)
				c.note(EventDelegationApplied, run, nil)
			}
			continue
		case a.StandIn == nil && !r.uses(d.ID):
			if a.ID == d.User.ID && c.covers(d, run) && reaches(run)(d) {
				c.note(EventDelegationNotApplied, run, nil)
			}
			continue
		case a.StandIn != nil:
			owner := a.ID
			if c.dismiss(a, run, d); a.ID != owner {
				continue // the place belongs to the stand-in now
			}
		}
		if ok {
			*a = a.represented(next)
			c.note(EventDelegationApplied, run, nil)
		}
	}
}

// dismiss ends a stand-in in a pool. What they have claimed goes back to the queue,
// unless they may finish it.
func (c *change) dismiss(a *Approver, run *StageRun, d Delegation) {
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if !run.Owns(*t) || !t.Status.live() || t.OnBehalfOf == nil || t.OnBehalfOf.ID != a.ID {
			continue
		}
		switch {
		case t.DelegationID == d.ID && c.isFinal(*t):
			c.handOver(t, run)
			c.note(EventTaskReassigned, run, t)
		case !c.mayFinish(*t):
			*t = t.released(true, c.facts.At)
			c.note(EventTaskUnclaimed, run, t)
		}
	}
	*a = a.alone()
	c.note(EventDelegationEnded, run, nil)
}

// mayFinish reports whether a stand-in may still decide what they have claimed: the
// delegation has ended meanwhile, or the owner has delegated to somebody else since.
// After a revocation they may not.
func (c *change) mayFinish(t Task) bool {
	if t.Status != TaskClaimed || t.OnBehalfOf == nil {
		return false
	}
	d, known := c.delegation(t.DelegationID)
	status := d.Status(c.facts.At)
	return known && (status == DelegationEnded || status == DelegationActive && d.User.ID == t.owner().ID)
}

// isFinal reports whether the delegation by which a stand-in holds the task has ended
// without return. The task stays with the stand-in then.
func (c *change) isFinal(t Task) bool {
	if t.OnBehalfOf == nil {
		return false
	}
	d, known := c.delegation(t.DelegationID)
	return known && !d.ReturnOnEnd && d.Status(c.facts.At) == DelegationEnded
}

// handOver leaves the task to the stand-in for good, and in a pool the place too.
func (c *change) handOver(t *Task, run *StageRun) {
	if i := run.entry(t.holder()); i >= 0 && run.Pool {
		run.People[i] = run.People[i].succeeded(*t.Assignee)
	}
	c.setStandIn(run, t.holder(), nil)
	*t = t.kept(c.facts.At)
}

// delegation returns one delegation, whether or not it is in force.
func (c *change) delegation(id string) (Delegation, bool) {
	d, ok := c.facts.Answers.Delegation[id]
	if !ok && id != "" && !slices.Contains(c.open.Delegations, id) {
		c.open.Delegations = append(c.open.Delegations, id)
	}
	return d, ok && d.ID != ""
}
