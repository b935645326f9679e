package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/policyfile"
	"github.com/countersign/countersign/services/wf/policy"
)

// exampleTests are the tests of an example policy.
type exampleTests struct {
	Directory policyfile.Directory
	Cases     []struct {
		Name  string
		Given struct {
			Requester    string
			ArtifactType string `json:"artifact_type"`
			ArtifactID   string `json:"artifact_id"`
			Context      json.RawMessage
			At           time.Time
		}
		Play []api.PlayEntry
	}
}

// Each case of each example policy goes in the service as its dry run predicts: the creation, and the result or the
// refusal of each entry of play. The clock of the service stops at each instant at which it has work.
func TestTheExamplesGoAsTheirDryRunsPredict(t *testing.T) {
	files, err := filepath.Glob("../../../../docs/examples/policies/*.policy.yaml")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	reader, err := policyfile.NewReader()
	must(t, err)
	read := func(name string) []byte {
		content, err := os.ReadFile(name)
		must(t, err)
		return content
	}
	each(t, func(t *testing.T, s *service) {
		played := 0
		for _, file := range files {
			p, problems := reader.ReadPolicy(file, read(file))
			doc, more := policyfile.Parse(file, read(file[:len(file)-len("yaml")]+"test.yaml"))
			var tests exampleTests
			if err := json.Unmarshal(doc.JSON, &tests); err != nil || len(problems)+len(more) > 0 {
				t.Fatalf("%s: %v, %v, %v", file, err, problems, more)
			}
			for i, c := range tests.Cases {
				entries, err := api.PlayEntries(c.Play)
				must(t, err)
				content, err := strictjson.Canonical(slices.Concat([]byte(nil), c.Given.Context))
				if len(c.Given.Context) == 0 {
					content, err = []byte("{}"), nil
				}
				must(t, err)
				at := c.Given.At
				if at.IsZero() {
					at = time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)
				}
				s.setClock(at)
				e := example{
					service: s.with(func(o *engine.Options) {
						o.Resolve, o.Directory, o.HTTPRule = tests.Directory.Resolve, true, func(policy.Rule) error { return nil }
					}),
					def: p.Definition.Compiled(), roles: tests.Directory.Roles,
					name: fmt.Sprintf("%s, %s", filepath.Base(file), c.Name),
				}
				e.run(t, fmt.Sprintf("%s-%d", p.Key, i), engine.DryRunInput{
					Context: content, ContextHash: sum(content), Requester: c.Given.Requester,
					ArtifactType: c.Given.ArtifactType, ArtifactID: c.Given.ArtifactID, At: at, Play: entries,
				})
				played += len(entries)
			}
		}
		if played < 60 {
			t.Errorf("%d entries", played)
		}
	})
}

// example is a case of an example policy in the service.
type example struct {
	*service
	def     policy.Definition
	roles   map[string][]string
	name    string
	request wf.Request
}

func (e *example) run(t *testing.T, key string, in engine.DryRunInput) {
	_, err := e.Policies.CreatePolicy(t.Context(), root, key, e.def)
	must(t, err)
	_, err = e.Policies.ActivateVersion(t.Context(), eve, key, 1, "", "")
	must(t, err)
	sim, err := e.Policies.SimulateVersion(t.Context(), root, key, 1, in)
	must(t, err)
	reply, err := e.Requests.CreateRequest(t.Context(), person(in.Requester), input(key, func(r *engine.RequestInput) {
		r.Context, r.ArtifactType, r.ArtifactID = in.Context, in.ArtifactType, in.ArtifactID
	}), nil)
	if text(err) != text(asError(sim.Refusal)) {
		t.Errorf("%s: the dry run says %v, the service %v", e.name, sim.Refusal, err)
	}
	if err != nil {
		return
	}
	e.request = reply.Case.Request
	for i, entry := range in.Play {
		got := sim.Play[i]
		if err := e.act(t, entry); text(err) != text(asError(got.Refusal)) {
			t.Errorf("%s, entry %d: the dry run says %v, the service %v", e.name, i, got.Refusal, err)
		}
		e.request = e.read(e.request.ID).AsOf(e.now())
		if e.request.Status != got.RequestStatus || e.request.Standing != got.Standing {
			t.Errorf("%s, entry %d: the dry run says %s %s, the request is %s %s",
				e.name, i, got.RequestStatus, got.Standing, e.request.Status, e.request.Standing)
		}
	}
	for _, run := range e.request.Stages {
		foretold, _ := sim.Request.LatestRun(run.Key)
		if run.Status != foretold.Status || run.Count != foretold.Count || !run.DueAt.Equal(foretold.DueAt) {
			t.Errorf("%s, stage %s: the dry run says %s %+v, the service %s %+v", e.name, run.Key,
				foretold.Status, foretold.Count, run.Status, run.Count)
		}
	}
}

// act does one entry of play.
func (e *example) act(t *testing.T, entry engine.PlayEntry) error {
	ctx := t.Context()
	switch {
	case !entry.At.IsZero():
		for next := e.request.NextWork(e.now()); !next.IsZero() && next.Before(entry.At); next = e.request.NextWork(e.now()) {
			e.work(t, next)
		}
		e.work(t, entry.At)
		return nil
	case entry.Consume != "":
		use := wf.Consumption{ContextHash: e.request.ContextHash}
		_, err := e.Requests.ConsumeRequest(ctx, e.user(entry.Consume), e.request.ID, use, nil)
		return err
	case entry.Revoke != "":
		_, err := e.Requests.RevokeRequest(ctx, e.user(entry.Revoke), e.request.ID, "dry run", "", nil)
		return err
	}
	in := wf.DecisionInput{Action: entry.Action, Comment: "dry run"}
	if stage, _ := e.def.Stage(entry.StageKey); stage.DecisionSchema != nil { // that of contract.signature
		in.Data = []byte(`{"meaning":"I sign on behalf of the board"}`)
	}
	_, err := e.Tasks.DecideTask(ctx, e.user(entry.UserID), playedTask(e.request, entry), in, "", nil)
	return err
}

// user has just signed in, with the roles of the directory in the token.
func (e *example) user(id string) identity.Actor {
	by := person(id)
	by.Auth.AuthTime = identity.Stamp{Time: e.now()}
	for role, ids := range e.roles {
		if slices.Contains(ids, id) {
			by.TokenRoles = append(by.TokenRoles, role)
		}
	}
	return by
}

// work moves the clock and does the work that is due.
func (e *example) work(t *testing.T, at time.Time) {
	e.setClock(at)
	for _, pass := range []func(*engine.Timers) (int, error){
		func(w *engine.Timers) (int, error) { return w.ExpireRequests(t.Context(), at, 100) },
		func(w *engine.Timers) (int, error) { return w.LapseApprovals(t.Context(), at, 100) },
		func(w *engine.Timers) (int, error) { return w.ProcessDeadlines(t.Context(), at, 100) },
		func(w *engine.Timers) (int, error) { return w.RetryStages(t.Context(), at, 100) },
	} {
		_, err := pass(e.Timers)
		must(t, err)
	}
	e.request = e.read(e.request.ID)
}

// text returns a refusal without ids; empty for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return idPattern.ReplaceAllString(fmt.Sprint(errors.Unwrap(err), ": ", refusal.MessageOf(err)), "ID")
}

// asError returns nil for no refusal.
func asError(e *refusal.Error) error {
	if e == nil {
		return nil
	}
	return e
}

var idPattern = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// playedTask returns a task of the stage for a decision of the user: a live one that is unassigned or held, else one
// held, else the last.
func playedTask(r wf.Request, d engine.PlayEntry) (id string) {
	best := 0
	for _, t := range r.Tasks {
		rank, held := 1, t.HeldBy(d.UserID)
		switch live := t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed; {
		case t.StageKey != d.StageKey:
			continue
		case live && (held || t.Assignee == nil && t.Kind != wf.RescueTask):
			return t.ID
		case held:
			rank = 2
		}
		if rank >= best {
			id, best = t.ID, rank
		}
	}
	return id
}
