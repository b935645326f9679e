package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// DryRunInput is the input of a dry run.
type DryRunInput struct {
	Context      []byte // canonical JSON object
	ContextHash  string
	Requester    string // user id; empty for the caller
	ArtifactType string
	ArtifactID   string
	At           time.Time // zero for now
	Play         []PlayEntry

	// TolerateUpstream continues without the results of a directory or resolver that does not
	// respond. By default the dry run is refused.
	TolerateUpstream bool

	// FromRequest copies requester, artifact and context of a stored request.
	FromRequest string
}

// PlayEntry is one act after the creation: a decision, its withdrawal, a move of the clock, a consumption or a
// revocation of the approval.
type PlayEntry struct {
	Stage    string    `json:"stage,omitempty" minLength:"1" maxLength:"64" doc:"Stage of a decision, with user and action, or of a withdrawal, with withdraw."`
	User     string    `json:"user,omitempty" minLength:"1" maxLength:"255" doc:"Id of the deciding user."`
	Action   wf.Action `json:"action,omitempty" doc:"The decision."`
	Withdraw string    `json:"withdraw,omitempty" minLength:"1" maxLength:"255" doc:"Id of the user that withdraws a decision."`
	At       time.Time `json:"at,omitzero" doc:"Moves the clock to this time and does all work that is due by then."`
	Consume  string    `json:"consume,omitempty" minLength:"1" maxLength:"255" doc:"Id of the consuming user."`
	Revoke   string    `json:"revoke,omitempty" minLength:"1" maxLength:"255" doc:"Id of the revoking user."`
}

// CheckPlay returns the problems of /play: entries that are not exactly one act.
func CheckPlay(list []PlayEntry) error {
	var problems []refusal.Problem
	for i, p := range list {
		decision := PlayEntry{Stage: p.Stage, User: p.User, Action: p.Action}
		switch {
		case p == decision && p.Stage != "" && p.User != "" && p.Action != "":
		case p == PlayEntry{Stage: p.Stage, Withdraw: p.Withdraw} && p.Stage != "" && p.Withdraw != "":
		case p == PlayEntry{At: p.At} && !p.At.IsZero():
		case p == PlayEntry{Consume: p.Consume, Revoke: p.Revoke} && (p.Consume == "") != (p.Revoke == ""):
		default:
			problems = append(problems, refusal.Problem{
				Reason: reason.BadInput, Where: fmt.Sprintf("/play/%d", i),
				Message: "must have stage, user and action, or stage and withdraw, or only at, consume or revoke",
			})
		}
	}
	return refusal.Invalid(problems)
}

// Outcome is the outcome of the creation in a dry run.
type Outcome string

// The outcomes.
const (
	WouldStart       Outcome = "would_start"
	WouldRefuse      Outcome = "would_refuse"
	WouldAutoApprove Outcome = "would_auto_approve"
	WouldAutoReject  Outcome = "would_auto_reject"
	WouldApprove     Outcome = "would_approve" // approved at creation, without a decision by a person
	WouldReject      Outcome = "would_reject"  // rejected at creation, without a decision by a person
)

// Values returns every value.
func (Outcome) Values() []Outcome {
	return []Outcome{WouldStart, WouldRefuse, WouldAutoApprove, WouldAutoReject, WouldApprove, WouldReject}
}

// outcomes are the outcomes of a creation that was not refused, by the status of the request, and whether the policy
// itself has decided.
var outcomes = map[wf.RequestStatus]map[bool]Outcome{
	wf.RequestApproved: {false: WouldApprove, true: WouldAutoApprove},
	wf.RequestRejected: {false: WouldReject, true: WouldAutoReject},
}

func outcomeOf(r wf.Request) Outcome {
	return cmp.Or(outcomes[r.Status][r.StatusReason != nil && r.StatusReason.Code == wf.BecausePolicy], WouldStart)
}

// DryRun is a request that is not stored, after its creation and the played acts. Refusals are those of the service.
type DryRun struct {
	wf.Case
	Version  policy.Version
	Outcome  Outcome
	Refusal  *refusal.Error    // of the creation; nil if the request would start
	Problems []refusal.Problem // reasons for a refusal of the request or a blocked stage
	Stages   []DryStage
	Play     []Played
	Warnings []string // possible failures
}

// DryStage is one stage of a dry run. A stage that is not reached shows the current result of its rules.
type DryStage struct {
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

// Skips reports whether a pending stage would be skipped by the present value of its condition.
func (d DryRun) Skips(run wf.StageRun) bool {
	stage, _ := d.Definition.Stage(run.Key)
	when := d.whenOf(stage)
	return run.Status == wf.StagePending && when != nil && !when.Value
}

func (d DryRun) whenOf(stage policy.Stage) *When {
	if stage.When == "" {
		return nil
	}
	value := d.Case.Applies(stage.When)
	when := &When{Expression: stage.When, Value: value.Bool || value.Failure != nil}
	if value.Failure != nil {
		when.Error = value.Failure.Message
	}
	return when
}

// lastYear is the last year of the clock of a dry run. The ends of its durations, of up to ten years each, are before
// the year 10000, which RFC 3339 cannot express.
const lastYear = 9900

// dryRun is a dry run in progress. Without a database, tx is nil.
type dryRun struct {
	*answers
	tx *store.Tx
	in DryRunInput
	DryRun
}

// step applies a transition to the request.
func (d *dryRun) step(now time.Time, do func(wf.Facts) (wf.Request, []wf.Event, error)) error {
	after, _, err := d.answers.step(now, do)
	if d.Now = now; err == nil {
		d.Request = after
	}
	return err
}

// apply applies a step of the domain to the request, under a definition.
func (d *dryRun) apply(now time.Time, def policy.Definition, by identity.Actor, step wf.Step) error {
	return d.step(now, func(f wf.Facts) (wf.Request, []wf.Event, error) { return d.Request.Apply(def, by, f, step) })
}

// newDryRun starts a dry run of a definition.
func (a *answers) newDryRun(tx *store.Tx, v policy.Version, in DryRunInput) *dryRun {
	v.Definition = v.Definition.Compiled()
	return &dryRun{answers: a, tx: tx, in: in, DryRun: DryRun{Version: v, Case: wf.Case{Definition: v.Definition}}}
}

// create creates the request.
func (d *dryRun) create(now time.Time, id string, by identity.Actor, call RequestInput) error {
	call = call.withDefaults(d.Definition)
	r, _, err := d.plan(now, id, by, call, d.Definition, d.Version.Number)
	d.Now, d.Request = now, r
	answered := err == nil || errors.Is(err, reason.ResolverFailed) // a conflict takes precedence over a missing answer
	if answered && d.tx != nil && d.in.FromRequest == "" && d.Definition.OneOpen(call.ArtifactID) && !r.Status.Final() {
		if taken := d.ensureArtifactFree(d.tx, call, by, false); taken != nil {
			err = taken
		}
	}
	return err
}

// dryRun creates a request under a version, shows every stage and plays the entries.
func (a *answers) dryRun(
	tx *store.Tx, id string, by identity.Actor, v policy.Version, found Findings, in DryRunInput,
) (DryRun, error) {
	d := a.newDryRun(tx, v, in)
	a.trust = true // approvers remain eligible
	submitter, call, err := d.call(by)
	if err != nil {
		return d.DryRun, err
	}
	switch {
	case in.At.IsZero():
		in.At = tx.Now()
	case in.At.Year() > lastYear:
		return d.DryRun, refusal.At(reason.BadInput, "/at", "must be in the year %d at the latest", lastYear)
	}
	err = d.create(in.At, id, submitter, call)
	refused, _ := errors.AsType[*refusal.Error](err)
	switch {
	case err == nil:
		d.Outcome = outcomeOf(d.Request)
	case refused != nil && (slices.Contains(creationRefusals, refused.Reason) || d.tolerates(err)):
		d.Outcome, d.Refusal = WouldRefuse, refused
		d.Request.Status, d.Request.Stages, d.Request.Tasks = "", nil, nil
		d.problem("", refused.Message)
	default:
		return d.DryRun, err
	}
	d.Problems = append(d.Problems, found.Problems...)
	for _, warning := range found.Warnings {
		d.warn(warning.Where, "%s", warning.Message)
	}
	d.warnOfSettings()
	for i, stage := range d.Definition.Stages {
		if err := d.stage(i, stage); err != nil {
			return d.DryRun, err
		}
	}
	d.warnOfStages()
	for _, entry := range in.Play {
		if err := d.play(entry); err != nil {
			return d.DryRun, err
		}
	}
	return d.DryRun, nil
}

// creationRefusals are the reasons that are an outcome of the creation. Other failures refuse the dry run.
var creationRefusals = []refusal.Reason{reason.EngineRefused, reason.Forbidden, reason.WrongState}

func (d *dryRun) problem(where, message string) {
	d.Problems = append(d.Problems, refusal.Problem{Where: where, Message: message})
}

func (d *dryRun) warn(where, format string, args ...any) {
	d.Warnings = append(d.Warnings, where+": "+fmt.Sprintf(format, args...))
}

// tolerates reports whether err is a missing answer of a directory or resolver that the dry run tolerates.
func (d *dryRun) tolerates(err error) bool {
	return d.in.TolerateUpstream && errors.Is(err, reason.ResolverFailed)
}

// call returns the submitter and the body of the creation.
func (d *dryRun) call(by identity.Actor) (identity.Actor, RequestInput, error) {
	in := d.in
	call := RequestInput{
		PolicyKey: d.Version.Key, ArtifactType: in.ArtifactType, ArtifactID: in.ArtifactID,
		Context: in.Context, ContextHash: in.ContextHash, Priority: wf.PriorityNormal,
	}
	submitter := identity.Actor{User: by.User, Kind: identity.ActorUser}
	if in.Requester != "" {
		submitter.User = identity.User{ID: in.Requester}
	}
	if in.FromRequest == "" {
		return submitter, call, nil
	}
	r, err := d.tx.Request(store.ByID(in.FromRequest))
	switch missing := errors.Is(err, reason.RequestNotFound); {
	case !by.Has(identity.RoleAdmin) && (missing || err == nil && r.PolicyKey != d.Version.Key):
		return submitter, call, errFromRequest
	case missing:
		return submitter, call, refusal.At(reason.BadInput, "/from_request_id", "no such request")
	}
	call.Context, call.ContextHash = r.Context, r.ContextHash
	call.ArtifactType, call.ArtifactID = r.ArtifactType, r.ArtifactID
	call.Labels, call.Priority, call.Requester = r.Labels, r.Priority, r.Requester.ID
	submitter.User, submitter.Roles = r.SubmittedBy, []identity.Role{identity.RoleAdmin} // it was permitted
	return submitter, call, err
}

// stage adds a stage as it started, or as it would start now, with the obstacles to its approval.
func (d *dryRun) stage(i int, stage policy.Stage) error {
	shown := DryStage{Definition: stage, When: d.whenOf(stage)}
	shown.Run, _ = d.Request.LatestRun(stage.Key)
	var problems []string
	var err error
	switch shown.Run.Status {
	case wf.StageBlocked:
		problems = []string{fmt.Sprintf("too few eligible approvers: %d; an admin would have to assign more", len(shown.Run.People))}
	case wf.StageRejected:
		problems = []string{"too few eligible approvers: the request would be rejected"}
	case wf.StageActive, wf.StageSkipped:
	default:
		err = d.step(d.Now, func(f wf.Facts) (_ wf.Request, _ []wf.Event, err error) {
			shown.Run, problems, err = d.Request.Preview(d.Definition, stage, f)
			return d.Request, nil, err
		})
		if d.tolerates(err) {
			shown.Run.Status = wf.StageResolving
		}
	}
	over := shown.Run.Status == wf.StageSkipped || shown.Run.Status == wf.StageRejected
	if err == nil && stage.Deadline != nil && stage.Deadline.Effect() == policy.OnDueEscalate && !over {
		err = d.step(d.Now, func(f wf.Facts) (_ wf.Request, _ []wf.Event, err error) {
			shown.EscalateTo, shown.EmptyEscalation, err = d.Request.PreviewEscalation(d.Definition, shown.Run, f)
			return d.Request, nil, err
		})
	}
	if err != nil && !d.tolerates(err) {
		return err
	} else if err != nil {
		problems = append(problems, refusal.MessageOf(err))
	}
	d.Stages = append(d.Stages, shown)
	for _, problem := range problems {
		if shown.Run.Status == wf.StagePending && d.readsApprovals(stage) { // no approvals exist yet
			d.warn(stage.Key, "if approvals of earlier stages do not change it, %s", problem)
		} else {
			d.problem(fmt.Sprintf("/stages/%d", i), problem)
		}
	}
	return nil
}

// readsApprovals reports whether the approvers of the stage depend on earlier stages.
func (d *dryRun) readsApprovals(stage policy.Stage) bool {
	return slices.ContainsFunc(stage.Approvers, func(r policy.Rule) bool {
		return r.Type == policy.RuleStageActor || d.Definition.Programs.Reads(r.Expression(), "stages")
	})
}

// warnOfSettings warns of settings that may fail, for the author of the policy.
func (d *dryRun) warnOfSettings() {
	s := d.Definition.Settings
	if why := d.Request.StatusReason; why != nil && why.Code == wf.BecauseNoStageApplies {
		message := fmt.Sprintf("no stage applies: the request would be %s without a decision by a person", d.Request.Status)
		if d.Request.Status == wf.RequestRejected {
			d.problem("/settings/on_no_stages", message)
		} else {
			d.warn("/settings/on_no_stages", "%s", message)
		}
	}
	draft := d.Case
	draft.Request.Stages = nil // the conditions are those of the creation
	for _, c := range []struct{ name, cel string }{
		{"auto_reject_when", s.AutoRejectWhen}, {"auto_approve_when", s.AutoApproveWhen},
	} {
		if c.cel == "" {
			continue
		}
		if failure := draft.Applies(c.cel).Failure; failure != nil {
			d.warn("/settings/"+c.name, "fails, so approvers decide: %s", failure.Message)
		}
	}
	if s.Submitters == nil {
		d.warn("/settings/submitters", "absent, so any caller with a valid token may create requests")
	}
}

// warnOfStages warns of stages that may fail with these people and this content.
func (d *dryRun) warnOfStages() {
	first := map[string]string{}
	for _, s := range d.Stages {
		if s.Run.Status == wf.StageSkipped {
			continue
		}
		warn := func(format string, args ...any) { d.warn(s.Definition.Key, format, args...) }
		if s.When != nil && s.When.Error != "" {
			warn("its condition fails, so the stage runs: %s", s.When.Error)
		}
		switch people := len(s.Run.People); {
		case people == 0:
			warn("no eligible approver")
		case people == 1:
			warn("only 1 eligible approver")
		}
		if s.EmptyEscalation != "" {
			warn("its escalation adds nobody: %s", s.EmptyEscalation)
		}
		if deadline := s.Definition.Deadline; deadline != nil && d.Request.ExpiresAt != nil {
			due := d.Definition.Settings.DueAt(*deadline, s.Run.Computed, d.Now) // or later, if the stage starts later
			if due.After(*d.Request.ExpiresAt) {
				warn("its due date, %s or later, is after the end of the request at %s",
					identity.Stamp{Time: due}, identity.Stamp{Time: *d.Request.ExpiresAt})
			}
		}
		if limit := s.Definition.Rejection; s.Run.Pool && limit.Mode == quorum.RejectionCount && limit.Value > len(s.Run.People) {
			warn("%d rejections are required, but the pool has %d members", limit.Value, len(s.Run.People))
		}
		for _, person := range s.Run.People {
			if earlier, seen := first[person.ID]; seen {
				warn("%s is also an approver of stage %s", person.ID, earlier)
			} else {
				first[person.ID] = s.Definition.Key
			}
		}
	}
}

// play applies one entry to the request. A refusal is part of the result.
func (d *dryRun) play(entry PlayEntry) error {
	played := Played{Entry: entry}
	if err := d.act(entry); err != nil {
		refused, ok := errors.AsType[*refusal.Error](err)
		if !ok {
			return err
		}
		played.Refusal = refused
	}
	run, _ := d.Request.LatestRun(entry.Stage)
	played.StageStatus, played.RequestStatus, played.Standing = run.Status, d.Request.Status, d.Request.Standing
	d.Play = append(d.Play, played)
	return nil
}

func (d *dryRun) act(entry PlayEntry) error {
	entry.At = entry.At.UTC().Truncate(time.Millisecond)
	switch {
	case d.Outcome == WouldRefuse:
		return refusal.New(reason.WrongState, "the request would not start")
	case entry.At.Year() > lastYear:
		return refusal.New(reason.WrongState, "the time must be in the year %d at the latest", lastYear)
	case !entry.At.IsZero() && entry.At.Before(d.Now):
		return refusal.New(reason.WrongState, "the time is already %s", identity.Stamp{Time: d.Now})
	case !entry.At.IsZero():
		return d.moveClock(entry.At)
	case entry.Consume != "":
		return d.actAs(entry.Consume, d.Definition, wf.Consume(wf.Consumption{ContextHash: d.Request.ContextHash}))
	case entry.Revoke != "":
		return d.actAs(entry.Revoke, d.Definition, wf.Revoke("dry run"))
	}
	user := cmp.Or(entry.User, entry.Withdraw)
	task := taskFor(d.Request, entry.Stage, user)
	if task == "" {
		return refusal.New(reason.WrongState, "stage %s has no task to decide", entry.Stage)
	}
	act := wf.Decide(task, wf.DecisionInput{ID: newID(), Action: entry.Action, Comment: "dry run"})
	if entry.Withdraw != "" {
		act = wf.Withdraw(decidedBy(d.Request, entry.Stage, user, task), "dry run")
	}
	return d.actAs(user, withoutProof(d.Definition, entry.Stage), act)
}

// actAs applies a step of a user that has just signed in. The directory answers the roles of their token that the
// policy reads.
func (d *dryRun) actAs(id string, def policy.Definition, act wf.Step) error {
	by := identity.Actor{
		User: identity.User{ID: id}, Kind: identity.ActorUser, Auth: identity.Auth{AuthTime: identity.Stamp{Time: d.Now}},
	}
	finder := approver.Finder{Answers: d.known}
	for _, role := range d.Definition.Settings.TokenRoles() {
		if !d.Directory {
			break
		}
		users, _ := finder.Ask(approver.Question{Rule: policy.Rule{Type: policy.RuleRole, Role: role}})
		if slices.ContainsFunc(users, func(u identity.User) bool { return u.ID == id }) {
			by.TokenRoles = append(by.TokenRoles, role)
		}
	}
	if err := finder.Unasked(); err != nil {
		return err
	}
	return d.apply(d.Now, def, by, act)
}

// withoutProof drops the requirements of a stage for the data and the authentication of a decision, which a played
// decision lacks. Later stages keep theirs, because repeat_approver reads them.
func withoutProof(def policy.Definition, stage string) policy.Definition {
	def.Stages = slices.Clone(def.Stages)
	for i := range def.Stages {
		if def.Stages[i].Key == stage {
			def.Stages[i].DecisionSchema, def.Stages[i].Reauth = nil, nil
		}
	}
	return def
}

// maxInstants bounds the instants at which one move of the clock does work.
const maxInstants = 200

// moveClock does the work of the service's own clock up to a time, each part at its instant.
func (d *dryRun) moveClock(to time.Time) error {
	for range maxInstants {
		next := d.Request.NextWork(d.Now)
		if next.IsZero() || !next.Before(to) {
			break
		}
		if err := d.workAt(next); err != nil {
			return err
		}
	}
	if err := d.workAt(to); err != nil {
		return err
	}
	d.Request = d.Request.AsOf(to)
	return nil
}

// workAt does the work that is due at a time.
func (d *dryRun) workAt(now time.Time) error {
	for _, work := range []wf.Step{wf.EndByTime, wf.ProcessDeadlines, wf.Resolve} {
		if err := d.apply(now, d.Definition, identity.Actor{}, work); err != nil {
			return err
		}
	}
	return nil
}

// taskFor returns the task of a stage that the user would decide: one that they may decide, else an open one of their
// pool, one that was theirs, or another, so that the refusal is that of the service. It is empty before the stage has a
// task.
func taskFor(r wf.Request, stage, user string) (id string) {
	best := 0
	for _, task := range r.Tasks {
		if task.StageKey != stage {
			continue
		}
		mayTake := func(t identity.User) bool { return t.ID == user }
		run, live, rank := r.Run(task), task.Status == wf.TaskOpen || task.Status == wf.TaskClaimed, 1
		switch held := task.HeldBy(user); {
		case live && (held || slices.ContainsFunc(run.EligibleClaimants(task, r.Tasks), mayTake)):
			return task.ID
		case live && run.Pool && run.Concerns(user):
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

// decidedBy returns the id of the task that the user has decided last in a stage, or other.
func decidedBy(r wf.Request, stage, user, other string) string {
	for _, task := range slices.Backward(r.Tasks) {
		if d := task.Decision; d != nil && task.StageKey == stage && d.Actor.ID == user {
			return task.ID
		}
	}
	return other
}

// SimulateVersion is the dry run of a version. It writes only its event.
func (e *Policies) SimulateVersion(
	ctx context.Context, by identity.Actor, key string, number int, in DryRunInput,
) (run DryRun, err error) {
	if in.FromRequest != "" {
		if manages, err := e.Manages(ctx, by, key); err != nil || !manages {
			return DryRun{}, cmp.Or(err, errFromRequest)
		}
	}
	v, err := e.store.Policies.Version(ctx, key, number)
	if err != nil {
		return DryRun{}, err
	}
	id, found := newID(), e.CheckDefinition(v.Definition) // constant over all rounds: resolvers receive the id
	err = e.do(ctx, func(tx *store.Tx, a *answers) (err error) {
		if run, err = a.dryRun(tx, id, by, v, found, in); err != nil {
			return err
		}
		return auditVersion(tx, audit.EventPolicySimulated, by, v)
	})
	return run, err
}

// errFromRequest refuses a dry run from a real request by other callers than admins and, for requests of the policy,
// its owners.
var errFromRequest error = refusal.New(reason.Forbidden,
	"only an admin, or an owner of its policy, may simulate from a real request")

// PreviewRequest is the dry run of CreateRequest without later stages. It returns the refusals of CreateRequest.
func (e *Requests) PreviewRequest(ctx context.Context, by identity.Actor, in RequestInput) (run DryRun, err error) {
	id := newID()
	err = e.do(ctx, func(tx *store.Tx, a *answers) error {
		start, err := tx.Start(nil, in.PolicyKey)
		if err == nil {
			err = requireActiveVersion(start, in.PolicyKey)
		}
		if err != nil {
			return err
		}
		run, err = a.preview(tx, in.PolicyKey, start.Version, func(d *dryRun) error { return d.create(tx.Now(), id, by, in) })
		return err
	})
	return run, err
}

// PreviewResubmission is the dry run of ResubmitRequest, with its refusals.
func (e *Requests) PreviewResubmission(
	ctx context.Context, by identity.Actor, id string, content []byte, hash string,
) (run DryRun, err error) {
	err = e.do(ctx, func(tx *store.Tx, a *answers) error {
		r, err := tx.Request(store.ByID(id))
		if err != nil {
			return err
		}
		run, err = a.preview(tx, r.PolicyKey, r.PolicyVersion, func(d *dryRun) error {
			d.Request = r
			return d.apply(tx.Now(), d.Definition, by, wf.Resubmit(content, hash, ""))
		})
		return err
	})
	return run, err
}

// preview runs one act under a version.
func (a *answers) preview(tx *store.Tx, key string, version int, act func(*dryRun) error) (DryRun, error) {
	def, err := tx.Policies.Definition(key, version)
	if err != nil {
		return DryRun{}, err
	}
	d := a.newDryRun(tx, policy.Version{Key: key, Number: version, Definition: def}, DryRunInput{})
	err = act(d)
	return d.DryRun, err
}

// NewOffline returns use cases of definitions without a database: CheckDefinition and RunOffline. There are no
// delegations and no stored requests; resolvers are assumed to exist. See Options.Resolve.
func NewOffline(resolve func(context.Context, approver.Question) ([]identity.User, error)) *Policies {
	return &Policies{&core{Options: Options{
		Resolve: resolve, Directory: true, HTTPRule: func(policy.Rule) error { return nil },
	}}}
}

// RunOffline is the dry run of a definition at in.At without a database.
func (e *Policies) RunOffline(
	ctx context.Context, key string, d policy.Definition, in DryRunInput,
) (run DryRun, err error) {
	a, id, found := e.answers(), newID(), e.CheckDefinition(d)
	err = a.gather(ctx, func() (err error) {
		run, err = a.dryRun(nil, id, identity.Actor{}, policy.Version{Key: key, Number: 1, Definition: d}, found, in)
		return err
	})
	return run, err
}
