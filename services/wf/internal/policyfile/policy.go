package policyfile

import (
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
	doc, problems := parseObject(name, content, "the members of a policy")
	p := Policy{Document: doc}
	if len(problems) > 0 {
		return p, problems
	}
	key, d, details := r.api.ReadPolicy(doc.JSON)
	if len(details) > 0 {
		return p, doc.problems(details)
	}
	p.Key, p.Definition = key, d
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

// problems returns the details of a 422 in the order of their lines.
func (d Document) problems(details []web.Detail) (all []Problem) {
	for _, detail := range details {
		message := strings.TrimPrefix(detail.Msg, "Value error, ")
		all = append(all, d.problem(strictjson.Pointer(detail.Loc[1:]), "%s", message))
	}
	return sortByLine(all)
}
