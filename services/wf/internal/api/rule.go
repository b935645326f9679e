package api

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/services/wf/policy"
)

// showRules documents one schema per rule type. Bodies are validated against a schema with the
// members of all types. The domain rejects members of another type, so that the refusal names them.
func (a *API) showRules() {
	const refs = "#/components/schemas/"
	all := a.Server.API.OpenAPI().Components.Schemas.Map()["Rule"]
	rule := &huma.Schema{
		Description:   "Source of approvers. A member of another type is refused.",
		Discriminator: &huma.Discriminator{PropertyName: "type", Mapping: map[string]string{}},
	}
	for _, kind := range policy.RuleType("").Values() {
		shown := policy.RuleTypes[kind]
		one := &huma.Schema{
			Type: huma.TypeObject, Required: append([]string{"type"}, shown.Required...),
			Properties: map[string]*huma.Schema{"type": {Type: huma.TypeString, Description: all.Properties["type"].Description, Enum: []any{string(kind)}}},
		}
		for _, name := range policy.CommonMembers {
			one.Properties[name] = all.Properties[name]
		}
		for _, name := range shown.Members {
			member := *all.Properties[name]
			member.Description = strings.TrimPrefix(member.Description, string(kind)+": ")
			one.Properties[name] = &member
		}
		a.Show(shown.Schema, one)
		rule.OneOf = append(rule.OneOf, &huma.Schema{Ref: refs + shown.Schema})
		rule.Discriminator.Mapping[string(kind)] = refs + shown.Schema
	}
	a.Show("Rule", rule)
}
