package wf_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// sample is an event of the type, with everything that such an event can have.
func sample(kind audit.EventType, i int) wf.Event {
	ana := identity.User{ID: "ana", Username: "ana.b", Name: "Ana Bélic <x>", Email: "ana@example.org"}
	bo := identity.User{ID: "bo", Username: "bo.c", Name: "Bo", Email: "bo@example.org"}
	rita := identity.User{ID: "rita", Username: "rita.d", Name: "Rita \u2028 D", Email: "rita@example.org"}
	at := identity.Stamp{Time: time.Date(2026, 3, 2, 12, 0, i, 5e6, time.UTC)}
	by := identity.Actor{User: ana, Kind: identity.ActorUser}
	noun, _, _ := strings.Cut(string(kind), ".")
	e := wf.Event{
		ID: fmt.Sprintf("0199a000-0000-7000-8000-%012d", i), Type: kind, At: at, Actor: by.Ref(), Client: "portal", CallID: "call-1",
		Auth:     identity.Auth{ACR: "2", AMR: []string{"pwd", "otp"}, AuthTime: at},
		Resource: wf.Resource{Type: wf.ResourceType(noun), ID: fmt.Sprintf("0199a000-0000-7000-8001-%012d", i)}, Reason: "for \"reasons\"",
	}
	switch noun {
	case "request", "stage", "task":
	case "auth":
		e.Resource.Type, e.RequestID, e.Outcome = "task", goldenRequest, wf.OutcomeDenied
		e.Denial = wf.Denial{Operation: "decide-task", ErrorCode: "WF-008", Origin: &wf.Origin{IPHash: "hmac-sha256:00ff", UserAgent: "curl/8"}, Folded: 49}
		return e
	case "audit":
		if kind == audit.EventAuditErased {
			e.Resource = wf.Resource{Type: "person", ID: "bo"}
			return e
		}
		if kind == audit.EventAuditCheckpoint {
			e.Resource = wf.Resource{Type: "chain", ID: "requests"}
			e.Checkpoint = &audit.Checkpoint{Ends: []audit.End{{Request: goldenRequest,
				Chain: audit.Chain{Seq: 9, Hash: "sha256:00ff"}}}, Invalid: []string{goldenRequest}, More: true}
			return e
		}
		e.Resource = wf.Resource{Type: "chain", ID: "service"}
		if kind == audit.EventAuditRestarted {
			e.Breaks = []audit.Break{{Seq: 4, What: "event", Found: "00ff"}, {Seq: 9, What: "request.status", Found: "00fe"}}
			return e
		}
		e.Purged = &audit.Purged{Events: 3, Last: 9, Hash: "sha256:00ff",
			Gaps: []audit.Gap{{First: 4, Last: 5, Hash: "sha256:00fe"}, {First: 9, Last: 9, Hash: "sha256:00ff"}}}
		return e
	case "policy":
		e.Resource.ID, e.Resource.Version = "disbursement.batch", 3
		return e
	case "endpoint", "webhook":
		e.Resource.Type, e.Resource.Name = "endpoint", "ledger"
		return e
	default:
		return e
	}
	e.RequestID = goldenRequest
	e.Request = &wf.RequestSummary{
		ID: goldenRequest, PolicyKey: "disbursement.batch", PolicyVersion: 3, Status: wf.RequestInReview, Title: "Batch 17",
		ArtifactType: "batch", ArtifactID: "B-17", Requester: rita, Revision: 1, ContextHash: "sha256:00ff", Link: "https://example.org/b/17",
	}
	if noun == "request" {
		e.Request.Status, e.Request.CompletedAt = wf.RequestApproved, &at
		e.Request.StatusReason = &wf.StatusReason{Code: wf.BecauseQuorumMet, Message: "2 of 2", StageKey: "checks"}
		if kind == audit.EventRequestCommented {
			e.Comment = &wf.Comment{Text: "Is \"17\" the last?", Mentions: []identity.User{bo, rita}}
		}
		ends := map[audit.EventType]wf.Standing{
			audit.EventRequestLapsed: wf.StandingLapsed, audit.EventRequestRevoked: wf.StandingRevoked,
			audit.EventRequestConsumed: wf.StandingConsumed,
		}
		if end, ok := ends[kind]; ok {
			e.Request.Standing, e.Request.ValidUntil, e.Request.EndedAt, e.Request.EndReason = end, &at, &at, "deploy 17"
		}
		if kind == audit.EventRequestApproved {
			e.Request.Standing, e.Request.ValidUntil = wf.StandingInForce, &at
		}
		return e
	}
	e.Stage = &wf.StageSummary{Key: "checks", Run: 1, Status: wf.StageActive}
	if kind == audit.EventStageSkipped {
		e.Stage.Skip = &wf.Skip{Reason: "when_false", Detail: "context.amount > 10"}
	}
	if kind == audit.EventStageStarted {
		e.Stage.Error = "when: no such key: amount"
	}
	switch kind {
	case audit.EventStageReminded:
		e.Stage.DueAt, e.Stage.Reminder = &at, &wf.Reminder{At: at, Phase: wf.ReminderBefore}
	case audit.EventStageDue:
		e.Stage.DueAt = &at
	case audit.EventStageDueMoved:
		e.Stage.DueAt, e.Stage.Moved = &at, &wf.Moved{From: at, To: at}
	case audit.EventStageEscalated:
		e.Stage.DueAt, e.Stage.Added = &at, []identity.User{bo, rita}
	case audit.EventStageEscalationEmpty:
		e.Stage.DueAt, e.Stage.Error = &at, "escalate_to yields nobody"
	}
	if noun == "stage" {
		return e
	}
	e.Task = &wf.TaskSummary{
		ID: e.Resource.ID, Kind: wf.ApproverTask, StageKey: "checks", Seat: 2, Status: wf.TaskClaimed,
		Assignee: &ana, ClaimedBy: &bo, ReassignedFrom: &rita,
	}
	if kind == audit.EventTaskClosed {
		e.Task.CloseReason = wf.ClosedQuorumMet
	}
	if kind == audit.EventTaskDecided || kind == audit.EventTaskWithdrawn {
		e.MembershipStale = kind == audit.EventTaskDecided
		e.Decision = &wf.Decision{
			ID: "0199a000-0000-7000-8002-000000000001", TaskID: e.Task.ID, RequestID: goldenRequest, StageKey: "checks", Revision: 1,
			Action: wf.ActionApprove, Comment: "fine", Data: json.RawMessage(`{"b":1.0,"a":[1e2,9007199254740993]}`), Actor: by.Ref(), OnBehalfOf: &bo,
			Auth: e.Auth, ContextHash: "sha256:00ff", Source: "api", DecidedAt: at,
			Attachments: []wf.Attachment{{Name: "a.pdf", URL: "https://example.org/a.pdf", MediaType: "application/pdf"}},
		}
	}
	if kind == audit.EventTaskWithdrawn {
		e.Decision.WithdrawnAt = &at
	}
	return e
}

const goldenRequest = "0199a000-0000-7000-8000-00000000aaaa"

// The golden file holds sample for every type, as the export writes it, chain by chain. A missing file is written.
const goldenFile = "testdata/events.golden.ndjson"

// goldenLine is a line of the export.
type goldenLine struct {
	Chain string          `json:"chain"`
	Seq   int64           `json:"seq"`
	Hash  string          `json:"hash"`
	Event json.RawMessage `json:"event"`
}

func readGolden(t *testing.T, path string) []goldenLine {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []goldenLine
	scanner := bufio.NewScanner(bytes.NewReader(content))
	for scanner.Scan() {
		var line goldenLine
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestTheEventsOfTheGoldenFileVerifyAndDecode(t *testing.T) {
	chains := map[string]audit.Chain{}
	for i, line := range readGolden(t, goldenFile) {
		var e wf.Event
		decoder := json.NewDecoder(bytes.NewReader(line.Event))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&e); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		e.Hash = line.Hash
		chain, fits := chains[line.Chain].Next(e.Seq, e.PrevHash, e.Hash, line.Event)
		if !fits || e.Seq != line.Seq {
			t.Errorf("line %d does not verify", i+1)
		}
		if e.Actor.ID != "ana" || e.Reason == "" || !e.At.Equal(sample(e.Type, e.At.Second()).At.Time) {
			t.Errorf("line %d reads as %+v", i+1, e)
		}
		chains[line.Chain] = chain
	}
}

func TestEventsAreEncodedAsInTheGoldenFile(t *testing.T) {
	var got bytes.Buffer
	chains := map[string]audit.Chain{}
	for i, kind := range audit.AllEventTypes {
		e := sample(kind, i+1)
		name := "service"
		if e.Request != nil {
			name = e.RequestID
		}
		var err error
		if chains[name], e, err = e.Link(chains[name]); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "{\"chain\":%q,\"seq\":%d,\"hash\":%q,\"event\":%s}\n", name, e.Seq, e.Hash, e.Body)
	}
	want, err := os.ReadFile(goldenFile)
	if errors.Is(err, fs.ErrNotExist) { // a new format
		if err := os.WriteFile(goldenFile, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s is new: read it, and keep it", goldenFile)
	}
	if err != nil {
		t.Fatal(err)
	}
	wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	for i := range max(len(wantLines), len(gotLines)) {
		if i >= len(wantLines) || i >= len(gotLines) || wantLines[i] != gotLines[i] {
			t.Fatalf("line %d of %s differs; the encoding of events has changed", i+1, goldenFile)
		}
	}
}

func TestHashedEventsContainUserIDsOnly(t *testing.T) {
	for i, kind := range audit.AllEventTypes {
		_, e, err := sample(kind, i+1).Link(audit.Chain{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ana.b", "Ana", "bo.c", "Bo", "rita.d", "Rita", "example.org\""} {
			if bytes.Contains(e.Body, []byte(name)) {
				t.Errorf("%s stores %q: %s", kind, name, e.Body)
			}
		}
		if e.Actor.Username != "ana.b" || e.Task != nil && e.Task.Assignee.Name == "" {
			t.Errorf("%s lost the names that webhooks show: %+v", kind, e)
		}
	}
}

// Further members of a message, with which a receiver can notify people without another call.
func TestMessageOnlyFieldsAreNotInTheTrail(t *testing.T) {
	e := sample(audit.EventTaskDecided, 1)
	_, plain, err := e.Link(audit.Chain{})
	if err != nil {
		t.Fatal(err)
	}
	e.Request.Priority, e.Request.Labels, e.Stage.Name = wf.PriorityUrgent, map[string]string{"team": "finance"}, "Checks"
	_, whole, err := e.Link(audit.Chain{})
	if err != nil || !bytes.Equal(plain.Body, whole.Body) {
		t.Errorf("the trail has %s, %v", whole.Body, err)
	}
	if whole.Request.Labels["team"] != "finance" || whole.Request.Priority != wf.PriorityUrgent || whole.Stage.Name != "Checks" {
		t.Errorf("the event lacks members of the message: %+v, %+v", whole.Request, whole.Stage)
	}
}

func TestNamesAreTakenOutOfAnEventAndPutBack(t *testing.T) {
	_, whole, err := sample(audit.EventTaskDecided, 1).Link(audit.Chain{})
	if err != nil {
		t.Fatal(err)
	}
	people := map[string]identity.User{}
	for _, p := range whole.People() {
		if p.Name != "" {
			people[p.ID] = p
		}
	}
	var stored wf.Event
	if err := json.Unmarshal(whole.Body, &stored); err != nil {
		t.Fatal(err)
	}
	if got := stored.People(); len(got) != 0 {
		t.Errorf("a stored event names %+v", got)
	}
	ids := stored.Mentions()
	slices.Sort(ids)
	if want := []string{"ana", "bo", "rita"}; !slices.Equal(slices.Compact(ids), want) {
		t.Errorf("mentions %v, want %v", ids, want)
	}
	stored.Hash, stored.Body, stored.Decision.Data = whole.Hash, whole.Body, whole.Decision.Data
	whole.Actor.Name, whole.Decision.Actor.Name = people["ana"].Name, people["ana"].Name // an actor is linked without names
	if got, want := encode(stored.WithNames(people)), encode(whole); got != want {
		t.Errorf("with names: %s\nwant        %s", got, want)
	}
	if stored.Task.Assignee.Name != "" {
		t.Error("Named has changed its receiver")
	}
}

// A type that is in no list could be neither found nor pinned.
func TestEveryEventTypeIsListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "audit/eventtype.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && spec.Type != nil && fmt.Sprint(spec.Type) == "EventType" {
			declared++
			value := strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)
			if !slices.Contains(audit.AllEventTypes, audit.EventType(value)) {
				t.Errorf("%s is not in AllEventTypes", value)
			}
		}
		return true
	})
	if declared != len(audit.AllEventTypes) {
		t.Errorf("%d types are declared, %d listed", declared, len(audit.AllEventTypes))
	}
	if slices.Contains(audit.EventTypes, audit.EventAuthDenied) {
		t.Error("webhooks receive refusals")
	}
}
