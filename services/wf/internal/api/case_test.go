package api_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/policyfile"
)

// useCase is a case of another project: a policy with calls or tests, and the right answers.
type useCase struct {
	Policy json.RawMessage
	Calls  []struct {
		As           string
		Roles        []identity.Role
		Method, Path string
		Task         string // a decision on the open task of the caller in this request
		Body         json.RawMessage
		Save         map[string]string // JSON pointer into the reply, by name
		Expect       struct {
			Status int
			At     map[string]any // values by JSON pointer; nil for an absent one
		}
	}
	Tests map[string]any // those of wf policy test
}

func TestCasesOfOtherProjects(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			must(t, err)
			var c useCase
			must(t, json.Unmarshal(text, &c))
			if c.Tests != nil {
				c.runTests(t)
			}
			if c.Calls != nil {
				c.call(t)
			}
		})
	}
}

// runTests runs the tests of the policy, as wf policy test does.
func (c useCase) runTests(t *testing.T) {
	reader, err := policyfile.NewReader()
	must(t, err)
	p, problems := reader.ReadPolicy("case.policy.json", c.Policy)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c.Tests["policy"] = "case.policy.json"
	text, err := json.Marshal(c.Tests)
	must(t, err)
	tests, problems := reader.ReadTests("case.policy.test.json", text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	results, err := reader.Run(t.Context(), tests, p)
	if err != nil || len(results) == 0 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, r := range results {
		if len(r.Problems) > 0 {
			t.Errorf("%s: %v", r.Name, r.Problems)
		}
	}
}

// call makes the calls against a service with the policy.
func (c useCase) call(t *testing.T) {
	w := boot(t, Options{})
	key := w.root.Post("/v1/wf/policies", c.Policy).Want(201).Response("policy_key")
	w.root.Post("/v1/wf/policies/"+key+"/versions/1/activate", nil).Want(200)
	saved := map[string]string{}
	for i, call := range c.Calls {
		by, fill := w.Client(t, call.As, call.Roles...), func(text string) string {
			for name, value := range saved {
				text = strings.ReplaceAll(text, "{"+name+"}", value)
			}
			return text
		}
		method, path := call.Method, fill(call.Path)
		if call.Task != "" {
			open := w.root.Get(requestsPath + fill(call.Task)).Want(200)
			method, path = "POST", "/v1/wf/tasks/"+task(t, open, call.As)+"/decision"
		}
		var body any
		if call.Body != nil {
			body = fill(string(call.Body))
		}
		reply := by.Do(method, path, body).Want(call.Expect.Status)
		for name, pointer := range call.Save {
			saved[name] = reply.Text(pathOf(pointer)...)
		}
		for pointer, want := range call.Expect.At {
			if got := reply.Value(pathOf(pointer)...); !sameJSON(got, want) {
				t.Errorf("call %d: %s is %v, not %v, in %s", i, pointer, got, want, reply)
			}
		}
	}
}

// sameJSON compares values as JSON.
func sameJSON(a, b any) bool {
	one, err := json.Marshal(a)
	two, other := json.Marshal(b)
	return err == nil && other == nil && string(one) == string(two)
}

// pathOf returns the members and indexes of a JSON pointer.
func pathOf(pointer string) (path []any) {
	for _, name := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		var index int
		if json.Unmarshal([]byte(name), &index) == nil {
			path = append(path, index)
		} else {
			path = append(path, name)
		}
	}
	return path
}
