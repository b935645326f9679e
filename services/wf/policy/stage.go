package policy

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/quorum"
)

// Assignment is the task assignment mode of a stage.
type Assignment string

// AssignmentEach creates one task per approver. AssignmentPool creates one unassigned task per required
// approval, to be claimed.
const (
	AssignmentEach Assignment = "each"
	AssignmentPool Assignment = "pool"
)

// Values returns every value.
func (Assignment) Values() []Assignment {
	return []Assignment{AssignmentEach, AssignmentPool}
}

// OnEmpty is the reaction to a stage without enough approvers.
type OnEmpty string

// The choices for an empty stage. OnEmptyBlock is the default and never approves.
const (
	OnEmptyBlock    OnEmpty = "block"
	OnEmptyFallback OnEmpty = "fallback"
	OnEmptySkip     OnEmpty = "skip"
	OnEmptyReject   OnEmpty = "reject"
)

// Values returns every value.
func (OnEmpty) Values() []OnEmpty {
	return []OnEmpty{OnEmptyBlock, OnEmptyFallback, OnEmptySkip, OnEmptyReject}
}

// Limits of one stage.
const (
	maxStages  = 20
	maxRules   = 50
	MaxCounted = 100  // tasks of one stage that the quorum counts
	MaxPool    = 1000 // candidates of one pool
	MaxWatch   = 200  // observers of one stage

	// MaxExcluded is the maximum number of people whom the exclude rules of one stage yield.
	MaxExcluded = 5000

	maxExpr   = 4096 // bytes of one CEL expression
	maxSchema = 64 << 10
)

// Stage is one step of a policy, with its approvers and its quorum.
type Stage struct {
	Key            string           `json:"key" doc:"Unique key in the policy; ^[a-z][a-z0-9_-]{0,63}$"`
	Name           string           `json:"name" minLength:"1" maxLength:"200" doc:"Display name."`
	NameI18n       Texts            `json:"name_i18n,omitempty" maxProperties:"20" doc:"The name in other languages, by language tag (BCP 47), for pages and mails."`
	Description    string           `json:"description,omitempty" maxLength:"4000" doc:"Description."`
	ParallelGroup  string           `json:"parallel_group,omitempty" maxLength:"64" doc:"Adjacent stages with the same value run in parallel."`
	When           string           `json:"when,omitempty" doc:"CEL; false skips the stage. If the expression fails, the stage runs."`
	Assignment     Assignment       `json:"assignment,omitempty" doc:"each: one task for each approver. pool: one task for each required approval, which a candidate claims; each when absent."`
	Approvers      []Rule           `json:"approvers" doc:"1 to 50 rules; the approvers are the users of all."`
	Exclude        []Rule           `json:"exclude,omitempty" maxItems:"20" doc:"Users that may not approve the stage, in addition to those of settings."`
	Observers      []Rule           `json:"observers,omitempty" maxItems:"50" doc:"Users that may read and comment from the start of the stage, without a task or a vote."`
	Quorum         quorum.Quorum    `json:"quorum,omitzero" doc:"Required approvals."`
	Rejection      quorum.Rejection `json:"rejection,omitzero" doc:"Condition for the rejection of the stage."`
	Allow          Allow            `json:"allow,omitzero" doc:"Optional actions of approvers."`
	OnEmpty        OnEmpty          `json:"on_empty,omitempty" doc:"Effect of too few eligible approvers; block when absent."`
	Deadline       *Deadline        `json:"deadline,omitempty" doc:"Due date of the stage, its reminders and its effect."`
	Reauth         *Reauth          `json:"reauth,omitempty" doc:"Step-up authentication for a claim, a decision and a reassignment (RFC 9470)."`
	DecisionSchema json.RawMessage  `json:"decision_schema,omitempty" doc:"JSON Schema 2020-12 of decision.data."`
}

// Allow lists the optional actions of approvers, besides approval and rejection.
type Allow struct {
	Abstain        bool          `json:"abstain,omitempty" doc:"Approvers may abstain; false when absent."`
	RequestChanges *bool         `json:"request_changes,omitempty" doc:"Requests for changes; true when absent"`
	Reassign       AllowReassign `json:"reassign,omitempty" doc:"Receivers of reassigned tasks; eligible when absent. Admins may always reassign."`
	Delegate       *bool         `json:"delegate,omitempty" doc:"Delegates may act; true when absent, and false when absent in a stage with reauth"`
	Withdraw       *bool         `json:"withdraw,omitempty" doc:"Withdrawal of a decision while the stage is undecided; true when absent"`
}

// AllowReassign limits the receivers of a reassignment by an assignee.
type AllowReassign string

// The receivers: none, approvers yielded by the rules, or any person.
const (
	ReassignNone     AllowReassign = "none"
	ReassignEligible AllowReassign = "eligible"
	ReassignAny      AllowReassign = "any"
)

// Values returns every value.
func (AllowReassign) Values() []AllowReassign {
	return []AllowReassign{ReassignNone, ReassignEligible, ReassignAny}
}

// AllowsDelegation reports whether the stage permits acts of delegates. With reauth they do only if the policy says so.
func (s Stage) AllowsDelegation() bool {
	if s.Allow.Delegate != nil {
		return *s.Allow.Delegate
	}
	return s.Reauth == nil
}

// Reauth requires a recent or strong authentication before a claim, a decision and a reassignment.
type Reauth struct {
	MaxAge    Duration `json:"max_age,omitempty" doc:"Maximum age of the token's auth_time, such as PT5M."`
	ACRValues []string `json:"acr_values,omitempty" maxItems:"10" doc:"Acceptable acr values of the token."`
}

// maxLeeway is the tolerated clock difference to the issuer. A later auth_time is invalid.
const maxLeeway = time.Minute

// Permits reports whether the actor's authentication meets the requirement.
func (r *Reauth) Permits(a identity.Actor, now time.Time) bool {
	if r == nil {
		return true
	}
	if len(r.ACRValues) > 0 && !slices.Contains(r.ACRValues, a.Auth.ACR) {
		return false
	}
	if r.MaxAge == "" {
		return true
	}
	limit, err := r.MaxAge.Parse()
	age := now.Sub(a.Auth.AuthTime.Time)
	return err == nil && !a.Auth.AuthTime.IsZero() && age <= limit && age >= -maxLeeway
}

// StepUp returns the requirement for a refusal.
func (r *Reauth) StepUp() *refusal.StepUp {
	age, _ := r.MaxAge.Parse() // zero without a limit
	return &refusal.StepUp{MaxAge: age, ACRValues: r.ACRValues}
}

// validate rejects a requirement without effect: an empty acr is that of a token without one.
func (r *Reauth) validate(v *validation, pointer string) {
	if r.MaxAge != "" {
		v.duration(pointer+"/max_age", r.MaxAge)
	} else if len(r.ACRValues) == 0 {
		v.add(pointer, "must contain max_age or acr_values")
	}
	for i, acr := range r.ACRValues {
		hidden := func(c rune) bool { return c <= ' ' || c > '~' }
		v.refuse(acr == "" || strings.ContainsFunc(acr, hidden), elementPointer(pointer+"/acr_values", i),
			"must consist of visible ASCII characters")
	}
}

var stageKey = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)

// validate checks stage i of d. earlier contains the keys of the stages completed at its start.
func (s Stage) validate(v *validation, d Definition, pointer string, earlier []string) {
	v.refuse(!stageKey.MatchString(s.Key), pointer+"/key", "must match %s", stageKey)
	v.refuse(len(s.Approvers) < 1 || len(s.Approvers) > maxRules, pointer+"/approvers", "must contain 1 to %d rules", maxRules)
	v.condition(pointer+"/when", s.When)
	for i, rule := range s.Approvers {
		rule.validate(v, elementPointer(pointer+"/approvers", i), earlier)
		v.refuse(rule.Required && s.Assignment == AssignmentPool, elementPointer(pointer+"/approvers", i)+"/required",
			"required needs assignment each")
		v.overContent(elementPointer(pointer+"/approvers", i)+"/when", rule.When, YieldsBool)
		if rule.Veto && s.Rejection.Vetoes() {
			v.warn(elementPointer(pointer+"/approvers", i)+"/veto", "has no effect: with rejection mode veto, every rejection rejects the stage")
		}
	}
	v.rules(pointer+"/observers", s.Observers, earlier, "observers")
	v.exclude(pointer+"/exclude", s.Exclude, earlier)
	s.validateQuorum(v, pointer+"/quorum")
	s.validateRejection(v, pointer+"/rejection")
	v.refuse(s.OnEmpty == OnEmptyFallback && len(d.Settings.FallbackApprovers) == 0, pointer+"/on_empty",
		"fallback needs settings.fallback_approvers")
	s.Deadline.validate(v, d.Settings, s, pointer+"/deadline", earlier)
	if s.Reauth != nil {
		s.Reauth.validate(v, pointer+"/reauth")
	}
	v.schema(pointer+"/decision_schema", s.DecisionSchema)
}

// rulesByID returns the rules of each person that the rules without when list, if all these rules list their
// users by id. Otherwise it returns false.
func (s Stage) rulesByID() ([]quorum.RuleSet, bool) {
	people := map[string]quorum.RuleSet{}
	for i, rule := range s.Approvers {
		if conditional(rule) {
			continue
		}
		if rule.Type != RuleUser || len(rule.Usernames) > 0 {
			return nil, false
		}
		for _, id := range rule.IDs {
			people[id] |= 1 << i
		}
	}
	return slices.Collect(maps.Values(people)), true
}

// withoutConditional returns the stage without the requirements of the rules with when.
func (s Stage) withoutConditional() Stage {
	var values Computed
	for i, rule := range s.Approvers {
		if conditional(rule) {
			values.Off = append(values.Off, i)
		}
	}
	return s.With(values)
}

// Veto returns the rules with a veto.
func (s Stage) Veto() quorum.RuleSet {
	var rules []int
	for i, rule := range s.Approvers {
		if rule.Veto {
			rules = append(rules, i)
		}
	}
	return quorum.Rules(rules)
}

// Minimums returns min_approvals of each rule.
func (s Stage) Minimums() []int {
	mins := make([]int, len(s.Approvers))
	for i, rule := range s.Approvers {
		mins[i] = rule.MinApprovals
	}
	return mins
}

// OptionalRules returns the indexes of the approver rules that are not required.
func (s Stage) OptionalRules() []int {
	rules := []int{}
	for i, rule := range s.Approvers {
		if !rule.Required {
			rules = append(rules, i)
		}
	}
	return rules
}

// validateQuorum checks the quorum of a stage.
func (s Stage) validateQuorum(v *validation, pointer string) {
	q := s.Quorum
	switch computed := q.ValueCEL != ""; q.Mode {
	case quorum.QuorumCount, quorum.QuorumPercentage:
		v.refuse(!computed && (q.Value < 1 || q.Value > 100), pointer+"/value",
			"must be between 1 and 100 with mode %s", q.Mode)
		v.refuse(computed && q.Value != 0, pointer+"/value_cel", "excludes value")
		v.overContent(pointer+"/value_cel", q.ValueCEL, YieldsInt)
	default:
		v.refuse(q.Value != 0, pointer+"/value", "applies to the modes count and percentage only")
		v.refuse(computed, pointer+"/value_cel", "applies to the modes count and percentage only")
	}
	v.requireRange(pointer+"/min_approvals", q.MinApprovals, 1, MaxCounted)
	pool := s.Assignment == AssignmentPool
	v.refuse(pool && (q.Mode == quorum.QuorumAll || q.Mode == ""), pointer+"/mode",
		"a pool requires any, count or percentage: with all, every member would have to claim a task")
	v.refuse(pool && q.WaitForAll, pointer+"/wait_for_all", "wait_for_all requires assignment each")
	ruled := 0
	for _, rule := range s.withoutConditional().Approvers {
		ruled += min(max(rule.MinApprovals, 0), MaxCounted+1)
	}
	v.refuse(ruled > MaxCounted, pointer, "the rules' min_approvals sum to %d, over the limit of %d", ruled, MaxCounted)
	count := q.Mode == quorum.QuorumCount && q.ValueCEL == ""
	v.refuse(count && ruled > q.Value, pointer+"/value", "is %d, below the sum of the rules' min_approvals, %d", q.Value, ruled)
	whole := !slices.ContainsFunc(s.Approvers, conditional) // the stage never has more people
	if least := max(q.MinApprovals, q.Value, 1); pool && whole && (count || q.Mode == quorum.QuorumAny) && ruled >= least {
		for i, rule := range s.Approvers {
			if rule.MinApprovals == 0 {
				v.warn(elementPointer(strings.TrimSuffix(pointer, "quorum")+"approvers", i),
					"can never act: the min_approvals of the other rules take all %d approvals of the pool", ruled)
			}
		}
	}
	named, known := s.rulesByID()
	if !known {
		return
	}
	people := len(named)
	v.refuse(pool && people > MaxPool, pointer, "a pool has at most %[2]d approvers; the stage lists %[1]d", people, MaxPool)
	v.refuse(!pool && people > MaxCounted, pointer, "assignment each has at most %[2]d approvers; use pool for %[1]d", people, MaxCounted)
	v.refuse(count && whole && q.Value > people, pointer+"/value", "is %d, but the stage lists %d users", q.Value, people)
	v.refuse(whole && q.MinApprovals > people, pointer+"/min_approvals", "is %d, but the stage lists %d users", q.MinApprovals, people)
	if ruled <= MaxCounted {
		if found := quorum.Match(s.withoutConditional().Minimums(), named); found.Missing() > 0 {
			v.add(pointer, "the rules' min_approvals need %d users, but the stage lists only %d for them", ruled, found.Filled)
		}
	}
}

// validateRejection checks the rejection rule of a stage.
func (s Stage) validateRejection(v *validation, pointer string) {
	r := s.Rejection
	if r.Mode == quorum.RejectionCount {
		if r.Value < 1 || r.Value > 100 {
			v.add(pointer+"/value", "must be between 1 and 100 with mode count")
		} else if named, known := s.rulesByID(); known && !slices.ContainsFunc(s.Approvers, conditional) &&
			s.Assignment == AssignmentPool && r.Value > len(named) {
			v.warn(pointer+"/value", "is %d, but the stage lists %d users; the number of rejections is unreachable", r.Value, len(named))
		}
	} else if r.Value != 0 {
		v.add(pointer+"/value", "applies to the mode count only")
	}
}
