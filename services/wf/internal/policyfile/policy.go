package policyfile

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
)

// Reader reads policies and their tests with the rules of the service. It is not safe for concurrent use.
type Reader struct{ api *api.API }

// NewReader returns a Reader.
func NewReader() (*Reader, error) {
	face, err := api.New(api.Options{})
	if err != nil {
		return nil, err
	}
	return &Reader{face}, nil
}

// Policy is a policy of a file.
type Policy struct {
	Document
	Key        string
	Definition policy.Definition
	Warnings   []Problem // possible mistakes
}

// ReadPolicy reads a policy. Directory and resolvers are assumed to exist.
func (r *Reader) ReadPolicy(name string, content []byte) (Policy, []Problem) {
	doc, problems := Parse(name, content)
	p := Policy{Document: doc}
	if len(problems) > 0 {
		return p, sortByLine(problems)
	}
	body, err := withoutSchema(doc.JSON)
	if err != nil {
		return p, []Problem{doc.problem("", "must be an object with the members of a policy")}
	}
	key, d, details := r.api.ReadPolicy(body)
	if len(details) > 0 {
		return p, sortByLine(doc.problems(details))
	}
	p.Key, p.Definition, p.JSON = key, d, body
	found := engine.NewOffline(nil).CheckDefinition(d)
	locate := func(found []refusal.Problem) (all []Problem) {
		for _, f := range found {
			all = append(all, doc.problem(f.Where, "%s", f.Message))
		}
		return sortByLine(all)
	}
	p.Warnings = locate(found.Warnings)
	return p, locate(found.Problems)
}

// problems returns the details of a 422 with their lines.
func (d Document) problems(details []web.Detail) (all []Problem) {
	for _, detail := range details {
		message := strings.TrimPrefix(detail.Msg, "Value error, ")
		all = append(all, d.problem(strictjson.Pointer(detail.Loc[1:]), "%s", message))
	}
	return all
}

// withoutSchema drops the member $schema, which is for editors. The other members keep their order and digits.
func withoutSchema(document []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(document, &members); err != nil {
		return nil, err
	}
	if members == nil {
		return nil, errors.New("null")
	}
	if _, ok := members["$schema"]; !ok {
		return document, nil
	}
	delete(members, "$schema")
	return json.Marshal(members)
}
