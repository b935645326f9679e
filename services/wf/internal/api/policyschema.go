package api

import (
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/policy"
)

const (
	policySchemaPath = "/v1/wf/schemas/policy.json"

	// policySchemaID does not depend on the address of the service, so that every service has the same document.
	policySchemaID = "https://github.com/countersign/countersign" + policySchemaPath
)

// PolicySchema returns the JSON Schema of policy files: that of the body of createPolicy. It refuses a member of
// another type of rule, as the domain does.
func (a *API) PolicySchema() ([]byte, error) {
	variants := map[string]bool{}
	for _, kind := range policy.RuleTypes {
		variants[kind.Schema] = true
	}
	create := a.Server.API.OpenAPI().Paths["/v1/wf/policies"].Post
	return a.Server.JSONSchema(create, policySchemaID, func(name string, s huma.Schema) *huma.Schema {
		s.Discriminator = nil // a member of OpenAPI
		switch {
		case name == "":
			s.Title = "Policy"
			s.Properties = maps.Clone(s.Properties)
			s.Properties["$schema"] = &huma.Schema{Type: huma.TypeString, Description: "Address of this schema, for editors."}
		case variants[name]:
			s.AdditionalProperties = false
		}
		return &s
	})
}

// PolicyBody is the body of createPolicy and the content of a policy file.
type PolicyBody = struct {
	PolicyKey string `json:"policy_key" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$" doc:"Names the policy for good."`
	policy.Definition
}

// ReadPolicy returns the definition of a policy file, or the details of the 422 to such a body.
func (a *API) ReadPolicy(body []byte) (key string, d policy.Definition, details []web.Detail) {
	p, details := web.ReadDocument[PolicyBody](a.Server, body)
	return p.PolicyKey, withoutNulls(p.Definition), details
}

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
