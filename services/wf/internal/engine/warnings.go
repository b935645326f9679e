package engine

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// warnings returns possible failures of a policy with these users and this context, for its author.
func (a *answers) warnings(tx *store.Tx, def policy.Definition, draft wf.Request, stages []SimulatedStage) ([]string, error) {
	out, err := a.failingSettings(tx, def, draft)
	if err != nil {
		return nil, err
	}
	if def.Settings.Submitters == nil {
		out = append(out, "/settings/submitters: absent, so any caller with a valid token may create requests")
	}
	first := map[string]string{}
	for _, s := range stages {
		if s.Run.Status == wf.StageSkipped {
			continue
		}
		warn := func(format string, args ...any) {
			out = append(out, s.Definition.Key+": "+fmt.Sprintf(format, args...))
		}
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
		if deadline := s.Definition.Deadline; deadline != nil && draft.ExpiresAt != nil {
			due := def.Settings.DueAt(*deadline, s.Run.Computed, a.now) // or later, if the stage starts later
			if due.After(*draft.ExpiresAt) {
				warn("its due date, %s or later, is after the end of the request at %s",
					identity.Stamp{Time: due}, identity.Stamp{Time: *draft.ExpiresAt})
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
	out = append(out, spellings(def, draft, stages)...)
	unknown, err := a.unknownUsers(tx, stages)
	return append(out, unknown...), err
}

// spellings warns of user ids and usernames that differ only in case or Unicode form. Ids are
// compared exactly, so the two spellings are two users.
func spellings(def policy.Definition, draft wf.Request, stages []SimulatedStage) []string {
	ids := []string{draft.Requester.ID, draft.SubmittedBy.ID}
	var usernames []string
	for _, rules := range rulesOf(def) {
		for _, rule := range rules {
			ids, usernames = append(ids, rule.IDs...), append(usernames, rule.Usernames...)
		}
	}
	for _, s := range stages {
		for _, person := range s.Run.People {
			ids = append(ids, person.ID)
		}
	}
	var out []string
	for _, names := range [][]string{ids, usernames} {
		first := map[string]string{}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			form := cases.Fold().String(norm.NFKC.String(name))
			if other, seen := first[form]; seen {
				out = append(out, fmt.Sprintf("%+q and %+q differ only in case or Unicode form, and are two users", other, name))
			} else {
				first[form] = name
			}
		}
	}
	return out
}

// rulesOf returns the lists of rules of a definition, by pointer.
func rulesOf(def policy.Definition) map[string][]policy.Rule {
	lists := map[string][]policy.Rule{
		"/settings/submitters": def.Settings.Submitters, "/settings/fallback_approvers": def.Settings.FallbackApprovers,
		"/settings/exclude": def.Settings.Exclude,
	}
	for i, stage := range def.Stages {
		at := fmt.Sprintf("/stages/%d/", i)
		lists[at+"approvers"], lists[at+"exclude"], lists[at+"observers"] = stage.Approvers, stage.Exclude, stage.Observers
		if stage.Deadline != nil {
			lists[at+"deadline/escalate_to"] = stage.Deadline.EscalateTo
		}
	}
	return lists
}

// failingSettings warns of conditions for automatic decisions that fail with this context. People
// decide in that case.
func (a *answers) failingSettings(tx *store.Tx, def policy.Definition, draft wf.Request) ([]string, error) {
	var out []string
	for _, c := range []struct{ name, cel string }{
		{"auto_reject_when", def.Settings.AutoRejectWhen}, {"auto_approve_when", def.Settings.AutoApproveWhen},
	} {
		if c.cel == "" {
			continue
		}
		value := wf.Case{Request: draft, Definition: def, Now: a.now}.Applies(c.cel)
		if value.Failure != nil {
			out = append(out, fmt.Sprintf("/settings/%s: fails, so approvers decide: %s", c.name, value.Failure.Message))
		}
	}
	return out, nil
}

// unknownUsers warns of users that a stage names by id and that the directory has deleted, disabled or
// never contained.
func (a *answers) unknownUsers(tx *store.Tx, stages []SimulatedStage) ([]string, error) {
	if !a.Directory {
		return nil, nil
	}
	var named []string
	for _, s := range stages {
		named = append(named, s.byID()...)
	}
	slices.Sort(named)
	known := map[string]bool{}
	var open approver.Unanswered
	for ids := range slices.Chunk(slices.Compact(named), missingAtOnce) {
		q := approver.ExistingUsers(ids...)
		answer, answered := a.known.People[q.AnswerKey()]
		switch {
		case !answered:
			open.Questions = append(open.Questions, q)
		case answer.Failure != nil:
			return []string{"approvers not checked in the directory: " + answer.Failure.Message}, nil
		}
		for _, u := range answer.Users {
			known[u.ID] = true
		}
	}
	if len(open.Questions) > 0 {
		if err := a.lookUp(tx, &open); err != nil {
			return nil, err
		}
		return a.unknownUsers(tx, stages)
	}
	var out []string
	for _, s := range stages {
		for _, id := range s.byID() {
			if !known[id] {
				out = append(out, fmt.Sprintf("%s: %s is unknown to the directory, or disabled", s.Definition.Key, id))
			}
		}
	}
	return out, nil
}

// byID returns the ids of the approvers that a stage names by id.
func (s SimulatedStage) byID() []string {
	var ids []string
	for _, person := range s.Run.People {
		if s.Run.Status == wf.StageSkipped || person.Fallback {
			continue
		}
		elsewhere := slices.ContainsFunc(person.Rules, func(i int) bool {
			switch rule := s.Definition.Approvers[i]; rule.Type {
			case policy.RuleUser:
				return !slices.Contains(rule.IDs, person.ID)
			case policy.RuleExpression:
				return cmp.Or(rule.As, policy.AsUserIDs) != policy.AsUserIDs
			case policy.RuleHTTP:
				return false
			default:
				return true
			}
		})
		if !elsewhere {
			ids = append(ids, person.ID)
		}
	}
	return ids
}
