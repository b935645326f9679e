package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// SimulationInput is the input of a simulation.
type SimulationInput struct {
	Context      []byte // canonical JSON object
	ContextHash  string
	Requester    string // user id; empty for the caller
	ArtifactType string
	ArtifactID   string
	At           time.Time // zero for now
	Play         []PlayEntry

	// TolerateUpstream continues without the results of a directory or resolver that does not
	// respond. By default the simulation is rejected.
	TolerateUpstream bool

	// FromRequest copies requester, artifact and context of a stored request.
	FromRequest string

	// CheckSubmitters refuses a requester that settings.submitters does not permit. By default a warning reports it.
	CheckSubmitters bool
}

// PlayEntry is one step of a simulated request: a decision, a move of the clock, a use or a revocation of the
// approval. One of StageKey, At, Consume and Revoke is set.
type PlayEntry struct {
	SimulatedDecision
	At      time.Time // the clock moves there, and all work that is due by then is done
	Consume string    // id of the user that consumes the approval
	Revoke  string    // id of the user that revokes the approval
}

// SimulatedDecision is a decision of the simulation.
type SimulatedDecision struct {
	StageKey string
	UserID   string
	Action   wf.Action
}

// SimulationOutcome is the outcome of the simulated creation.
type SimulationOutcome string

// The outcomes of a simulation.
const (
	WouldStart       SimulationOutcome = "would_start"
	WouldRefuse      SimulationOutcome = "would_refuse"
	WouldAutoApprove SimulationOutcome = "would_auto_approve"
	WouldAutoReject  SimulationOutcome = "would_auto_reject"
	WouldApprove     SimulationOutcome = "would_approve" // approved at creation, without a decision by a person
	WouldReject      SimulationOutcome = "would_reject"  // rejected at creation, without a decision by a person
)

// Values returns every value.
func (SimulationOutcome) Values() []SimulationOutcome {
	return []SimulationOutcome{WouldStart, WouldRefuse, WouldAutoApprove, WouldAutoReject, WouldApprove, WouldReject}
}

// simulationOutcome returns the outcome of a creation that was not refused.
func simulationOutcome(r wf.Request) SimulationOutcome {
	byPolicy := r.StatusReason != nil && r.StatusReason.Code == wf.BecausePolicy
	switch {
	case r.Status == wf.RequestApproved && byPolicy:
		return WouldAutoApprove
	case r.Status == wf.RequestApproved:
		return WouldApprove
	case r.Status == wf.RequestRejected && byPolicy:
		return WouldAutoReject
	case r.Status == wf.RequestRejected:
		return WouldReject
	default:
		return WouldStart
	}
}

// Simulation is the result of a simulated request.
type Simulation struct {
	Version  policy.Version
	Outcome  SimulationOutcome
	Refusal  *refusal.Error    // of the creation; nil if the request would start
	Problems []refusal.Problem // reasons for a refusal of the request or a blocked stage
	Request  wf.Request
	Stages   []SimulatedStage
	Play     []Played
	Warnings []string            // possible failures
	Diff     *policy.Replacement // from the active version; nil if there is none, or it is this one
}

// SimulatedStage is one stage of a simulation. A stage that is not reached shows the current result
// of its rules.
type SimulatedStage struct {
	Definition      policy.Stage
	Run             wf.StageRun
	When            *When
	EscalateTo      []identity.User // people whom its deadline would add
	EmptyEscalation string          // reason for an escalation without people
}

// When is the value of a stage's condition. If the expression fails, the stage runs.
type When struct {
	Expression string
	Value      bool
	Error      string
}

// Played is the result of one entry.
type Played struct {
	Entry         PlayEntry
	StageStatus   wf.StageStatus // of the stage of a decision
	RequestStatus wf.RequestStatus
	Standing      wf.Standing
	Refusal       *refusal.Error // nil if the entry was accepted
}

// clock returns the time of the simulated creation.
func (in SimulationInput) clock(now time.Time) time.Time {
	if in.At.IsZero() {
		return now
	}
	return in.At
}

// SimulateVersion runs a version as a creation does. It writes only the event of the simulation.
func (e *Policies) SimulateVersion(ctx context.Context, by identity.Actor, key string, number int, in SimulationInput) (Simulation, error) {
	seen, err := e.GetVersion(ctx, key, number)
	if err != nil {
		return Simulation{}, err
	}
	found := e.checkDefinition(seen.Definition)
	var sim Simulation
	id := newID() // constant over all rounds: resolvers receive it
	err = e.do(ctx, func(tx *store.Tx, a *answers) error {
		v, err := tx.Policies.Version(key, number)
		if err != nil {
			return err
		}
		if v.ContentHash != seen.ContentHash { // the draft was edited after the read
			seen, found = v, e.checkDefinition(v.Definition)
		}
		if err := a.checkFromRequest(tx, by, key, in.FromRequest); err != nil {
			return err
		}
		if sim, err = a.simulate(tx, in.clock(tx.Now()), id, by, v, found, in); err != nil {
			return err
		}
		return auditVersion(tx, audit.EventPolicySimulated, by, v)
	})
	if err != nil {
		return sim, err
	}
	active, err := e.GetPolicy(ctx, key)
	if active.Status == policy.VersionActive && active.Number != number {
		sim.Diff = new(sim.Version.Definition.CompareWith(active.Definition))
	}
	return sim, err
}

// checkFromRequest rejects a simulation from a real request by other callers than admins and, for requests of the
// policy, its owners.
func (a *answers) checkFromRequest(tx *store.Tx, by identity.Actor, key, request string) error {
	if request == "" || by.Has(identity.RoleAdmin) {
		return nil
	}
	owners, err := tx.Policies.Owners(key)
	if err != nil {
		return err
	}
	r, err := tx.Request(store.ByID(request))
	if err != nil && !errors.Is(err, reason.RequestNotFound) {
		return err
	}
	if !owners.Includes(by) || r.PolicyKey != key {
		return refusal.New(reason.Forbidden, "only an admin, or an owner of its policy, may simulate from a real request")
	}
	return nil
}

// simulatedCall returns the submitter and the body of the simulated call. The submitter may create
// requests.
func (a *answers) simulatedCall(tx *store.Tx, by identity.Actor, v policy.Version, in SimulationInput) (identity.Actor, RequestInput, error) {
	call := RequestInput{
		PolicyKey: v.Key, ArtifactType: in.ArtifactType, ArtifactID: in.ArtifactID,
		Context: in.Context, ContextHash: in.ContextHash, Priority: wf.PriorityNormal,
	}
	submitter := identity.Actor{User: by.User, Kind: identity.ActorUser, Roles: []identity.Role{identity.RoleAdmin}}
	if in.Requester != "" {
		submitter.User = identity.User{ID: in.Requester}
	}
	if in.FromRequest == "" {
		return submitter, call, nil
	}
	r, err := tx.Request(store.ByID(in.FromRequest))
	if errors.Is(err, reason.RequestNotFound) {
		return submitter, call, refusal.At(reason.BadInput, "/from_request_id", "no such request")
	}
	call.Context, call.ContextHash = r.Context, r.ContextHash
	call.ArtifactType, call.ArtifactID = r.ArtifactType, r.ArtifactID
	call.Labels, call.Priority, call.Requester = r.Labels, r.Priority, r.Requester.ID
	submitter.User = r.SubmittedBy
	return submitter, call, err
}

// simulate runs the creation of a request under a version and returns every stage.
func (a *answers) simulate(
	tx *store.Tx, now time.Time, id string, by identity.Actor, v policy.Version, found Findings, in SimulationInput,
) (Simulation, error) {
	v.Definition = v.Definition.Compiled()
	sim := Simulation{Version: v}
	a.trust = true // approvers remain eligible during the simulation
	submitter, call, err := a.simulatedCall(tx, by, v, in)
	if err != nil {
		return sim, err
	}
	def := v.Definition
	call = call.withDefaults(def)
	if in.CheckSubmitters {
		submitter.Roles = nil
	} else {
		def.Settings.Submitters = nil
	}
	r, _, err := a.plan(tx, now, id, submitter, call, def, v.Number)
	refused, _ := errors.AsType[*refusal.Error](err)
	switch {
	case err == nil:
		sim.Outcome = simulationOutcome(r)
	case refused != nil && (refused.Reason == reason.EngineRefused || refused.Reason == reason.Forbidden || a.tolerates(in, err)):
		sim.Outcome, sim.Refusal = WouldRefuse, refused
		sim.Problems = append(sim.Problems, refusal.Problem{Message: refused.Message})
	default:
		return sim, err
	}
	if r.StatusReason != nil && r.StatusReason.Code == wf.BecauseNoStageApplies {
		message := fmt.Sprintf("no stage applies: the request would be %s without a decision by a person", r.Status)
		if r.Status == wf.RequestRejected {
			sim.Problems = append(sim.Problems, refusal.Problem{Where: "/settings/on_no_stages", Message: message})
		} else {
			sim.Warnings = append(sim.Warnings, "/settings/on_no_stages: "+message)
		}
	}
	draft := r
	draft.Stages, draft.Tasks = nil, nil
	if err := a.simulateStages(tx, &sim, found, r, in); err != nil {
		return sim, err
	}
	warnings, err := a.warnings(tx, v.Definition, draft, sim.Stages)
	if err != nil {
		return sim, err
	}
	sim.Warnings = append(sim.Warnings, warnings...)
	if v.Definition.Settings.Submitters != nil && !in.CheckSubmitters {
		refused := a.maySubmit(tx, v, submitter.User)
		if one, ok := errors.AsType[*refusal.Error](refused); ok && (one.Reason == reason.Forbidden || a.tolerates(in, refused)) {
			sim.Warnings = append(sim.Warnings, "/settings/submitters: for "+submitter.ID+": "+one.Message)
		} else if refused != nil {
			return sim, refused
		}
	}
	for _, entry := range in.Play {
		var played Played
		if r, played, err = a.play(tx, r, v.Definition, entry); err != nil {
			return sim, err
		}
		sim.Play = append(sim.Play, played)
	}
	sim.Request = r
	return sim, nil
}

// maySubmit rejects a user without permission to create requests under the version.
func (a *answers) maySubmit(tx *store.Tx, v policy.Version, user identity.User) error {
	by := identity.Actor{User: user, Kind: identity.ActorUser}
	_, _, err := a.step(tx, a.now, func(f wf.Facts) (wf.Request, []wf.Event, error) {
		return wf.Request{}, nil, wf.MaySubmit(v.Definition, v.Key, v.Number, by, f)
	})
	return err
}

// tolerates reports whether err is a missing answer of a directory or resolver that the simulation
// tolerates.
func (a *answers) tolerates(in SimulationInput, err error) bool {
	return in.TolerateUpstream && errors.Is(err, reason.ResolverFailed)
}

// simulateStages adds every stage, the findings about its definition and the obstacles to its
// approval.
func (a *answers) simulateStages(tx *store.Tx, sim *Simulation, found Findings, r wf.Request, in SimulationInput) error {
	add := func(found Findings) {
		sim.Problems = append(sim.Problems, found.Problems...)
		for _, warning := range found.Warnings {
			sim.Warnings = append(sim.Warnings, warning.Where+": "+warning.Message)
		}
	}
	add(found.OutsideStages())
	for i, stage := range sim.Version.Definition.Stages {
		add(found.Stage(i))
		shown, problems, err := a.simulateStage(tx, sim.Version.Definition, r, stage, in)
		if err == nil {
			err = a.simulateEscalation(tx, sim.Version.Definition, r, &shown)
		}
		if unanswered, _ := errors.AsType[*refusal.Error](err); unanswered != nil && a.tolerates(in, err) {
			problems, err = append(problems, unanswered.Message), nil
		}
		if err != nil {
			return err
		}
		sim.Stages = append(sim.Stages, shown)
		for _, problem := range problems {
			if shown.Run.Status == wf.StagePending && readsApprovals(stage) { // no approvals exist yet
				sim.Warnings = append(sim.Warnings, fmt.Sprintf("%s: if approvals of earlier stages do not change it, %s", stage.Key, problem))
				continue
			}
			sim.Problems = append(sim.Problems, refusal.Problem{Where: fmt.Sprintf("/stages/%d", i), Message: problem})
		}
	}
	return nil
}

// readsApprovals reports whether the approvers of the stage depend on earlier stages.
func readsApprovals(stage policy.Stage) bool {
	return slices.ContainsFunc(stage.Approvers, func(r policy.Rule) bool {
		return r.Type == policy.RuleStageActor || strings.Contains(r.CEL+r.Of, "stages")
	})
}

// simulateStage returns a stage as it started, or as it would start now.
func (a *answers) simulateStage(
	tx *store.Tx,
	def policy.Definition,
	r wf.Request,
	stage policy.Stage,
	in SimulationInput,
) (SimulatedStage, []string, error) {
	shown := SimulatedStage{Definition: stage}
	if stage.When != "" {
		value := wf.Case{Request: r, Definition: def, Now: a.now}.Applies(stage.When)
		shown.When = &When{Expression: stage.When, Value: value.Bool || value.Failure != nil}
		if value.Failure != nil {
			shown.When.Error = value.Failure.Message
		}
	}
	shown.Run, _ = r.LatestRun(stage.Key)
	switch shown.Run.Status {
	case wf.StageBlocked:
		return shown, []string{fmt.Sprintf("too few eligible approvers: %d; an admin would have to assign more", len(shown.Run.People))}, nil
	case wf.StageRejected:
		return shown, []string{"too few eligible approvers: the request would be rejected"}, nil
	case wf.StageActive, wf.StageSkipped:
		return shown, nil, nil
	}
	var problems []string
	_, _, err := a.step(tx, a.now, func(f wf.Facts) (_ wf.Request, _ []wf.Event, err error) {
		shown.Run, problems, err = r.Preview(def, stage, f)
		return r, nil, err
	})
	if err != nil && a.tolerates(in, err) {
		shown.Run.Status = wf.StageResolving
	}
	return shown, problems, err
}

// simulateEscalation adds the people whom the deadline of a stage would add.
func (a *answers) simulateEscalation(tx *store.Tx, def policy.Definition, r wf.Request, shown *SimulatedStage) error {
	over := shown.Run.Status == wf.StageSkipped || shown.Run.Status == wf.StageRejected
	if d := shown.Definition.Deadline; d == nil || d.Effect() != policy.OnDueEscalate || over {
		return nil
	}
	_, _, err := a.step(tx, a.now, func(f wf.Facts) (_ wf.Request, _ []wf.Event, err error) {
		shown.EscalateTo, shown.EmptyEscalation, err = r.PreviewEscalation(def, shown.Run, f)
		return r, nil, err
	})
	return err
}
