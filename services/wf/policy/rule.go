package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/services/wf/identity"
)

// RuleType selects the variant of a Rule.
type RuleType string

// The rule types. The service resolves User, Expression and StageActor itself; the others query a
// directory or a resolver.
const (
	RuleUser       RuleType = "user"
	RuleExpression RuleType = "expression"
	RuleStageActor RuleType = "stage_actor"
	RuleRole       RuleType = "role"
	RuleGroup      RuleType = "group"
	RuleManager    RuleType = "manager"
	RuleHTTP       RuleType = "http"
)

// Values returns every value.
func (RuleType) Values() []RuleType {
	return []RuleType{RuleUser, RuleExpression, RuleStageActor, RuleRole, RuleGroup, RuleManager, RuleHTTP}
}

// RuleTypes is the table of the rule types: their own members, the required ones of these, and the schema
// name in the API.
var RuleTypes = map[RuleType]struct {
	Members   []string
	Required  []string
	Schema    string
	directory bool              // applies only with a directory
	noun      string            // of the rule before its subject; the type when empty
	subject   func(Rule) string // what the rule names, if it names one thing
}{
	RuleUser: {
		Members: []string{"ids", "usernames"}, Schema: "UserRule",
	},
	RuleExpression: {
		Members: []string{"cel", "as"}, Required: []string{"cel"}, Schema: "ExpressionRule",
	},
	RuleStageActor: {
		Members: []string{"stage"}, Required: []string{"stage"}, Schema: "StageActorRule",
		noun: "approvers of stage", subject: func(r Rule) string { return r.Stage },
	},
	RuleRole: {
		Members: []string{"role", "client", "include_groups", "include_composites"}, Required: []string{"role"},
		Schema: "RoleRule", directory: true, subject: func(r Rule) string { return r.Role },
	},
	RuleGroup: {
		Members: []string{"path", "include_subgroups"}, Required: []string{"path"}, Schema: "GroupRule",
		directory: true, subject: func(r Rule) string { return r.Path },
	},
	RuleManager: {
		Members: []string{"of", "level", "attribute"}, Schema: "ManagerRule",
		directory: true,
	},
	RuleHTTP: {
		Members: []string{"resolver", "url", "params"}, Schema: "HTTPRule",
		noun: "resolver", subject: func(r Rule) string { return r.Resolver + r.URL },
	},
}

// Rule selects approvers. Type selects the applicable members; the common ones are those from Required on.
type Rule struct {
	Type RuleType `json:"type" doc:"Source of the approvers."`

	IDs       []string `json:"ids,omitempty" maxItems:"1000" doc:"user: user ids"`
	Usernames []string `json:"usernames,omitempty" maxItems:"1000" doc:"user: usernames, resolved by the directory"`

	CEL string   `json:"cel,omitempty" doc:"expression: CEL that yields a string or a list of strings"`
	As  NameKind `json:"as,omitempty" doc:"expression: type of the strings; user_ids when absent"`

	Stage string `json:"stage,omitempty" doc:"stage_actor: an earlier stage, whose approvers this rule yields"`

	Role              string `json:"role,omitempty" doc:"role: name of a realm or client role"`
	Client            string `json:"client,omitempty" doc:"role: client of a client role"`
	IncludeGroups     *bool  `json:"include_groups,omitempty" doc:"role: also members of groups that have the role; true when absent"`
	IncludeComposites bool   `json:"include_composites,omitempty" doc:"role: also through composite roles"`

	Path             string `json:"path,omitempty" doc:"group: path such as /finance/officers"`
	IncludeSubgroups bool   `json:"include_subgroups,omitempty" doc:"group: also members of subgroups"`

	Of        string `json:"of,omitempty" doc:"manager: requester, submitter, or CEL that yields a user id; requester when absent. In escalate_to also assignee: everyone with an open task of the stage."`
	Level     int    `json:"level,omitempty" doc:"manager: number of levels, 1 to 5; 1 when absent"`
	Attribute string `json:"attribute,omitempty" doc:"manager: user attribute with the manager; manager when absent"`

	Resolver string          `json:"resolver,omitempty" doc:"http: a configured resolver"`
	URL      string          `json:"url,omitempty" doc:"http: a URL on a permitted host"`
	Params   json.RawMessage `json:"params,omitempty" doc:"http: parameters for the resolver"`

	Required     bool   `json:"required,omitempty" doc:"The approval of every user of this rule is mandatory."`
	MinApprovals int    `json:"min_approvals,omitempty" doc:"Required approvals of this rule's users; one user counts for at most one rule."`
	Veto         bool   `json:"veto,omitempty" doc:"A rejection by a user of this rule rejects the stage. For approvers only."`
	When         string `json:"when,omitempty" doc:"CEL, evaluated at creation and resubmission. False: the rule yields no users and requires nothing. For approvers only."`
	Label        string `json:"label,omitempty" maxLength:"200" doc:"Display name of the rule."`
}

// CommonMembers are the members of rules of every type, besides type.
var CommonMembers = []string{"required", "min_approvals", "veto", "when", "label"}

// NameKind is the type of the strings of an expression rule.
type NameKind string

// The types of the strings.
const (
	AsUserIDs    NameKind = "user_ids"
	AsUsernames  NameKind = "usernames"
	AsRoles      NameKind = "roles"
	AsGroupPaths NameKind = "group_paths"
)

// Values returns every value.
func (NameKind) Values() []NameKind { return []NameKind{AsUserIDs, AsUsernames, AsRoles, AsGroupPaths} }

// The subjects of a manager rule besides an expression.
const (
	OfRequester = "requester"
	OfSubmitter = "submitter"
	OfAssignee  = "assignee" // only in escalate_to: everyone with a pending seat
)

const (
	maxName   = 255 // bytes of the name of a role, a client, an attribute or a user
	maxPath   = 2000
	maxLevels = 5
)

// String describes the rule for the member via of an approver.
func (r Rule) String() string {
	if r.Label != "" {
		return r.Label
	}
	return strings.TrimSpace(cmp.Or(RuleTypes[r.Type].noun, string(r.Type)) + " " + r.Subject())
}

// Subject returns what the rule names, such as a role; empty for a rule of several users or an expression.
func (r Rule) Subject() string {
	if subject := RuleTypes[r.Type].subject; subject != nil {
		return subject(r)
	}
	return ""
}

// Place names a rule of a list by its index and its label, as the requester sees it.
func (r Rule) Place(kind string, index int) string {
	if r.Label == "" {
		return fmt.Sprintf("%s rule %d", kind, index)
	}
	return fmt.Sprintf("%s rule %d (%s)", kind, index, r.Label)
}

// Name is String without the host of a resolver, for readers without access to the policy.
func (r Rule) Name() string {
	r.URL = ""
	return r.String()
}

// Expression returns the CEL expression of the rule's start value; empty without one.
func (r Rule) Expression() string {
	switch {
	case r.Type == RuleExpression:
		return r.CEL
	case r.Type == RuleManager && r.Of != OfRequester && r.Of != OfSubmitter && r.Of != OfAssignee:
		return r.Of
	default:
		return ""
	}
}

// Query is a query to a directory or a resolver: its rule and, for a rule of type manager, the user whose
// manager is requested.
type Query struct {
	Rule Rule
	From string
}

// Lookups returns the user ids that the rule lists itself, and the directory or resolver queries for its
// other users. subject is the value of its expression, or the user whose manager is requested. For
// stage_actor it returns neither: the users are in the request.
func (r Rule) Lookups(subject []string) (ids []string, queries []Query) {
	usernames := func(names []string) []Query {
		if len(names) == 0 {
			return nil
		}
		return []Query{{Rule: Rule{Type: RuleUser, Usernames: names}}}
	}
	switch r.Type {
	case RuleStageActor:
	case RuleUser:
		return r.IDs, usernames(r.Usernames)
	case RuleManager:
		for _, person := range subject {
			queries = append(queries, Query{Rule: r, From: person})
		}
	case RuleExpression:
		switch r.As {
		case AsUsernames:
			return nil, usernames(subject)
		case AsRoles:
			for _, name := range subject {
				queries = append(queries, Query{Rule: Rule{Type: RuleRole, Role: name}})
			}
		case AsGroupPaths:
			for _, path := range subject {
				queries = append(queries, Query{Rule: Rule{Type: RuleGroup, Path: path}})
			}
		default:
			return subject, nil
		}
	default:
		queries = []Query{{Rule: r}}
	}
	return ids, queries
}

// canChange reports whether the result of the rule can change during a stage run. A rule without queries is
// constant.
func (r Rule) canChange() bool {
	_, queries := r.Lookups([]string{"any"})
	return len(queries) > 0
}

// validateMembers rejects members of other rule types, which would have no effect. It cannot detect members
// with default values.
func (r Rule) validateMembers(v *validation, pointer string) {
	var given map[string]json.RawMessage
	raw, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(raw, &given)
	}
	if err != nil {
		v.add(pointer, "cannot be encoded as JSON")
		return
	}
	for _, other := range r.Type.Values() {
		for _, member := range RuleTypes[other].Members {
			if _, is := given[member]; is && other != r.Type {
				v.add(pointer+"/"+member, "%s applies to rules of type %s, not %s", member, other, r.Type)
			}
		}
	}
}

// forApproversOnly rejects the members that apply to the approver rules of a stage only.
func (r Rule) forApproversOnly(v *validation, pointer string) {
	v.refuse(r.Veto, pointer+"/veto", "veto applies to the approvers of a stage only")
	v.refuse(r.When != "", pointer+"/when", "when applies to the approvers of a stage only")
}

// rules checks rules that yield no approvers of a stage from its start. Those with a noun are not counted either.
func (v *validation) rules(pointer string, rules []Rule, earlier []string, noun string) {
	for i, rule := range rules {
		at := elementPointer(pointer, i)
		rule.validate(v, at, earlier)
		rule.forApproversOnly(v, at)
		v.refuse(noun != "" && (rule.Required || rule.MinApprovals != 0), at, "required and min_approvals do not apply to %s", noun)
	}
}

// exclude checks the exclude rules at pointer.
func (v *validation) exclude(pointer string, rules []Rule, earlier []string) {
	v.rules(pointer, rules, earlier, "exclude rules")
	for i, rule := range rules {
		if rule.Type == RuleExpression && v.anySubmitter && v.reads(rule.CEL, "context") {
			v.warn(elementPointer(pointer, i)+"/cel", "reads the context, which the requester writes: any caller may submit")
		}
	}
}

// validate checks a rule at pointer. earlier contains the permitted stages of a stage_actor rule.
func (r Rule) validate(v *validation, pointer string, earlier []string) {
	v.requireRange(pointer+"/min_approvals", r.MinApprovals, 0, MaxCounted)
	r.validateMembers(v, pointer)
	if RuleTypes[r.Type].directory && !v.Directory {
		v.add(pointer+"/type", "rules of type %s require a configured directory", r.Type)
		return
	}
	switch r.Type {
	case RuleUser:
		v.refuse(len(r.Usernames) > 0 && !v.Directory, pointer+"/usernames",
			"usernames require a configured directory; use ids")
		for i, name := range r.Usernames {
			v.name(elementPointer(pointer+"/usernames", i), name, maxName)
		}
		v.refuse(len(r.IDs)+len(r.Usernames) == 0, pointer+"/ids", "must list at least one user")
		for i, id := range r.IDs {
			if err := identity.CheckUserID(id); err != nil {
				v.add(elementPointer(pointer+"/ids", i), "%s", err)
			}
		}
	case RuleExpression:
		v.refuse(r.As != "" && r.As != AsUserIDs && !v.Directory, pointer+"/as",
			"%s require a configured directory", r.As)
		v.expression(pointer+"/cel", Expression{CEL: r.CEL, Yields: YieldsNames})
	case RuleStageActor:
		v.refuse(!slices.Contains(earlier, r.Stage), pointer+"/stage",
			"must name an earlier stage that does not run in parallel with this one")
	case RuleHTTP:
		if !v.Resolvers {
			v.add(pointer+"/type", "rules of type http require a configured resolver")
			return
		}
		v.findings = append(v.findings, Finding{Pointer: pointer, HTTPRule: &r})
	case RuleRole:
		v.name(pointer+"/role", r.Role, maxName)
		if r.Client != "" {
			v.name(pointer+"/client", r.Client, maxName)
		}
	case RuleGroup:
		v.name(pointer+"/path", strings.Trim(r.Path, "/"), maxPath)
	case RuleManager:
		v.refuse(r.Of == OfAssignee, pointer+"/of", "assignee applies to deadline.escalate_to only")
		v.requireRange(pointer+"/level", r.Level, 1, maxLevels)
		if r.Attribute != "" {
			v.name(pointer+"/attribute", r.Attribute, maxName)
		}
		if source := r.Expression(); source != "" {
			v.expression(pointer+"/of", Expression{CEL: source, Yields: YieldsNames})
		}
	}
}
