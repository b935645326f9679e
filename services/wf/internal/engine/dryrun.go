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

// DryRunInput is the input of a dry run: that of a creation, and its course.
type DryRunInput struct {
	RequestInput

	At   time.Time // of the creation; zero for now
	Play []PlayEntry

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
	Outcome  Outcome
	Refusal  *refusal.Error    // of the creation; nil if the request would start
	Problems []refusal.Problem // reasons for a refusal of the request or a blocked stage
	Stages   []DryStage        // every stage of the definition, before the played acts
	Play     []Played
	Warnings []string // possible failures
}

// DryStage is one stage of a dry run. A stage that is not reached shows the current result of its rules.
type DryStage struct {
	Run        wf.StageRun
	When       *When
	EscalateTo []identity.User // people whom its deadline would add
}

// When is the value of a stage's condition. If the expression fails, the stage runs.
type When struct {
	Expression string `json:"expression" doc:"The condition, in CEL."`
	Value      bool   `json:"value" doc:"Whether the stage would run."`
	Error      string `json:"error,omitempty" doc:"An expression that fails runs the stage."`
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
func Skips(c wf.Case, run wf.StageRun) bool {
	stage, _ := c.Definition.Stage(run.Key)
	when := whenOf(c, stage)
	return run.Status == wf.StagePending && when != nil && !when.Value
}

// whenOf returns the present value of the condition of a stage; nil without one.
func whenOf(c wf.Case, stage policy.Stage) *When {
	if stage.When == "" {
		return nil
	}
	value := c.Applies(stage.When)
	when := &When{Expression: stage.When, Value: value.Bool || value.Failure != nil}
	if value.Failure != nil {
		when.Error = value.Failure.Message
	}
	return when
}

// lastYear is the last year of the clock of a dry run. The ends of its durations, of up to ten years each, are before
// the year 10000, which RFC 3339 cannot express.
const lastYear = 9900

// creationRefusals are the reasons that are an outcome of the creation. Other failures refuse the dry run.
var creationRefusals = []refusal.Reason{reason.EngineRefused, reason.Forbidden, reason.WrongState}

// SimulateVersion is the dry run of a version. It writes only its event.
func (e *Policies) SimulateVersion(
	ctx context.Context, by identity.Actor, key string, number int, in DryRunInput,
) (run DryRun, err error) {
	v, err := e.store.Policies.Version(ctx, key, number)
	if err != nil {
		return run, err
	}
	submitter := identity.Actor{User: by.User, Kind: identity.ActorUser}
	if in.Requester != "" {
		submitter.User = identity.User{ID: in.Requester}
	}
	if in.FromRequest != "" {
		if in.RequestInput, submitter, err = e.submission(ctx, by, key, in.FromRequest); err != nil {
			return run, err
		}
	}
	if in.At.IsZero() {
		if in.At, err = e.store.Now(ctx); err != nil {
			return run, err
		}
	}
	if run, err = e.DryRun(ctx, submitter, v, in); err != nil {
		return run, err
	}
	return run, e.store.Do(ctx, func(tx *store.Tx) error { return auditVersion(tx, audit.EventPolicySimulated, by, v) })
}

// submission returns the input and the submitter of a stored request, for admins and, of requests of the policy, for its
// owners.
func (e *Policies) submission(
	ctx context.Context, by identity.Actor, key, id string,
) (in RequestInput, submitter identity.Actor, err error) {
	c, rd, err := e.read(ctx, by, store.ByID(id))
	r := c.Request
	switch missing := errors.Is(err, reason.RequestNotFound); {
	case err != nil && !missing:
		return in, submitter, err
	case !by.Has(identity.RoleAdmin) && (!rd.Owner || r.PolicyKey != key):
		return in, submitter, refusal.New(reason.Forbidden,
			"only an admin, or an owner of its policy, may simulate from a real request")
	case missing:
		return in, submitter, refusal.At(reason.BadInput, "/from_request_id", "no such request")
	}
	in = RequestInput{
		Context: r.Context, ContextHash: r.ContextHash, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID,
		Labels: r.Labels, Priority: r.Priority, Requester: r.Requester.ID,
	}
	submitter = identity.Actor{User: r.SubmittedBy, Kind: identity.ActorUser}
	submitter.Roles = []identity.Role{identity.RoleAdmin} // it was permitted
	return in, submitter, nil
}

// NewOffline returns use cases of definitions without a database: CheckDefinition and DryRun. There are no
// delegations and no stored requests; resolvers are assumed to exist. See Options.Resolve.
func NewOffline(resolve func(context.Context, approver.Question) ([]identity.User, error)) *Policies {
	return &Policies{&core{Options: Options{
		Resolve: resolve, Directory: true, HTTPRule: func(policy.Rule) error { return nil },
	}}}
}

// DryRun creates a request of a submitter under a version at in.At, shows every stage and plays the entries. Nothing is
// stored. It asks directories and resolvers as it goes, because no transaction is open.
func (e *Policies) DryRun(ctx context.Context, by identity.Actor, v policy.Version, in DryRunInput) (DryRun, error) {
	if in.At.Year() > lastYear {
		return DryRun{}, refusal.At(reason.BadInput, "/at", "must be in the year %d at the latest", lastYear)
	}
	in.PolicyKey, in.Priority = v.Key, cmp.Or(in.Priority, wf.PriorityNormal)
	d := &dryRun{answers: e.answers(), in: in, stageOf: map[string]string{}}
	d.Definition, d.Now, d.trust = v.Definition.Compiled(), in.At, true
	err := d.create(ctx, by, v.Number)
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
	found := e.CheckDefinition(v.Definition)
	d.Problems = append(d.Problems, found.Problems...)
	for _, warning := range found.Warnings {
		d.warn(warning.Where, "%s", warning.Message)
	}
	d.warnOfSettings()
	for i, stage := range d.Definition.Stages {
		if err := d.stage(ctx, i, stage); err != nil {
			return d.DryRun, err
		}
	}
	for _, entry := range in.Play {
		if err := d.play(ctx, entry); err != nil {
			return d.DryRun, err
		}
	}
	return d.DryRun, nil
}

// dryRun is a dry run in progress.
type dryRun struct {
	*answers
	in      DryRunInput
	stageOf map[string]string // the first stage of each approver, by user id
	DryRun
}

// create creates the request. A conflict takes precedence over a missing answer, as in the service.
func (d *dryRun) create(ctx context.Context, by identity.Actor, version int) error {
	id := newID() // constant over all rounds: resolvers receive it
	err := d.gather(ctx, func() (err error) {
		d.Request, _, err = d.start(id, by, d.in.RequestInput, d.Definition, version, d.facts(d.Now))
		return err
	})
	if d.store == nil || d.in.FromRequest != "" || err != nil && !errors.Is(err, reason.ResolverFailed) {
		return err
	}
	taken := d.store.Do(ctx, func(tx *store.Tx) error { return d.ensureArtifactFree(tx, d.Request, d.Definition, by, false) })
	return cmp.Or(taken, err)
}

// apply applies a step of the domain to the request, under a definition.
func (d *dryRun) apply(ctx context.Context, now time.Time, def policy.Definition, by identity.Actor, step wf.Step) error {
	d.Now = now
	return d.gather(ctx, func() error {
		after, _, err := d.Request.Apply(def, by, d.facts(now), step)
		if err == nil {
			d.Request = after
		}
		return err
	})
}

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

// stage adds a stage as it started, or as it would start now, with the obstacles to its approval.
func (d *dryRun) stage(ctx context.Context, i int, stage policy.Stage) error {
	shown := DryStage{When: whenOf(d.Case, stage)}
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
		err = d.gather(ctx, func() (err error) {
			shown.Run, problems, err = d.Request.Preview(d.Definition, stage, d.facts(d.Now))
			return err
		})
		if d.tolerates(err) {
			shown.Run.Status = wf.StageResolving
		}
	}
	nobody := ""
	over := shown.Run.Status == wf.StageSkipped || shown.Run.Status == wf.StageRejected
	if err == nil && stage.Deadline != nil && stage.Deadline.Effect() == policy.OnDueEscalate && !over {
		err = d.gather(ctx, func() (err error) {
			shown.EscalateTo, nobody, err = d.Request.PreviewEscalation(d.Definition, shown.Run, d.facts(d.Now))
			return err
		})
	}
	if err != nil && !d.tolerates(err) {
		return err
	} else if err != nil {
		problems = append(problems, refusal.MessageOf(err))
	}
	for _, problem := range problems {
		if shown.Run.Status == wf.StagePending && d.readsApprovals(stage) { // no approvals exist yet
			d.warn(stage.Key, "if approvals of earlier stages do not change it, %s", problem)
		} else {
			d.problem(fmt.Sprintf("/stages/%d", i), problem)
		}
	}
	if nobody != "" {
		d.warn(stage.Key, "its escalation adds nobody: %s", nobody)
	}
	if shown.Run.Status != wf.StageSkipped {
		d.warnOfStage(stage, shown)
	}
	d.Stages = append(d.Stages, shown)
	return nil
}

// readsApprovals reports whether the approvers of the stage depend on earlier stages.
func (d *dryRun) readsApprovals(stage policy.Stage) bool {
	return slices.ContainsFunc(stage.Approvers, func(r policy.Rule) bool {
		return r.Type == policy.RuleStageActor || d.Definition.Programs.Reads(r.Expression(), "stages")
	})
}

// warnOfStage warns of a stage that may fail with these people and this content.
func (d *dryRun) warnOfStage(stage policy.Stage, s DryStage) {
	warn := func(format string, args ...any) { d.warn(stage.Key, format, args...) }
	people := s.Run.People
	if s.When != nil && s.When.Error != "" {
		warn("its condition fails, so the stage runs: %s", s.When.Error)
	}
	if len(people) == 1 {
		warn("only 1 eligible approver")
	}
	if stage.Deadline != nil && d.Request.ExpiresAt != nil {
		due := d.Definition.Settings.DueAt(*stage.Deadline, s.Run.Computed, d.Now) // or later, if the stage starts later
		if end := *d.Request.ExpiresAt; due.After(end) {
			warn("its due date, %s or later, is after the end of the request at %s",
				identity.Stamp{Time: due}, identity.Stamp{Time: end})
		}
	}
	if limit := stage.Rejection; s.Run.Pool && limit.Mode == quorum.RejectionCount && limit.Value > len(people) {
		warn("%d rejections are required, but the pool has %d members", limit.Value, len(people))
	}
	for _, person := range people {
		if earlier, seen := d.stageOf[person.ID]; seen {
			warn("%s is also an approver of stage %s", person.ID, earlier)
		} else {
			d.stageOf[person.ID] = stage.Key
		}
	}
}

// play applies one entry to the request. A refusal is part of the result.
func (d *dryRun) play(ctx context.Context, entry PlayEntry) error {
	err := d.act(ctx, entry)
	refused, _ := errors.AsType[*refusal.Error](err)
	if err != nil && refused == nil {
		return err
	}
	run, _ := d.Request.LatestRun(entry.Stage)
	d.Play = append(d.Play, Played{
		Entry: entry, StageStatus: run.Status, RequestStatus: d.Request.Status, Standing: d.Request.Standing, Refusal: refused,
	})
	return nil
}

func (d *dryRun) act(ctx context.Context, entry PlayEntry) error {
	at, user := entry.At.UTC().Truncate(time.Millisecond), cmp.Or(entry.User, entry.Withdraw)
	task := taskFor(d.Request, entry.Stage, user)
	switch {
	case d.Outcome == WouldRefuse:
		return refusal.New(reason.WrongState, "the request would not start")
	case at.Year() > lastYear:
		return refusal.New(reason.WrongState, "the time must be in the year %d at the latest", lastYear)
	case !at.IsZero() && at.Before(d.Now):
		return refusal.New(reason.WrongState, "the time is already %s", identity.Stamp{Time: d.Now})
	case !at.IsZero():
		return d.moveClock(ctx, at)
	case entry.Consume != "":
		return d.actAs(ctx, entry.Consume, "", wf.Consume(wf.Consumption{ContextHash: d.Request.ContextHash}))
	case entry.Revoke != "":
		return d.actAs(ctx, entry.Revoke, "", wf.Revoke("dry run"))
	case task == "":
		return refusal.New(reason.WrongState, "stage %s has no task to decide", entry.Stage)
	case entry.Withdraw != "":
		return d.actAs(ctx, user, entry.Stage, wf.Withdraw(task, "dry run"))
	default:
		decision := wf.DecisionInput{ID: newID(), Action: entry.Action, Comment: "dry run"}
		return d.actAs(ctx, user, entry.Stage, wf.Decide(task, decision))
	}
}

// actAs applies a step of a user that has just signed in. The directory answers the roles of their token that the
// policy reads. A played decision has no data and no authentication, so its stage requires none. Later stages keep
// their requirements, because repeat_approver reads them.
func (d *dryRun) actAs(ctx context.Context, id, stage string, act wf.Step) error {
	by := identity.Actor{
		User: identity.User{ID: id}, Kind: identity.ActorUser, Auth: identity.Auth{AuthTime: identity.Stamp{Time: d.Now}},
	}
	err := d.gather(ctx, func() error {
		finder := approver.Finder{Answers: d.known}
		by.TokenRoles = nil
		for _, role := range d.Definition.Settings.TokenRoles() {
			users, _ := finder.Ask(approver.Question{Rule: policy.Rule{Type: policy.RuleRole, Role: role}})
			if slices.ContainsFunc(users, func(u identity.User) bool { return u.ID == id }) {
				by.TokenRoles = append(by.TokenRoles, role)
			}
		}
		return finder.Unasked()
	})
	if err != nil {
		return err
	}
	def := d.Definition
	def.Stages = slices.Clone(def.Stages)
	for i := range def.Stages {
		if def.Stages[i].Key == stage {
			def.Stages[i].DecisionSchema, def.Stages[i].Reauth = nil, nil
		}
	}
	return d.apply(ctx, d.Now, def, by, act)
}

// maxInstants bounds the instants at which one move of the clock does work.
const maxInstants = 200

// moveClock does the work of the service's own clock up to a time, each part at its instant.
func (d *dryRun) moveClock(ctx context.Context, to time.Time) error {
	for i := 0; i == 0 || d.Now.Before(to); i++ {
		next := d.Request.NextWork(d.Now)
		if next.IsZero() || next.After(to) || i == maxInstants {
			next = to
		}
		for _, work := range []wf.Step{wf.EndByTime, wf.ProcessDeadlines, wf.Resolve} {
			if err := d.apply(ctx, next, d.Definition, identity.Actor{}, work); err != nil {
				return err
			}
		}
	}
	d.Request = d.Request.AsOf(to)
	return nil
}

// taskFor returns the task of a stage on which the user would act: the one that they have decided or may decide, else
// the last one that concerns them, else the last one, so that the refusal is that of the service. It is empty before
// the stage has a task.
func taskFor(r wf.Request, stage, user string) (id string) {
	concerned := false
	for _, task := range r.Tasks {
		if task.StageKey != stage {
			continue
		}
		run, isUser := r.Run(task), func(u identity.User) bool { return u.ID == user }
		live := task.Status == wf.TaskOpen || task.Status == wf.TaskClaimed
		mayTake := task.HeldBy(user) || slices.ContainsFunc(run.EligibleClaimants(task, r.Tasks), isUser)
		if task.Decision != nil && isUser(task.Decision.Actor.User()) || live && mayTake {
			return task.ID
		}
		if concerns := task.Concerns(user, run); concerns || !concerned {
			id, concerned = task.ID, concerns
		}
	}
	return id
}
