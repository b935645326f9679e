package chart

import (
	"cmp"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/policy"
)

// Texts holds the language of a chart.
type Texts struct {
	i18n.Reader
	Person func(identity.User) string // display name of a person; nil selects the default
}

// English returns the texts of the API.
func English() Texts { return Texts{Reader: words.Reader("en", time.UTC)} }

// name returns the label of a person.
func (w Texts) name(u identity.User) string {
	if w.Person != nil {
		return w.Person(u)
	}
	return cmp.Or(u.Name, u.Username, u.ID)
}

// RuleName returns the display name of a rule.
func (w Texts) RuleName(r policy.Rule) string {
	if r.Label != "" {
		return r.Label
	}
	switch r.Type {
	case policy.RuleUser:
		var people []string
		for _, id := range r.IDs {
			people = append(people, w.name(identity.User{ID: id}))
		}
		if people = append(people, r.Usernames...); len(people) > 0 {
			return strings.Join(people, ", ")
		}
	case policy.RuleRole:
		return w.T("rule.role.named", r.Role)
	case policy.RuleGroup:
		return w.T("rule.group.named", r.Path)
	case policy.RuleStageActor:
		return w.T("rule.stage_actor.named", r.Stage)
	case policy.RuleHTTP:
		return w.T("rule.http.named", r.Resolver+r.URL)
	}
	return w.Label("rule", r.Type)
}
