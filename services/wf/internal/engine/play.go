package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// play applies one entry to a simulated request. A refusal is part of the result.
func (a *answers) play(tx *store.Tx, r wf.Request, def policy.Definition, entry PlayEntry) (wf.Request, Played, error) {
	played := Played{Entry: entry}
	after, err := a.playEntry(tx, r, def, entry)
	refused, ok := errors.AsType[*refusal.Error](err)
	switch {
	case err == nil:
		r = after
	case ok:
		played.Refusal = refused
	default:
		return r, played, err
	}
	played.RequestStatus, played.Standing = r.Status, r.Standing
	run, _ := r.LatestRun(entry.StageKey)
	played.StageStatus = run.Status
	return r, played, nil
}

func (a *answers) playEntry(tx *store.Tx, r wf.Request, def policy.Definition, entry PlayEntry) (after wf.Request, err error) {
	transit := func(by string, transition func(identity.Actor, wf.Facts) (wf.Request, []wf.Event, error)) (wf.Request, error) {
		actor, err := a.simulatedActor(tx, def, by)
		if err != nil {
			return r, err
		}
		after, _, err := a.step(tx, a.now, func(f wf.Facts) (wf.Request, []wf.Event, error) { return transition(actor, f) })
		return after, err
	}
	switch {
	case !entry.At.IsZero() && entry.At.Before(a.now):
		return r, refusal.New(reason.WrongState, "the simulated time is already %s", identity.Stamp{Time: a.now})
	case r.Status == "" && entry.StageKey == "":
		return r, refusal.New(reason.WrongState, "the request would not start")
	case !entry.At.IsZero():
		return a.moveClock(tx, r, def, entry.At)
	case entry.Consume != "":
		return transit(entry.Consume, func(by identity.Actor, f wf.Facts) (wf.Request, []wf.Event, error) {
			return r.Consume(def, wf.Consumption{ContextHash: r.ContextHash}, by, f)
		})
	case entry.Revoke != "":
		return transit(entry.Revoke, func(by identity.Actor, f wf.Facts) (wf.Request, []wf.Event, error) {
			return r.Revoke(def, "simulated revocation", by, f)
		})
	}
	task := taskFor(r, entry.SimulatedDecision)
	if task == "" {
		return r, refusal.New(reason.WrongState, "stage %s has no task to decide", entry.StageKey)
	}
	in := wf.DecisionInput{ID: newID(), Action: entry.Action, Comment: "simulated decision"}
	plain := withoutProof(def, entry.StageKey)
	return transit(entry.UserID, func(by identity.Actor, f wf.Facts) (wf.Request, []wf.Event, error) {
		return r.Decide(plain, task, in, by, f)
	})
}

// withoutProof drops the requirements of a stage for the data and the authentication of a decision, which a simulated
// decision lacks. Later stages keep theirs, because repeat_approver reads them.
func withoutProof(def policy.Definition, stage string) policy.Definition {
	def.Stages = slices.Clone(def.Stages)
	for i := range def.Stages {
		if def.Stages[i].Key == stage {
			def.Stages[i].Allow.Delegate = new(def.Stages[i].AllowsDelegation())
			def.Stages[i].DecisionSchema, def.Stages[i].Reauth = nil, nil
		}
	}
	return def
}

// simulatedActor returns a user that has just signed in. The directory answers the roles of their token that the
// policy reads.
func (a *answers) simulatedActor(tx *store.Tx, def policy.Definition, id string) (identity.Actor, error) {
	by := identity.Actor{
		User: identity.User{ID: id}, Kind: identity.ActorUser, Auth: identity.Auth{AuthTime: identity.Stamp{Time: a.now}},
	}
	if !a.Directory {
		return by, nil
	}
	var open approver.Unanswered
	for _, role := range def.Settings.TokenRoles() {
		q := approver.Question{Rule: policy.Rule{Type: policy.RuleRole, Role: role}}
		answer, known := a.known.People[q.AnswerKey()]
		if !known {
			open.Questions = append(open.Questions, q)
		}
		if slices.ContainsFunc(answer.Users, func(u identity.User) bool { return u.ID == id }) {
			by.TokenRoles = append(by.TokenRoles, role)
		}
	}
	if len(open.Questions) > 0 {
		return by, a.lookUp(tx, &open)
	}
	return by, nil
}

// maxInstants bounds the instants at which one move of the clock does work.
const maxInstants = 200

// moveClock does the work of the service's own clock up to a time, each part at its instant.
func (a *answers) moveClock(tx *store.Tx, r wf.Request, def policy.Definition, to time.Time) (wf.Request, error) {
	for range maxInstants {
		next := r.NextWork(a.now)
		if next.IsZero() || !next.Before(to) {
			break
		}
		var err error
		if r, err = a.workAt(tx, r, def, next); err != nil {
			return r, err
		}
	}
	return a.workAt(tx, r, def, to)
}

// workAt does the work that is due at a time.
func (a *answers) workAt(tx *store.Tx, r wf.Request, def policy.Definition, now time.Time) (wf.Request, error) {
	for _, work := range []transition{wf.Request.EndByTime, wf.Request.ProcessDeadlines, wf.Request.Resolve} {
		after, _, err := a.step(tx, now, func(f wf.Facts) (wf.Request, []wf.Event, error) { return work(r, def, f) })
		if err != nil {
			return r, err
		}
		r = after
	}
	return r, nil
}

// taskFor returns the task of a stage that the user would decide: one that they may decide, else an open one of their
// pool, one that was theirs, or another, so that the refusal is that of the service. It is empty before the stage has a
// task.
func taskFor(r wf.Request, d SimulatedDecision) (id string) {
	best := 0
	for _, task := range r.Tasks {
		if task.StageKey != d.StageKey {
			continue
		}
		mayTake := func(t wf.Claimant) bool { return t.ID == d.UserID }
		run, live, rank := r.Run(task), task.Status == wf.TaskOpen || task.Status == wf.TaskClaimed, 1
		switch held := task.HeldBy(d.UserID); {
		case live && (held || slices.ContainsFunc(run.EligibleClaimants(task, r.Tasks), mayTake)):
			return task.ID
		case live && run.Pool && run.Concerns(d.UserID):
			rank = 3
		case held:
			rank = 2
		}
		if rank >= best {
			id, best = task.ID, rank
		}
	}
	return id
}
