package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/calendar"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// register is a directory that can fail, lose people and take them back.
type register struct {
	mu    sync.Mutex
	down  bool
	gone  map[string]bool
	roles map[string][]string // a role that is not there is unknown
}

func (d *register) resolve(_ context.Context, q approver.Question) ([]identity.User, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		return nil, reason.NoAnswer("the directory is away")
	}
	ids := q.Rule.IDs
	if q.Rule.Type == policy.RuleRole {
		var known bool
		if ids, known = d.roles[q.Rule.Role]; !known {
			return nil, refusal.New(reason.EngineRefused, "role %s: there is none", q.Rule.Role)
		}
	}
	var people []identity.User
	for _, id := range ids {
		if !d.gone[id] {
			people = append(people, identity.User{ID: id})
		}
	}
	return people, nil
}

// truth is the current result of a rule, or its failure.
func (d *register) truth(rule policy.Rule) (ids []string, fails bool) {
	if rule.Type == policy.RuleUser {
		return rule.IDs, false
	}
	members, known := d.roles[rule.Role]
	return slices.DeleteFunc(slices.Clone(members), func(id string) bool { return d.gone[id] }), !known
}

// excluded holds the people that exclude rules yield now. Names count without the directory; of a rule by role that fails
// none count.
func (d *register) excluded(rules []policy.Rule) (ids []string, fails bool) {
	for _, rule := range rules {
		yields, failed := d.truth(rule)
		ids, fails = append(ids, yields...), fails || failed
	}
	return ids, fails
}

// The contexts of the model, and its expressions over them.
const (
	noNumber, smallNumber, largeNumber = `{}`, `{"n":1}`, `{"n":20}`

	isLarge    = `has(context.n) && context.n > 10`
	isNumber   = `has(context.n)`
	twoIfLarge = `has(context.n) && context.n > 10 ? 2 : 1`
)

var contexts = []string{noNumber, smallNumber, largeNumber}

// over returns the stage for a context: without the rules whose condition is false, and with the quorum of the context.
func over(s policy.Stage, document string) policy.Stage {
	s.Approvers = slices.Clone(s.Approvers)
	for i, rule := range s.Approvers {
		if rule.When == isLarge && document != largeNumber || rule.When == isNumber && document == noNumber {
			s.Approvers[i] = policy.Rule{Type: policy.RuleUser}
		}
	}
	if s.Quorum.ValueCEL == twoIfLarge {
		if s.Quorum.Value = 1; document == largeNumber {
			s.Quorum.Value = 2
		}
	}
	return s
}

// anyExclusion is the exclude rules of a stage or of a policy.
func anyExclusion(t *rapid.T) []policy.Rule {
	return rapid.SampledFrom([][]policy.Rule{
		nil, nil, {{Type: policy.RuleRole, Role: "author"}}, {names("bo")}, {{Type: policy.RuleRole, Role: "red"}},
		{names("cy"), {Type: policy.RuleRole, Role: "author"}},
	}).Draw(t, "exclude")
}

// anyDefinition is a policy of one or two stages.
func anyDefinition(t *rapid.T) policy.Definition {
	d := policyOf()
	d.Settings = policy.Settings{
		RequesterMayApprove: rapid.IntRange(1, 5).Draw(t, "requester may approve") == 5,
		RepeatApprover:      rapid.SampledFrom([]policy.RepeatApprover{"", policy.RepeatExclude, policy.RepeatAutoApprove}).Draw(t, "repeat"),
		MembershipRecheck:   rapid.SampledFrom([]policy.MembershipRecheck{"", policy.RecheckStrict, policy.RecheckNone}).Draw(t, "recheck"),
		OnNoStages: rapid.SampledFrom([]policy.OnNoStages{policy.OnNoStagesRefuse, policy.OnNoStagesApprove,
			policy.OnNoStagesReject}).Draw(t, "no stages"),
		OnResubmit:        rapid.SampledFrom([]policy.OnResubmit{policy.OnResubmitRestart, policy.OnResubmitResume}).Draw(t, "on resubmit"),
		Delegation:        policy.DelegationSettings{Allowed: rapid.SampledFrom([]*bool{nil, nil, nil, new(bool)}).Draw(t, "delegation")},
		FallbackApprovers: []policy.Rule{{Type: policy.RuleRole, Role: "spare"}},
		ExpiresIn:         policy.Lifetime(rapid.SampledFrom([]string{"PT30H", "P30D"}).Draw(t, "expires in")),
		Exclude: rapid.SampledFrom([][]policy.Rule{nil, nil, nil, {names("dee")},
			{{Type: policy.RuleRole, Role: "author"}}}).Draw(t, "excluded from all stages"),
		SingleUse: rapid.Bool().Draw(t, "single use"),
		Validity:  rapid.SampledFrom([]*policy.Validity{nil, {ValidFor: "PT1H"}}).Draw(t, "validity"),
		Calendar: rapid.SampledFrom([]*calendar.WorkingTime{nil, nil, {
			Zone: "Africa/Nairobi", Days: []calendar.Weekday{"mon", "tue", "thu"}, From: "08:00", To: "17:00",
		}}).Draw(t, "calendar"),
	}
	for i := range rapid.IntRange(1, 2).Draw(t, "stages") {
		s := anyStage(t, fmt.Sprint("s", i))
		if i > 0 && rapid.Bool().Draw(t, "parallel") {
			s.ParallelGroup, d.Stages[0].ParallelGroup = "g", "g"
		}
		d.Stages = append(d.Stages, s)
	}
	return d
}

func anyRule(t *rapid.T) policy.Rule {
	switch rapid.IntRange(1, 5).Draw(t, "rule") {
	case 1, 2:
		return policy.Rule{Type: policy.RuleRole, Role: "red"}
	case 3, 4:
		return policy.Rule{Type: policy.RuleRole, Role: "blue"}
	default:
		return names(rapid.SliceOfNDistinct(rapid.SampledFrom(crowd), 2, 3, rapid.ID[string]).Draw(t, "people")...)
	}
}

func anyStage(t *rapid.T, key string) policy.Stage {
	s := policy.Stage{Key: key, Name: key, Approvers: []policy.Rule{anyRule(t)}}
	if rapid.Bool().Draw(t, "two rules") {
		s.Approvers = append(s.Approvers, anyRule(t))
	}
	if rapid.IntRange(1, 6).Draw(t, "conditional") == 6 {
		s.When = "context.n > 10"
	}
	s.Quorum.Mode = rapid.SampledFrom([]quorum.QuorumMode{quorum.QuorumAll, quorum.QuorumAny, quorum.QuorumCount,
		quorum.QuorumPercentage}).Draw(t, "quorum")
	s.Quorum.WaitForAll = rapid.IntRange(1, 5).Draw(t, "wait for all") == 5
	if rapid.Bool().Draw(t, "pool") {
		s.Assignment, s.Quorum.WaitForAll = policy.AssignmentPool, false
		if s.Quorum.Mode == quorum.QuorumAll {
			s.Quorum.Mode = quorum.QuorumCount
		}
	}
	switch s.Quorum.Mode {
	case quorum.QuorumCount:
		if rapid.IntRange(1, 3).Draw(t, "quorum by the content") == 3 {
			s.Quorum.ValueCEL = twoIfLarge
			break
		}
		s.Quorum.Value = rapid.IntRange(1, 2).Draw(t, "count")
	case quorum.QuorumPercentage:
		s.Quorum.Value = rapid.SampledFrom([]int{34, 50, 100}).Draw(t, "percentage")
	}
	rule := &s.Approvers[rapid.IntRange(0, len(s.Approvers)-1).Draw(t, "which rule")]
	rule.MinApprovals = rapid.IntRange(0, 1).Draw(t, "minimum")
	rule.Required = s.Assignment != policy.AssignmentPool && rapid.IntRange(1, 3).Draw(t, "required") == 3
	s.Rejection = quorum.Rejection{
		Mode: rapid.SampledFrom([]quorum.RejectionMode{quorum.RejectionVeto, quorum.RejectionCount,
			quorum.RejectionUnreachable}).Draw(t, "rejection"),
		OnUnreachable: rapid.SampledFrom([]quorum.OnUnreachable{quorum.OnUnreachableReject, quorum.OnUnreachableBlock}).Draw(t, "on unreachable"),
	}
	if s.Rejection.Mode == quorum.RejectionCount {
		s.Rejection.Value = 2
	}
	s.OnEmpty = rapid.SampledFrom([]policy.OnEmpty{policy.OnEmptyBlock, policy.OnEmptyBlock, policy.OnEmptySkip,
		policy.OnEmptyReject, policy.OnEmptyFallback}).Draw(t, "on empty")
	rule.Veto = rapid.IntRange(1, 4).Draw(t, "veto") == 4
	s.Exclude = anyExclusion(t)
	for i := range s.Approvers {
		s.Approvers[i].When = rapid.SampledFrom([]string{"", "", "", isLarge, isNumber}).Draw(t, "rule by the content")
	}
	if rapid.Bool().Draw(t, "deadline") {
		s.Deadline = anyDeadline(t, s)
	}
	s.Allow = policy.Allow{
		Abstain:  rapid.Bool().Draw(t, "abstain"),
		Withdraw: rapid.SampledFrom([]*bool{nil, nil, new(true), new(false)}).Draw(t, "withdraw"),
		Reassign: rapid.SampledFrom([]policy.AllowReassign{policy.ReassignEligible, policy.ReassignAny}).Draw(t, "reassign"),
	}
	return s
}

func anyDeadline(t *rapid.T, s policy.Stage) *policy.Deadline {
	d := &policy.Deadline{
		RemindBefore: rapid.SampledFrom([][]policy.Duration{nil, {"PT10M"}, {"PT1H", "PT20M"}}).Draw(t, "remind before"),
		OnDue: rapid.SampledFrom([]policy.OnDue{policy.OnDueNotify, policy.OnDueEscalate, policy.OnDueEscalate,
			policy.OnDueExpire}).Draw(t, "on due"),
	}
	if rapid.Bool().Draw(t, "due by the content") {
		d.DueCEL = `has(context.n) ? "PT1H" : "PT20H"`
	} else {
		d.DueIn = rapid.SampledFrom([]policy.Duration{"PT30M", "P1D"}).Draw(t, "due in")
	}
	if s.Quorum.WaitForAll && d.OnDue == policy.OnDueEscalate {
		d.OnDue = policy.OnDueNotify
	}
	if d.OnDue != policy.OnDueExpire && rapid.Bool().Draw(t, "remind every") {
		d.RemindEvery = "PT1H"
	}
	if d.OnDue == policy.OnDueEscalate {
		d.EscalateTo = rapid.SampledFrom([][]policy.Rule{{names("gus")}, {{Type: policy.RuleRole, Role: "spare"}},
			{{Type: policy.RuleRole, Role: "red"}}}).Draw(t, "escalate to")
	}
	return d
}
