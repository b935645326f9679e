package wf_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// standings bring a request of one stage into every state. Task t is ana's.
var standings = map[wf.RequestStatus]func(*testing.T) (s *story, task string){
	wf.RequestInReview: func(t *testing.T) (*story, string) {
		s := begin(t, each("s", "ana", "bo"))
		return s, s.of("s", "ana")
	},
	wf.RequestBlocked: func(t *testing.T) (*story, string) {
		s := begin(t, but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 3} }))
		return s, s.of("s", "ana")
	},
	wf.RequestChangesRequested: func(t *testing.T) (*story, string) {
		s := begin(t, each("s", "ana", "bo"))
		s.must(s.sendBack(s.of("s", "bo"), "bo"))
		return s, s.of("s", "ana")
	},
	wf.RequestApproved: func(t *testing.T) (*story, string) {
		s := begin(t, but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Quorum.Mode = quorum.QuorumAny }))
		s.must(s.approve(s.of("s", "bo"), "bo"))
		return s, s.of("s", "ana")
	},
	wf.RequestRejected: func(t *testing.T) (*story, string) {
		s := begin(t, each("s", "ana", "bo"))
		s.must(s.reject(s.of("s", "bo"), "bo"))
		return s, s.of("s", "ana")
	},
	wf.RequestCancelled: func(t *testing.T) (*story, string) {
		s := begin(t, each("s", "ana", "bo"))
		s.must(s.cancel(person("rita")))
		return s, s.of("s", "ana")
	},
	wf.RequestExpired: func(t *testing.T) (*story, string) {
		s := begin(t, each("s", "ana", "bo"))
		s.at = *s.now.ExpiresAt
		s.must(s.expire())
		return s, s.of("s", "ana")
	},
}

// TestEveryRequestTransitionFromEveryState has a line for each transition and a
// column for each state: the state that follows, "same" when nothing happens, or
// 409.
func TestEveryRequestTransitionFromEveryState(t *testing.T) {
	columns := []wf.RequestStatus{wf.RequestInReview, wf.RequestBlocked, wf.RequestChangesRequested, wf.RequestApproved,
		wf.RequestRejected, wf.RequestCancelled, wf.RequestExpired}
	transitions := map[string]func(s *story, task string) error{
		"claim":      func(s *story, task string) error { return s.claim(task, person("ana")) },
		"unclaim":    func(s *story, task string) error { return s.unclaim(task, person("ana")) },
		"approve":    func(s *story, task string) error { return s.approve(task, "ana") },
		"reject":     func(s *story, task string) error { return s.reject(task, "ana") },
		"send back":  func(s *story, task string) error { return s.sendBack(task, "ana") },
		"reassign":   func(s *story, task string) error { return s.reassign(task, "dee", root) },
		"cancel":     func(s *story, _ string) error { return s.cancel(person("rita")) },
		"expire":     func(s *story, _ string) error { s.at = noon.AddDate(1, 0, 0); return s.expire() },
		"resubmit":   func(s *story, _ string) error { return s.resubmit(person("rita"), "") },
		"resolve":    func(s *story, _ string) error { return s.resolve() },
		"reevaluate": func(s *story, _ string) error { return s.reevaluate(root) },
		"sweep":      func(s *story, _ string) error { return s.sweep("ana") },
	}
	table := `
		claim      | in_review         | blocked           | 409       | 409  | 409  | 409  | 409
		unclaim    | 409               | 409               | 409       | 409  | 409  | 409  | 409
		approve    | in_review         | blocked           | 409       | 409  | 409  | 409  | 409
		reject     | rejected          | rejected          | 409       | 409  | 409  | 409  | 409
		send back  | changes_requested | changes_requested | 409       | 409  | 409  | 409  | 409
		reassign   | in_review         | blocked           | 409       | 409  | 409  | 409  | 409
		cancel     | cancelled         | cancelled         | cancelled | 409  | 409  | 409  | 409
		expire     | expired           | expired           | expired   | same | same | same | same
		resubmit   | 409               | 409               | in_review | 409  | 409  | 409  | 409
		resolve    | same              | same              | same      | same | same | same | same
		reevaluate | 409               | looked at         | 409       | 409  | 409  | 409  | 409
		sweep      | blocked           | blocked           | same      | same | same | same | same`
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != len(transitions) {
		t.Errorf("the table has %d of %d transitions", len(lines), len(transitions))
	}
	for _, line := range lines {
		cells := strings.Split(line, "|")
		name := strings.TrimSpace(cells[0])
		for i, from := range columns {
			t.Run(name+"/"+string(from), func(t *testing.T) {
				s, task := standings[from](t)
				s.status(from)
				before := encode(s.now)
				err := transitions[name](s, task)
				switch want := strings.TrimSpace(cells[i+1]); want {
				case "409":
					s.refused(err, reason.WrongState)
				case "same":
					s.must(err)
					if encode(s.now) != before {
						t.Errorf("the request changed to %s", encode(s.now))
					}
				case "looked at": // no event: only the time of the next retry changes
					s.must(err)
					s.status(from)
				default:
					s.must(err)
					s.status(wf.RequestStatus(want))
					if encode(s.now) == before {
						t.Error("the request did not change")
					}
				}
				if !s.now.Status.Final() {
					return
				}
				if s.now.CompletedAt.IsZero() || s.now.StatusReason == nil {
					t.Errorf("ended without a time or a reason: %+v", s.now)
				}
				for _, task := range s.now.Tasks {
					if live(task) {
						t.Errorf("task %s is still %s", task.ID, task.Status)
					}
				}
				for _, run := range s.now.Stages {
					if run.Status == wf.StageActive || run.Status == wf.StageBlocked || run.Status == wf.StagePending {
						t.Errorf("stage %s is still %s", run.Key, run.Status)
					}
				}
			})
		}
	}
}

func TestNewRequestRecordsItsEvents(t *testing.T) {
	s := begin(t, each("s", "ana", "bo"), each("next", "cy"))
	s.status(wf.RequestInReview)
	want := []audit.EventType{audit.EventRequestCreated, audit.EventStageStarted, audit.EventTaskCreated, audit.EventTaskCreated}
	if got := s.types(0); !slices.Equal(got, want) {
		t.Errorf("events = %v, want %v", got, want)
	}
	if r := s.now; r.Revision != 1 || r.Rev != 1 || r.CreatedAt != noon || r.UpdatedAt != noon || *r.ExpiresAt != noon.Add(30*24*time.Hour) {
		t.Errorf("request = %+v", r)
	}
	if got := s.now.Current(); !slices.Equal(got, []string{"s"}) {
		t.Errorf("current stages = %v", got)
	}
	s.stageIs("next", wf.StagePending)
	s.holdersAre("s", "ana", "bo")
}

func TestRequestStartFollowsItsPolicy(t *testing.T) {
	first := func(change func(*policy.Stage)) func(*story) {
		return func(s *story) { change(&s.def.Stages[0]) }
	}
	approvers := func(rules ...policy.Rule) func(*story) {
		return first(func(s *policy.Stage) { s.Approvers = rules })
	}
	skip := func(s *story) { s.def.Stages[0].When, s.values["expr"] = "expr", value(false) }
	tests := map[string]struct {
		change func(*story)
		draft  func(*wf.Request)
		want   error
		status wf.RequestStatus
		why    wf.ReasonCode
	}{
		"people decide":       {status: wf.RequestInReview},
		"the policy approves": {change: automatic(value(true), value(false)), status: wf.RequestApproved, why: wf.BecausePolicy},
		"the policy rejects":  {change: automatic(value(false), value(true)), status: wf.RequestRejected, why: wf.BecausePolicy},
		"both conditions":     {change: automatic(value(true), value(true)), status: wf.RequestRejected, why: wf.BecausePolicy},
		"neither condition":   {change: automatic(value(false), value(false)), status: wf.RequestInReview},
		"approving fails":     {change: automatic(fails("no such key: amount"), value(false)), status: wf.RequestInReview},
		"rejecting fails":     {change: automatic(value(false), fails("no such key: amount")), status: wf.RequestInReview},
		"the artifact type is right": {change: func(s *story) { s.def.ArtifactType = "batch" },
			draft: func(r *wf.Request) { r.ArtifactType = "batch" }, status: wf.RequestInReview},
		"the artifact type is another": {change: func(s *story) { s.def.ArtifactType = "batch" },
			draft: func(r *wf.Request) { r.ArtifactType = "loan" }, want: reason.EngineRefused},
		"the context fits": {change: func(s *story) { s.def.ContextSchema = []byte(`{"type":"object"}`) }, status: wf.RequestInReview},
		"the context does not fit": {change: func(s *story) {
			s.def.ContextSchema, s.misfits[`{}`] = []byte(`{"required":["amount"]}`), "missing property amount"
		}, want: reason.EngineRefused},
		"no stages": {change: func(s *story) { s.def.Stages = nil }, want: reason.EngineRefused},
		"no stages, approve": {change: func(s *story) {
			s.def.Stages, s.def.Settings.OnNoStages = nil,
				policy.OnNoStagesApprove
		}, status: wf.RequestApproved, why: wf.BecauseNoStageApplies},
		"no stages, reject": {change: func(s *story) {
			s.def.Stages, s.def.Settings.OnNoStages = nil,
				policy.OnNoStagesReject
		}, status: wf.RequestRejected, why: wf.BecauseNoStageApplies},
		"all stages skipped": {change: skip, want: reason.EngineRefused},
		"all stages skipped, approve": {change: func(s *story) {
			skip(
				s)
			s.def.Settings.OnNoStages = policy.OnNoStagesApprove
		}, status: wf.RequestApproved, why: wf.BecauseNoStageApplies},
		"all stages skipped, reject": {change: func(s *story) {
			skip(
				s)
			s.def.Settings.OnNoStages = policy.OnNoStagesReject
		}, status: wf.RequestRejected, why: wf.BecauseNoStageApplies},
		"a condition that fails runs": {change: func(s *story) {
			s.def.Stages[0].When, s.values["expr"] = "expr",
				fails("no such key: amount")
		}, status: wf.RequestInReview},
		"a rule yields nonsense": {change: func(s *story) {
			approvers(heads)(s)
			s.values["head"] = fails(
				"yields a number")
		}, want: reason.EngineRefused},
		"the directory is down":   {change: func(s *story) { approvers(officers("ana"))(s); s.yields = down }, want: reason.ResolverFailed},
		"the role does not exist": {change: func(s *story) { approvers(officers("ana"))(s); s.yields = unknown }, want: reason.EngineRefused},
		"one rule is wrong and another has no answer": {change: func(s *story) {
			approvers(officers("ana"), heads)(s)
			s.values["head"], s.yields = fails("no such key: head"), down
		}, want: reason.EngineRefused},
		"more than 100 each": {change: approvers(crowd(101)), want: reason.EngineRefused},
		"exactly 100 each":   {change: approvers(crowd(100)), status: wf.RequestInReview},
		"more than 1000 in a pool": {change: first(func(s *policy.Stage) {
			*s = pool("s",
				1)
			s.Approvers = []policy.Rule{crowd(600), others(401)}
		}), want: reason.EngineRefused},
		"exactly 1000 in a pool": {change: first(func(s *policy.Stage) {
			*s = pool("s",
				1)
			s.Approvers = []policy.Rule{crowd(1000)}
		}), status: wf.RequestInReview},
		"a rule with more than 1000": {change: first(func(s *policy.Stage) {
			*s = pool("s",
				1)
			s.Approvers = []policy.Rule{crowd(1001)}
		}), want: reason.EngineRefused},
		"a pool that needs more than 100": {change: first(func(s *policy.Stage) {
			*s = percent(pool("s", 1),
				50)
			s.Approvers = []policy.Rule{crowd(202)}
		}), want: reason.EngineRefused},
		"a pool that needs exactly 100": {change: first(func(s *policy.Stage) {
			*s = percent(pool("s", 1),
				50)
			s.Approvers = []policy.Rule{crowd(200)}
		}), status: wf.RequestInReview},
		"the requester is the only person": {change: func(s *story) { s.def.Stages[0] = each("s", "rita") },
			status: wf.RequestBlocked, why: wf.BecauseNoApprovers},
		"lives for a broken duration": {change: func(s *story) { s.def.Settings.ExpiresIn = "tomorrow" }, want: reason.EngineRefused},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("s", "ana")))
			if tt.change != nil {
				tt.change(s)
			}
			r := draft()
			if tt.draft != nil {
				tt.draft(&r)
			}
			err := s.create(r)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error = %v, want %v", err, tt.want)
			}
			if err != nil {
				return
			}
			s.status(tt.status)
			if tt.why != "" {
				s.because(tt.why)
			}
			if last := s.events[len(s.events)-1]; tt.why == wf.BecausePolicy && last.Actor.ID != identity.SystemPolicy.ID {
				t.Errorf("%s was decided by %s", last.Type, last.Actor.ID)
			}
		})
	}
}

// create starts this request.
func (s *story) create(r wf.Request) error {
	s.t.Helper()
	return s.step(func(f wf.Facts) (wf.Request, []wf.Event, error) { return wf.NewRequest(r, s.def, sam, f) })
}

// automatic adds automatic decisions by these conditions to the policy.
func automatic(approves, rejects policy.Value) func(*story) {
	return func(s *story) {
		s.def.Settings.AutoApproveWhen, s.values["approve"] = "approve", approves
		s.def.Settings.AutoRejectWhen, s.values["reject"] = "reject", rejects
	}
}

// heads is a rule whose people an expression names.
var heads = policy.Rule{Type: policy.RuleExpression, CEL: "head"}

// crowd is a rule that yields n people.
func crowd(n int) policy.Rule { return numbered("p", n) }

// others is a rule that yields n other people.
func others(n int) policy.Rule { return numbered("q", n) }

func numbered(prefix string, n int) policy.Rule {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%04d", prefix, i)
	}
	return names(ids...)
}

func percent(s policy.Stage, value int) policy.Stage {
	s.Quorum = quorum.Quorum{Mode: quorum.QuorumPercentage, Value: value}
	return s
}

func TestAnArtifactHasOneOpenRequestUnlessThePolicyAllowsMore(t *testing.T) {
	for name, tt := range map[string]struct {
		artifact string
		setting  *bool
		want     bool
	}{
		"by default":          {"B-17", nil, true},
		"without an artifact": {"", nil, false},
		"said so":             {"B-17", ptr(true), true},
		"said otherwise":      {"B-17", ptr(false), false},
	} {
		t.Run(name, func(t *testing.T) {
			def := policyOf(each("s", "ana"))
			def.Settings.OneOpenPerArtifact = tt.setting
			r := draft()
			r.ArtifactID = tt.artifact
			s := tell(t, def)
			s.must(s.create(r))
			if s.now.OneOpen != tt.want {
				t.Errorf("OneOpen = %v, want %v", s.now.OneOpen, tt.want)
			}
		})
	}
}

func TestARequestExpiresWhenItsTimeIsOver(t *testing.T) {
	for name, tt := range map[string]struct {
		setting policy.Lifetime
		own     *time.Time
		want    *time.Time
	}{
		"thirty days by default":   {"", nil, ptr(noon.Add(30 * 24 * time.Hour))},
		"by the policy":            {"PT2H", nil, ptr(noon.Add(2 * time.Hour))},
		"by the request":           {"PT2H", ptr(noon.Add(time.Hour)), ptr(noon.Add(time.Hour))},
		"never":                    {policy.Never, nil, nil},
		"never, but this one does": {policy.Never, ptr(noon.Add(time.Hour)), ptr(noon.Add(time.Hour))},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("s", "ana")))
			s.def.Settings.ExpiresIn = tt.setting
			r := draft()
			r.ExpiresAt = tt.own
			s.must(s.create(r))
			if tt.want == nil {
				if s.now.ExpiresAt != nil {
					t.Fatalf("expires at %v", s.now.ExpiresAt)
				}
				s.at = noon.AddDate(100, 0, 0)
				s.must(s.expire())
				s.status(wf.RequestInReview)
				return
			}
			if !s.now.ExpiresAt.Equal(*tt.want) {
				t.Fatalf("expires at %v, want %v", s.now.ExpiresAt, tt.want)
			}
			s.at = tt.want.Add(-time.Millisecond)
			s.must(s.expire())
			s.status(wf.RequestInReview)
			s.at = *tt.want
			s.must(s.expire())
			s.status(wf.RequestExpired)
			s.because(wf.BecauseExpired)
			s.stageIs("s", wf.StageExpired)
			if got := s.task(s.of("s", "ana")); got.Status != wf.TaskCancelled || got.CloseReason != wf.ClosedRequestExpired {
				t.Errorf("task = %+v", got)
			}
			if last := s.events[len(s.events)-1]; last.Type != audit.EventRequestExpired || last.Actor.ID != identity.SystemExpiry.ID {
				t.Errorf("last event = %s by %s", last.Type, last.Actor.ID)
			}
		})
	}
}

func TestRightsToCancel(t *testing.T) {
	for name, tt := range map[string]struct {
		by   identity.Actor
		want error
		why  wf.ReasonCode
	}{
		"the requester":                   {person("rita"), nil, wf.BecauseWithdrawn},
		"the submitter":                   {person("sam"), nil, wf.BecauseWithdrawn},
		"an admin":                        {root, nil, wf.BecauseCancelledByAdmin},
		"a requester with the admin role": {identity.Actor{User: user("rita"), Roles: []identity.Role{identity.RoleAdmin}}, nil, wf.BecauseWithdrawn},
		"an approver":                     {person("ana"), reason.Forbidden, ""},
		"an outsider":                     {person("eve"), reason.Forbidden, ""},
		"a viewer":                        {identity.Actor{User: user("vic"), Roles: []identity.Role{identity.RoleViewer}}, reason.Forbidden, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, each("s", "ana"), each("next", "bo"))
			err := s.cancel(tt.by)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error = %v, want %v", err, tt.want)
			}
			if err != nil {
				s.must(s.cancel(root))
				s.refused(s.cancel(tt.by), reason.Forbidden) // and not that it is cancelled
				return
			}
			s.because(tt.why)
			s.stageIs("s", wf.StageCancelled)
			s.stageIs("next", wf.StageCancelled)
			if got := s.task(s.of("s", "ana")); got.Status != wf.TaskCancelled || got.CloseReason != wf.ClosedRequestCancelled {
				t.Errorf("task = %+v", got)
			}
			if last := s.events[len(s.events)-1]; last.Reason != "no longer needed" {
				t.Errorf("the event's reason is %q", last.Reason)
			}
		})
	}
}

func TestRightsToResubmit(t *testing.T) {
	for who, want := range map[string]error{"rita": nil, "sam": nil, "ana": reason.Forbidden, "eve": reason.Forbidden, "root": reason.Forbidden} {
		t.Run(who, func(t *testing.T) {
			s := begin(t, each("s", "ana"))
			s.must(s.sendBack(s.of("s", "ana"), "ana"))
			by := person(who)
			if who == "root" {
				by = root
			}
			if err := s.resubmit(by, ""); !errors.Is(err, want) {
				t.Fatalf("error = %v, want %v", err, want)
			}
		})
	}
}

func TestAResubmittedRequestRestartsOrResumes(t *testing.T) {
	tests := map[string]struct {
		setting policy.OnResubmit
		hash    string // of the context; empty when none is sent
		kept    bool
	}{
		"restart by default":                 {"", "", false},
		"restart":                            {policy.OnResubmitRestart, "", false},
		"resume":                             {policy.OnResubmitResume, "", true},
		"resume with the same context":       {policy.OnResubmitResume, "sha256:one", true},
		"resume not after a changed context": {policy.OnResubmitResume, "sha256:two", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("one", "ana"), each("two", "bo", "cy"), each("three", "dee")))
			s.def.Settings.OnResubmit = tt.setting
			s.must(s.start())
			s.must(s.approve(s.of("one", "ana"), "ana"))
			s.must(s.approve(s.of("two", "bo"), "bo"))
			s.must(s.sendBack(s.of("two", "cy"), "cy"))
			s.stageIs("two", wf.StageCancelled)
			s.stageIs("three", wf.StageCancelled)
			s.because(wf.BecauseChangesRequested)
			if len(s.now.Current()) != 0 {
				t.Errorf("sent back, and yet %v are current", s.now.Current())
			}
			s.must(s.resubmit(person("rita"), tt.hash))
			s.status(wf.RequestInReview)
			if s.now.Revision != 2 {
				t.Errorf("revision = %d, want 2", s.now.Revision)
			}
			want := map[bool][]int{true: {1, 2, 2}, false: {2, 2, 2}}[tt.kept]
			if got := []int{s.run("one").Run, s.run("two").Run, s.run("three").Run}; !slices.Equal(got, want) {
				t.Errorf("runs = %v, want %v", got, want)
			}
			if tt.hash == "sha256:two" && (s.now.ContextHash != tt.hash || string(s.now.Context) != `{"changed":true}`) {
				t.Errorf("context = %s %s", s.now.Context, s.now.ContextHash)
			}
			if !tt.kept {
				s.must(s.approve(s.of("one", "ana"), "ana"))
			}
			s.holdersAre("two", "bo", "cy")
			s.must(s.approve(s.of("two", "bo"), "bo"))
			s.must(s.approve(s.of("two", "cy"), "cy"))
			s.must(s.approve(s.of("three", "dee"), "dee"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestAResumedRequestKeepsTheApprovedStagesOfAParallelGroup(t *testing.T) {
	s := tell(t, policyOf(together(each("one", "ana")), together(each("two", "bo"))))
	s.def.Settings.OnResubmit = policy.OnResubmitResume
	s.must(s.start())
	s.must(s.approve(s.of("one", "ana"), "ana"))
	s.must(s.sendBack(s.of("two", "bo"), "bo"))
	s.must(s.resubmit(person("rita"), ""))
	if got := s.now.Current(); !slices.Equal(got, []string{"two"}) {
		t.Fatalf("current stages = %v", got)
	}
	s.must(s.approve(s.of("two", "bo"), "bo"))
	s.status(wf.RequestApproved)
}

// together puts a stage into the parallel group g.
func together(s policy.Stage) policy.Stage {
	s.ParallelGroup = "g"
	return s
}

func TestAResubmissionMayBeRefusedLikeACreation(t *testing.T) {
	s := begin(t, each("s", "ana"))
	s.must(s.sendBack(s.of("s", "ana"), "ana"))
	s.def.Stages[0].When, s.values["expr"] = "expr", value(false)
	s.refused(s.resubmit(person("rita"), "sha256:two"), reason.EngineRefused)
	s.status(wf.RequestChangesRequested)

	s.def.Stages[0].When = ""
	s.def.ContextSchema, s.misfits[`{"changed":true}`] = []byte(`{"required":["amount"]}`), "missing property amount"
	s.refused(s.resubmit(person("rita"), "sha256:two"), reason.EngineRefused)
	s.status(wf.RequestChangesRequested)
	s.must(s.resubmit(person("rita"), "")) // what fitted once is not held against the schema again
}

func TestChangesAreRequestedOnlySoOften(t *testing.T) {
	for name, tt := range map[string]struct {
		setting *int
		want    int
	}{
		"five times by default": {nil, 5},
		"once":                  {ptr(1), 1},
		"never":                 {ptr(0), 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("s", "ana")))
			s.def.Settings.MaxRevisions = tt.setting
			s.must(s.start())
			for range tt.want {
				s.must(s.sendBack(s.of("s", "ana"), "ana"))
				s.must(s.resubmit(person("rita"), ""))
			}
			s.refused(s.sendBack(s.of("s", "ana"), "ana"), reason.WrongState)
			s.must(s.approve(s.of("s", "ana"), "ana"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestRequesterCannotApproveOwnRequest(t *testing.T) {
	s := begin(t, each("s", "rita", "sam", "ana"))
	s.holdersAre("s", "ana")
	want := []approver.Exclusion{{User: user("rita"), Reason: approver.ExcludedRequester}, {User: user("sam"), Reason: approver.ExcludedSubmitter}}
	if got := s.run("s").Excluded; !slices.Equal(got, want) {
		t.Errorf("excluded = %v, want %v", got, want)
	}

	s = tell(t, policyOf(each("s", "rita", "sam", "ana")))
	s.def.Settings.RequesterMayApprove = true
	s.must(s.start())
	s.holdersAre("s", "rita", "sam", "ana")
}

func TestRepeatApproverSettingOnLaterStages(t *testing.T) {
	tests := map[policy.RepeatApprover]struct {
		holders  []string
		excluded []approver.Exclusion
	}{
		"":                       {[]string{"ana", "bo"}, nil},
		policy.RepeatAllow:       {[]string{"ana", "bo"}, nil},
		policy.RepeatExclude:     {[]string{"bo"}, []approver.Exclusion{{User: user("ana"), Reason: approver.ExcludedRepeat}}},
		policy.RepeatAutoApprove: {[]string{"bo"}, nil},
	}
	for repeat, want := range tests {
		t.Run("is to "+string(repeat), func(t *testing.T) {
			s := tell(t, policyOf(each("one", "ana"), each("two", "ana", "bo")))
			s.def.Settings.RepeatApprover = repeat
			s.must(s.start())
			s.must(s.approve(s.of("one", "ana"), "ana"))
			s.holdersAre("two", want.holders...)
			if got := s.run("two").Excluded; !slices.Equal(got, want.excluded) {
				t.Errorf("excluded = %v, want %v", got, want.excluded)
			}
			if repeat == policy.RepeatAutoApprove {
				d := s.task(s.of("two", "ana")).Decision
				if d == nil || d.Actor.ID != identity.SystemRepeat.ID || d.Source != "system" || d.Action != wf.ActionApprove || d.Override {
					t.Errorf("ana's task was decided by %+v", d)
				}
				told := slices.ContainsFunc(s.events, func(e wf.Event) bool {
					return e.Type == audit.EventTaskDecided && e.Actor.ID == identity.SystemRepeat.ID
				})
				if !told {
					t.Errorf("no notices: %v", s.types(0))
				}
				if got := s.now.ApproversOf("two"); !slices.Equal(got, users("ana")) {
					t.Errorf("approvers of two = %v", got)
				}
			}
			s.must(s.approve(s.of("two", "bo"), "bo"))
			if slices.Contains(want.holders, "ana") {
				s.must(s.approve(s.of("two", "ana"), "ana"))
			}
			s.status(wf.RequestApproved)
		})
	}
}

func TestARepeatedApprovalCanEndTheRequestAtOnce(t *testing.T) {
	s := tell(t, policyOf(each("one", "ana"), each("two", "ana"), each("three", "ana")))
	s.def.Settings.RepeatApprover = policy.RepeatAutoApprove
	s.must(s.start())
	s.must(s.approve(s.of("one", "ana"), "ana"))
	s.status(wf.RequestApproved)
	if last := s.events[len(s.events)-1]; last.Actor.ID != "ana" {
		t.Errorf("the request was approved by %s, want ana, whose approval led to it", last.Actor.ID)
	}
}

func TestARepeatedApprovalDecidesTheTasksOfTheStageThatStartsAlone(t *testing.T) {
	fresh := but(together(each("one", "ana")), func(s *policy.Stage) { s.Reauth = &policy.Reauth{MaxAge: "PT5M"} })
	s := tell(t, policyOf(each("first", "ana"), fresh, together(each("two", "ana"))))
	s.def.Settings.RepeatApprover = policy.RepeatAutoApprove
	s.must(s.start())
	s.must(s.approve(s.of("first", "ana"), "ana"))
	s.holdersAre("one", "ana")
	s.holdersAre("two")
	s.status(wf.RequestInReview)
}

func TestARepeatedApprovalCountsInLaterStagesAndNotInParallelOnes(t *testing.T) {
	s := tell(t, policyOf(each("first", "ana"), together(each("one", "ana", "bo")), together(each("two", "ana", "bo"))))
	s.def.Settings.RepeatApprover = policy.RepeatAutoApprove
	s.must(s.start())
	s.must(s.approve(s.of("first", "ana"), "ana"))
	s.holdersAre("one", "bo")
	s.holdersAre("two", "bo")
	s.must(s.approve(s.of("one", "bo"), "bo"))
	s.holdersAre("two", "bo") // both are in the query
	s.must(s.approve(s.of("two", "bo"), "bo"))
	s.status(wf.RequestApproved)
}

func TestARejectionOrAnAbstentionIsNoRepeat(t *testing.T) {
	s := tell(t, policyOf(but(each("one", "ana", "bo"), func(s *policy.Stage) {
		s.Allow.Abstain, s.Quorum.Mode, s.Quorum.WaitForAll = true, quorum.QuorumAny, true
	}), each("two", "ana")))
	s.def.Settings.RepeatApprover = policy.RepeatExclude
	s.must(s.start())
	s.must(s.act(s.of("one", "ana"), "ana", wf.ActionAbstain))
	s.must(s.approve(s.of("one", "bo"), "bo"))
	s.holdersAre("two", "ana")
}

func TestAnApprovalOfAnEarlierRevisionIsNoRepeat(t *testing.T) {
	s := tell(t, policyOf(each("one", "ana"), each("two", "bo", "ana")))
	s.def.Settings.RepeatApprover = policy.RepeatExclude
	s.must(s.start())
	s.must(s.approve(s.of("one", "ana"), "ana"))
	s.holdersAre("two", "bo")
	s.must(s.sendBack(s.of("two", "bo"), "bo"))
	s.must(s.resubmit(person("rita"), ""))
	s.holdersAre("one", "ana")
}

func TestOnePersonSitsInOneStageOfAParallelGroup(t *testing.T) {
	s := tell(t, policyOf(together(each("one", "ana", "bo")), together(each("two", "ana", "cy"))))
	s.def.Settings.RepeatApprover = policy.RepeatExclude
	s.must(s.start())
	s.holdersAre("one", "ana", "bo")
	s.holdersAre("two", "cy")
	s.refused(s.reassign(s.of("two", "cy"), "ana", root), reason.WrongState)
	s.must(s.reassign(s.of("one", "ana"), "dee", root))
	s.must(s.reassign(s.of("two", "cy"), "ana", root))
	s.must(s.approve(s.of("two", "ana"), "ana"))
	s.refused(s.reassign(s.of("one", "dee"), "ana", root), reason.WrongState)
}

func TestACandidateOfTwoParallelPoolsTakesOne(t *testing.T) {
	s := tell(t, policyOf(together(pool("one", 1, "ana", "bo")), together(pool("two", 1, "ana", "bo"))))
	s.def.Settings.RepeatApprover = policy.RepeatExclude
	s.must(s.start())
	s.must(s.claim(s.nth("one", 1), person("ana")))
	s.refused(s.claim(s.nth("two", 1), person("ana")), reason.Forbidden)
	s.refused(s.approve(s.nth("two", 1), "ana"), reason.Forbidden)
	s.must(s.unclaim(s.nth("one", 1), person("ana")))
	s.must(s.approve(s.nth("two", 1), "ana"))
	s.refused(s.claim(s.nth("one", 1), person("ana")), reason.Forbidden)
	s.must(s.approve(s.nth("one", 1), "bo"))
	s.status(wf.RequestApproved)
}

func TestAPoolWhoseCandidatesAreAllTakenIsBlocked(t *testing.T) {
	s := tell(t, policyOf(together(pool("one", 1, "ana", "bo")), together(pool("two", 1, "ana"))))
	s.def.Settings.RepeatApprover = policy.RepeatExclude
	s.must(s.start())
	s.status(wf.RequestInReview)
	s.must(s.approve(s.nth("one", 1), "ana"))
	s.status(wf.RequestBlocked)
	s.because(wf.BecauseNoApprovers)
	s.must(s.reassign(s.rescue("two"), "dee", root))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("two", "dee"), "dee"))
	s.status(wf.RequestApproved)
}

func TestWithoutExclusionOnePersonApprovesBothParallelStages(t *testing.T) {
	s := begin(t, together(each("one", "ana")), together(each("two", "ana")))
	if got := s.now.Current(); !slices.Equal(got, []string{"one", "two"}) {
		t.Fatalf("current stages = %v", got)
	}
	s.must(s.approve(s.of("two", "ana"), "ana"))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("one", "ana"), "ana"))
	s.status(wf.RequestApproved)
}

func TestOneRejectedStageOfAParallelGroupRejectsTheRequest(t *testing.T) {
	s := begin(t, together(each("one", "ana")), together(each("two", "bo")), each("after", "cy"))
	s.must(s.reject(s.of("two", "bo"), "bo"))
	s.status(wf.RequestRejected)
	s.because(wf.BecauseVeto)
	if s.now.StatusReason.StageKey != "two" {
		t.Errorf("reason = %+v", s.now.StatusReason)
	}
	s.stageIs("one", wf.StageCancelled)
	s.stageIs("after", wf.StageCancelled)
	if got := s.task(s.of("one", "ana")); got.Status != wf.TaskSkipped || got.CloseReason != wf.ClosedStageRejected {
		t.Errorf("task = %+v", got)
	}
}

func TestTheStageAfterAGroupWaitsForAllOfIt(t *testing.T) {
	s := begin(t, together(each("one", "ana")), together(each("two", "bo")), each("after", "cy"))
	s.must(s.approve(s.of("one", "ana"), "ana"))
	s.stageIs("after", wf.StagePending)
	s.must(s.approve(s.of("two", "bo"), "bo"))
	s.stageIs("after", wf.StageActive)
}

func TestStageActorRuleAssignsApproversOfEarlierStage(t *testing.T) {
	s := begin(t,
		but(each("one", "ana", "bo"), func(s *policy.Stage) { s.Quorum.Mode = quorum.QuorumAny }),
		but(each("two"), func(s *policy.Stage) { s.Approvers = []policy.Rule{{Type: policy.RuleStageActor, Stage: "one"}} }))
	s.must(s.approve(s.of("one", "bo"), "bo"))
	s.holdersAre("two", "bo")
}

func TestRequestParticipants(t *testing.T) {
	s := begin(t, but(each("s", "ana", "bo"), anyHolder), each("next", "cy"))
	s.must(s.reassign(s.of("s", "ana"), "dee", person("ana")))
	for id, want := range map[string]bool{"rita": true, "sam": true, "ana": false, "bo": true, "dee": true, "cy": false, "eve": false, "root": false} {
		if got := s.now.Participates(id); got != want {
			t.Errorf("Participates(%s) = %v", id, got)
		}
	}
	s = begin(t, pool("s", 1, "ana", "bo"))
	if !s.now.Participates("bo") || s.now.Participates("eve") {
		t.Error("only the candidates of a pool take part")
	}
	one := func(id string) *identity.User { return &identity.User{ID: id} }
	decided := wf.Task{Decision: &wf.Decision{Actor: person("gus").Ref()}}
	swept := wf.Task{Decision: &wf.Decision{Actor: identity.ActorRef{Kind: identity.ActorSystem, ID: "system"}}}
	got := wf.Request{
		Requester: *one("rita"), SubmittedBy: *one("sam"),
		Stages: []wf.StageRun{{People: []approver.Approver{{User: *one("ana")}}}},
		Tasks:  []wf.Task{{Assignee: one("cy"), Owner: one("dee"), ClaimedBy: one("eli"), ReassignedFrom: one("fay")}, decided, swept},
	}.People()
	want := []string{"ana", "cy", "dee", "eli", "fay", "gus", "rita", "sam"}
	if ids := slices.Sorted(maps.Keys(got)); !slices.Equal(ids, want) {
		t.Errorf("People = %s", ids)
	}
}
