package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// SimulationInput is what a simulation starts from.
type SimulationInput struct {
	Context      []byte // canonical JSON object
	ContextHash  string
	Requester    string // user id; empty for the caller
	ArtifactType string
	ArtifactID   string
	At           time.Time // zero for now
	Decisions    []SimulatedDecision

	// FromRequest takes requester, artifact and context of a real request.
	FromRequest string
}

// SimulatedDecision is a decision to play.
type SimulatedDecision struct {
	StageKey string
	UserID   string
	Action   wf.Action
}

// SimulationOutcome is how the creation of the request would end.
type SimulationOutcome string

// The outcomes of a simulation.
const (
	WouldStart       SimulationOutcome = "would_start"
	WouldRefuse      SimulationOutcome = "would_refuse"
	WouldAutoApprove SimulationOutcome = "would_auto_approve"
	WouldAutoReject  SimulationOutcome = "would_auto_reject"
)

// Simulation is what a request would go through.
type Simulation struct {
	Version  wf.Version
	Outcome  SimulationOutcome
	Problems wf.Problems // why the request would be refused, or a stage blocked
	Request  wf.Request
	Stages   []SimulatedStage
	Play     []Played
	Warnings []string // what may go wrong
}

// SimulatedStage is one stage of a simulation. A stage that is not reached yet is shown
// by its rules as they stand.
type SimulatedStage struct {
	Definition wf.Stage
	Run        wf.StageRun
	When       *When
}

// When is the value of a stage's condition. An expression that fails runs the stage.
type When struct {
	Expression string
	Value      bool
	Error      string
}

// Played is the result of one simulated decision.
type Played struct {
	Decision      SimulatedDecision
	StageStatus   wf.StageStatus
	RequestStatus wf.RequestStatus
	Problem       string // why the decision would be refused
}

// Simulate runs a version as a creation would. It writes only the event that says so.
func (e *Engine) Simulate(ctx context.Context, by wf.Actor, key string, number int, in SimulationInput) (Simulation, error) {
	seen, err := e.Version(ctx, key, number)
	if err != nil {
		return Simulation{}, err
	}
	judged := e.judge(seen.Definition)
	var sim Simulation
	id := newID() // the same in every turn: resolvers are told it
	err = e.do(ctx, func(tx *store.Tx, a *answers) error {
		v, err := tx.Version(key, number)
		if err != nil {
			return err
		}
		if v.ContentHash != seen.ContentHash { // the draft has been edited meanwhile
			seen, judged = v, e.judge(v.Definition)
		}
		found, err := settle(tx, judged)
		if err != nil {
			return err
		}
		if in.FromRequest != "" && !by.Has(wf.RoleAdmin) {
			return wf.Refuse(wf.Forbidden, "only an admin may simulate from a real request")
		}
		draft, err := e.simulated(tx, id, by, v, in)
		if err != nil {
			return err
		}
		if sim, err = a.simulate(tx, v, found, draft, in); err != nil {
			return err
		}
		return auditVersion(tx, wf.EventPolicySimulated, by, v)
	})
	return sim, err
}

// simulated is the draft of the request to simulate.
func (e *Engine) simulated(tx *store.Tx, id string, by wf.Actor, v wf.Version, in SimulationInput) (wf.Request, error) {
	draft := wf.Request{
		ID: id, PolicyKey: v.Key, PolicyVersion: v.Number, ArtifactType: in.ArtifactType, ArtifactID: in.ArtifactID,
		Context: in.Context, ContextHash: in.ContextHash, Priority: wf.PriorityNormal, Revision: 1, CreatedAt: tx.Now(),
		Requester: by.User, SubmittedBy: by.User,
	}
	if in.Requester != "" {
		draft.Requester = wf.User{ID: in.Requester}
		draft.SubmittedBy = draft.Requester
	}
	if in.FromRequest == "" {
		return draft, nil
	}
	r, err := tx.Request(store.ByID(in.FromRequest))
	if errors.Is(err, wf.RequestNotFound) {
		return draft, wf.RefuseInput("value_error", []any{"body", "from_request_id"}, "Value error, no such request")
	}
	draft.Context, draft.ContextHash = r.Context, r.ContextHash
	draft.ArtifactType, draft.ArtifactID = r.ArtifactType, r.ArtifactID
	draft.Requester, draft.SubmittedBy = r.Requester, r.SubmittedBy
	draft.Labels, draft.Priority = r.Labels, r.Priority
	return draft, err
}

func (a *answers) simulate(tx *store.Tx, v wf.Version, found Findings, draft wf.Request, in SimulationInput) (Simulation, error) {
	sim := Simulation{Version: v, Outcome: WouldStart}
	a.trust = true // approvers stay approvers during the simulation
	if a.now = tx.Now(); !in.At.IsZero() {
		a.now = in.At
	}
	submitter := wf.Actor{User: draft.SubmittedBy, Kind: wf.ActorUser, Roles: []wf.Role{wf.RoleAdmin}}
	def := v.Definition
	def.Settings.Submitters = nil // everybody may submit here
	r, _, err := a.step(tx, a.now, func(f wf.Facts) (wf.Request, []wf.Event, error) { return wf.NewRequest(draft, def, submitter, f) })
	refused, _ := errors.AsType[*wf.Error](err)
	switch {
	case refused != nil && refused.Reason == wf.EngineRefused:
		sim.Outcome = WouldRefuse
		sim.Problems, r = append(sim.Problems, wf.Problem{Message: refused.Message}), draft
	case err != nil:
		return sim, err
	case r.StatusReason != nil && r.StatusReason.Code == wf.BecausePolicy:
		sim.Outcome = map[wf.RequestStatus]SimulationOutcome{wf.RequestApproved: WouldAutoApprove, wf.RequestRejected: WouldAutoReject}[r.Status]
	}
	if err := a.simulateStages(tx, &sim, found, r); err != nil {
		return sim, err
	}
	warnings, err := a.warnings(tx, v.Definition, draft, sim.Stages)
	if err != nil {
		return sim, err
	}
	sim.Warnings = append(sim.Warnings, warnings...)
	for _, d := range in.Decisions {
		var played Played
		if r, played, err = a.play(tx, r, v.Definition, d); err != nil {
			return sim, err
		}
		sim.Play = append(sim.Play, played)
	}
	sim.Request = r
	return sim, nil
}

// simulateStages shows every stage, with the findings about its definition, and with
// what would keep its people from approving it.
func (a *answers) simulateStages(tx *store.Tx, sim *Simulation, found Findings, r wf.Request) error {
	add := func(found Findings) {
		sim.Problems = append(sim.Problems, found.Problems...)
		for _, warning := range found.Warnings {
			sim.Warnings = append(sim.Warnings, warning.String())
		}
	}
	add(found.Outside())
	for i, stage := range sim.Version.Definition.Stages {
		add(found.Stage(i))
		shown, problems, err := a.simulateStage(tx, sim.Version.Definition, r, stage)
		if err != nil {
			return err
		}
		sim.Stages = append(sim.Stages, shown)
		for _, problem := range problems {
			if shown.Run.Status != wf.StageBlocked && readsApprovals(stage) { // there are no approvals yet
				sim.Warnings = append(sim.Warnings, fmt.Sprintf("%s: if approvals of earlier stages do not change it, %s", stage.Key, problem))
				continue
			}
			sim.Problems = append(sim.Problems, wf.Problem{Pointer: fmt.Sprintf("/stages/%d", i), Message: problem})
		}
	}
	return nil
}

// readsApprovals reports whether the stage's approvers depend on earlier stages.
func readsApprovals(stage wf.Stage) bool {
	return slices.ContainsFunc(stage.Approvers, func(r wf.Rule) bool {
		return r.Type == wf.RuleStageActor || strings.Contains(r.CEL+r.Of, "stages")
	})
}

// simulateStage shows a stage as it started, or as it would start now.
func (a *answers) simulateStage(tx *store.Tx, def wf.Definition, r wf.Request, stage wf.Stage) (SimulatedStage, []string, error) {
	shown := SimulatedStage{Definition: stage}
	if stage.When != "" {
		value, err := a.condition(tx, wf.Evaluation{Source: stage.When, Reads: r.Environment(def)})
		if err != nil {
			return shown, nil, err
		}
		shown.When = &When{Expression: stage.When, Value: value.Bool || value.Failure != nil}
		if value.Failure != nil {
			shown.When.Error = value.Failure.Message
		}
	}
	shown.Run, _ = r.Latest(stage.Key)
	switch shown.Run.Status {
	case wf.StageBlocked:
		return shown, []string{fmt.Sprintf("too few people may approve: %d are eligible, and an admin would have to find more", len(shown.Run.People))}, nil
	case wf.StageRejected:
		return shown, []string{"too few people may approve: the request would be rejected"}, nil
	case wf.StageActive, wf.StageSkipped:
		return shown, nil, nil
	}
	var problems []string
	_, _, err := a.step(tx, a.now, func(f wf.Facts) (_ wf.Request, _ []wf.Event, err error) {
		shown.Run, problems, err = r.Preview(def, stage, f)
		return r, nil, err
	})
	return shown, problems, err
}

// condition is the value of an expression, or an open question.
func (a *answers) condition(tx *store.Tx, e wf.Evaluation) (wf.Value, error) {
	value, known := a.known.Values[e.Key()]
	if known {
		return value, nil
	}
	err := a.lookUp(tx, &wf.Unanswered{Evaluations: []wf.Evaluation{e}})
	return a.known.Values[e.Key()], err
}

// play applies one decision to a simulated request.
func (a *answers) play(tx *store.Tx, r wf.Request, def wf.Definition, d SimulatedDecision) (wf.Request, Played, error) {
	played := Played{Decision: d}
	by := wf.Actor{User: wf.User{ID: d.UserID}, Kind: wf.ActorUser, Auth: wf.Auth{AuthTime: wf.Stamp{Time: a.now}}}
	in := wf.DecisionInput{ID: newID(), Action: d.Action, Comment: "simulated decision"}
	if id, ok := taskFor(r, d); !ok {
		played.Problem = fmt.Sprintf("%s has no task of stage %s to decide", d.UserID, d.StageKey)
	} else if after, _, err := a.step(tx, a.now, func(f wf.Facts) (wf.Request, []wf.Event, error) { return r.Decide(def, id, in, by, f) }); err == nil {
		r = after
	} else if refusal, ok := errors.AsType[*wf.Error](err); ok {
		played.Problem = refusal.Message
	} else {
		return r, played, err
	}
	played.RequestStatus = r.Status
	run, _ := r.Latest(d.StageKey)
	played.StageStatus = run.Status
	return r, played, nil
}

// taskFor finds the task of a stage that a person may decide.
func taskFor(r wf.Request, d SimulatedDecision) (string, bool) {
	for _, task := range r.Tasks {
		if task.StageKey != d.StageKey || task.Status != wf.TaskOpen && task.Status != wf.TaskClaimed {
			continue
		}
		mayTake := func(t wf.Taker) bool { return t.ID == d.UserID }
		if task.HeldBy(d.UserID) || slices.ContainsFunc(r.Run(task).Offered(task, r.Tasks), mayTake) {
			return task.ID, true
		}
	}
	return "", false
}
