package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// SimulationOutcome is what creation would do.
type SimulationOutcome string

// The outcomes of a simulation.
const (
	WouldStart       SimulationOutcome = "would_start"
	WouldRefuse      SimulationOutcome = "would_refuse"
	WouldAutoApprove SimulationOutcome = "would_auto_approve"
	WouldAutoReject  SimulationOutcome = "would_auto_reject"
)

// Simulation foretells what a request would go through.
type Simulation struct {
	Version  wf.Version
	Outcome  SimulationOutcome
	Problem  string // why the request would be refused
	Request  wf.Request
	Stages   []SimulatedStage
	Play     []Played
	Warnings []string
}

// SimulatedStage is one stage of a simulation. A stage that is not reached yet is
// shown as its rules stand now.
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

// Played is what one simulated decision led to.
type Played struct {
	Decision      SimulatedDecision
	StageStatus   wf.StageStatus
	RequestStatus wf.RequestStatus
	Problem       string // why the decision would be refused
}

// Simulate runs a version as creation would, and writes nothing but that it did.
func (e *Engine) Simulate(ctx context.Context, by wf.Actor, key string, number int, in SimulationInput) (Simulation, error) {
	var sim Simulation
	id := newID() // the same in every turn: resolvers are told it
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
		v, err := tx.Version(key, number)
		if err != nil {
			return err
		}
		if in.FromRequest != "" && !by.Has(wf.Admin) {
			return wf.Refuse(wf.Forbidden, "only an admin may simulate from a real request")
		}
		draft, err := e.simulated(tx, id, by, v, in)
		if err != nil {
			return err
		}
		if sim, err = e.simulate(ctx, tx, a, v, draft, in); err != nil {
			return err
		}
		return auditVersion(tx, wf.PolicySimulated, by, v)
	})
	return sim, err
}

// simulated is the draft of the request to simulate.
func (e *Engine) simulated(tx *store.Tx, id string, by wf.Actor, v wf.Version, in SimulationInput) (wf.Request, error) {
	draft := wf.Request{
		ID: id, PolicyKey: v.Key, PolicyVersion: v.Number, ArtifactType: in.ArtifactType, ArtifactID: in.ArtifactID,
		Context: in.Context, ContextHash: in.ContextHash, Priority: wf.Normal, Revision: 1, CreatedAt: tx.Now,
		Requester: by.User, SubmittedBy: by.User,
	}
	if in.Requester != "" {
		draft.Requester = wf.User{ID: in.Requester}
		draft.SubmittedBy = draft.Requester
	}
	if in.FromRequest == "" {
		return draft, nil
	}
	r, err := tx.Request(in.FromRequest)
	if errors.Is(err, wf.RequestNotFound) {
		return draft, wf.RefuseInput("value_error", []any{"body", "from_request_id"}, "Value error, no such request")
	}
	draft.Context, draft.ContextHash = r.Context, r.ContextHash
	draft.ArtifactType, draft.ArtifactID = r.ArtifactType, r.ArtifactID
	draft.Requester, draft.SubmittedBy = r.Requester, r.SubmittedBy
	draft.Labels, draft.Priority = r.Labels, r.Priority
	return draft, err
}

func (e *Engine) simulate(ctx context.Context, tx *store.Tx, a *answers, v wf.Version, draft wf.Request, in SimulationInput) (Simulation, error) {
	sim := Simulation{Version: v, Outcome: WouldStart}
	now := tx.Now
	if !in.At.IsZero() {
		now = in.At
	}
	w := e.world(ctx, tx, a, v.Definition, now)
	w.Yield = nil // who is an approver at the start is one when he decides
	submitter := wf.Actor{User: draft.SubmittedBy, Kind: wf.ByUser}
	r, _, err := e.open(ctx, submitter, draft, v.Definition, w)
	var refusal *wf.Error
	switch {
	case errors.As(err, &refusal) && refusal.Reason == wf.EngineRefused:
		sim.Outcome, sim.Problem, sim.Request = WouldRefuse, refusal.Message, draft
		return sim, nil
	case err != nil:
		return sim, err
	case r.StatusReason != nil && r.StatusReason.Code == wf.BecausePolicy:
		sim.Outcome = map[wf.RequestStatus]SimulationOutcome{wf.WasApproved: WouldAutoApprove, wf.WasRejected: WouldAutoReject}[r.Status]
	}
	for _, stage := range v.Definition.Stages {
		shown, err := e.simulateStage(ctx, v.Definition, r, stage, w)
		if err != nil {
			return sim, err
		}
		sim.Stages = append(sim.Stages, shown)
	}
	sim.Warnings = warnings(sim.Stages)
	for _, d := range in.Decisions {
		var played Played
		r, played = play(r, v.Definition, d, w)
		sim.Play = append(sim.Play, played)
	}
	sim.Request = r
	return sim, nil
}

func (e *Engine) simulateStage(ctx context.Context, def wf.Definition, r wf.Request, stage wf.Stage, w wf.World) (SimulatedStage, error) {
	shown := SimulatedStage{Definition: stage, Run: wf.StageRun{Key: stage.Key, Name: stage.Name, Run: 1, Status: wf.StagePending, ParallelGroup: stage.ParallelGroup}}
	if stage.When != "" {
		value, err := e.Conditions.Bool(ctx, stage.When, facts(r, def, w.At))
		shown.When = &When{Expression: stage.When, Value: value || err != nil}
		if err != nil {
			shown.When.Error = err.Error()
		}
	}
	for _, run := range r.Stages {
		if run.Key == stage.Key {
			shown.Run = run
		}
	}
	if shown.Run.Status != wf.StagePending {
		return shown, nil
	}
	plan, err := w.Plan(r, stage)
	if err == nil && plan.Unavailable != "" {
		err = wf.NoAnswer("stage %s: %s", stage.Key, plan.Unavailable)
	}
	if err != nil {
		return shown, err
	}
	shown.Run = r.Preview(def, stage, plan, w)
	return shown, nil
}

// play applies one decision to a simulated request.
func play(r wf.Request, def wf.Definition, d SimulatedDecision, w wf.World) (wf.Request, Played) {
	played := Played{Decision: d}
	by := wf.Actor{User: wf.User{ID: d.UserID}, Kind: wf.ByUser, Auth: wf.Auth{AuthTime: wf.Stamp{Time: w.At}}}
	id, ok := taskFor(r, d)
	if !ok {
		played.Problem = fmt.Sprintf("%s has no task of stage %s to decide", d.UserID, d.StageKey)
	} else if after, _, err := r.Decide(def, id, wf.DecisionInput{ID: w.NewID(), Action: d.Action, Comment: "simulated decision"}, by, w); err != nil {
		played.Problem = err.Error()
		if refusal, ok := errors.AsType[*wf.Error](err); ok {
			played.Problem = refusal.Message
		}
	} else {
		r = after
	}
	played.RequestStatus = r.Status
	for _, run := range r.Stages {
		if run.Key == d.StageKey {
			played.StageStatus = run.Status
		}
	}
	return r, played
}

// taskFor finds the task of a stage that a person may decide.
func taskFor(r wf.Request, d SimulatedDecision) (string, bool) {
	for _, task := range r.Tasks {
		if task.StageKey != d.StageKey || task.Status != wf.TaskOpen && task.Status != wf.TaskClaimed {
			continue
		}
		if task.Assignee != nil && task.Assignee.ID == d.UserID {
			return task.ID, true
		}
		candidates := r.Run(task).Candidates(task)
		if slices.ContainsFunc(candidates, func(a wf.Approver) bool { return a.ID == d.UserID }) {
			return task.ID, true
		}
	}
	return "", false
}

// warnings names what an author may want to look at.
func warnings(stages []SimulatedStage) []string {
	var out []string
	first := map[string]string{}
	for _, s := range stages {
		if s.Run.Status == wf.StageSkipped {
			continue
		}
		switch len(s.Run.People) {
		case 0:
			out = append(out, fmt.Sprintf("%s: nobody is eligible", s.Run.Key))
		case 1:
			out = append(out, fmt.Sprintf("%s: only 1 eligible approver", s.Run.Key))
		}
		for _, person := range s.Run.People {
			if earlier, seen := first[person.ID]; seen {
				out = append(out, fmt.Sprintf("%s: %s is an approver of stage %s too", s.Run.Key, person.ID, earlier))
			} else {
				first[person.ID] = s.Run.Key
			}
		}
	}
	return out
}
