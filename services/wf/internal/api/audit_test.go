package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

const (
	auditPath = "/v1/wf/admin/audit"
	ndjson    = "application/x-ndjson"
)

func TestAuditTrailFiltersByActorResourceAndTime(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", poolOfTwo)
	w.Clock.Advance(time.Hour)
	request := w.request("p", `"title":"Batch 17"`)
	id, taskID := request.Response("id"), task(t, request, "")
	w.Clock.Advance(time.Hour)
	w.ana.Post("/v1/wf/tasks/"+taskID+"/claim", nil, "X-Request-Id", "call-1").Want(200)
	w.Clock.Advance(time.Millisecond) // events of different chains are ordered by time only
	w.eve.Post("/v1/wf/tasks/"+taskID+"/claim", nil).Refused(403, "WF-008")
	w.Clock.Advance(time.Hour)
	w.ana.Post("/v1/wf/tasks/"+taskID+"/decision", `{"action":"approve"}`).Want(200)

	const decided = "request.approved stage.approved task.decided"
	for _, row := range []struct{ query, want string }{
		{"", decided + " auth.denied task.claimed task.created stage.started request.created policy.activated " +
			"policy.created endpoint.created"},
		{"limit=1", "request.approved"},
		{"type=policy.*", "policy.activated policy.created"},
		{"type=task.*,auth.denied", "task.decided auth.denied task.claimed task.created"},
		{"actor=ana", decided + " task.claimed"},
		{"actor=eve", "auth.denied"},
		{"actor=me", ""},
		{"request_id=" + id, decided + " auth.denied task.claimed task.created stage.started request.created"},
		{"chain=" + id, decided + " task.claimed task.created stage.started request.created"},
		{"chain=service", "auth.denied policy.activated policy.created endpoint.created"},
		{"chain=other", ""},
		{"resource_type=policy", "policy.activated policy.created"},
		{"resource_type=policy&resource_id=q", ""},
		{"resource_id=p", "policy.activated policy.created"},
		{"resource_id=" + taskID, "auth.denied"},
		{"outcome=denied", "auth.denied"},
		{"outcome=success&actor=eve", ""},
		{"created_after=2026-03-01T14:30:00Z", decided},
		{"created_after=2026-03-01T13:30:00Z&created_before=2026-03-01T14:30:00Z", "auth.denied task.claimed"},
		{"created_after=2026-03-01T14:00:00Z", decided + " auth.denied"}, // neither bound is in it
		{"created_after=2026-03-01T13:30:00Z&created_before=2026-03-01T14:00:00.001Z", "task.claimed"},
	} {
		whole := w.vic.Get(auditPath + "?" + row.query).Want(200)
		same(t, row.query, strings.Join(whole.Items("type"), " "), row.want)
		if !strings.Contains(row.query, "limit") {
			paged := walk(t, w.vic, auditPath+"?limit=2&"+row.query, func() {})
			same(t, row.query+", by pages", strings.Join(paged, " "), strings.Join(whole.Items("id"), " "))
		}
	}
	claimed := w.vic.Get(auditPath + "?type=task.claimed")
	same(t, "call", claimed.Response("items", 0, "call_id"), "call-1")
	same(t, "outcome", claimed.Response("items", 0, "outcome"), "success")
	same(t, "chain", claimed.Response("items", 0, "chain"), id)
	if claimed.Response("items", 0, "hash") == "" {
		t.Errorf("%s has no hash", claimed)
	}
	for _, query := range []string{
		"type=no.such", "type=x", "outcome=error", "sort=oldest", "resource_type=planet", "request_id=x",
	} {
		w.vic.Get(auditPath+"?"+query).Refused(422, "")
	}
}

func TestTheAuditTrailIsForThoseWithARole(t *testing.T) {
	w := boot(t, Options{})
	for _, query := range []string{"", "?verify=true", "?verify=true&chain=service"} {
		w.Anonymous(t).Get(auditPath+query).Refused(401, "WF-008")
		w.eve.Get(auditPath+query).Refused(403, "WF-008")
		w.vic.Get(auditPath + query).Want(200)
		w.root.Get(auditPath + query).Want(200)
	}
	for _, accept := range []string{ndjson, "text/html, " + ndjson + ";q=0.9"} {
		w.eve.Do("GET", auditPath, nil, "Accept", accept).Refused(403, "WF-008")
		same(t, "media type", w.vic.Do("GET", auditPath, nil, "Accept", accept).Want(200).Header.Get("Content-Type"), ndjson)
	}
	for _, query := range []string{"verify=true", "cursor=x"} {
		w.root.Do("GET", auditPath+"?"+query, nil, "Accept", ndjson).Refused(422, "")
	}
}

func TestAnyChainAndAllOfThemAreVerified(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", anyApproves)
	id := w.request("p", "").Response("id")
	for query, want := range map[string]string{"": "2 7", "&chain=" + id: "1 4", "&chain=service": "1 3"} {
		found := w.vic.Get(auditPath + "?verify=true" + query).Want(200)
		same(t, "chains and events"+query, found.Response("verification", "chains")+" "+found.Response("verification", "events"), want)
		same(t, "valid"+query, found.Response("verification", "valid")+found.Response("verification", "bad"), "true[]")
		if !strings.Contains(found.Response("verification", "not_detected"), "deletion of a request together with its events") {
			t.Errorf("%s does not state its undetectable changes", found)
		}
	}
	w.vic.Get(auditPath+"?verify=true&chain="+unknownID).Refused(404, "WF-003")
	w.vic.Get(auditPath+"?verify=true&chain="+noID).Refused(404, "WF-003")

	wftest.Disarm(t, w.DB)
	w.exec(t, "UPDATE event SET actor_id = 'mallory' WHERE chain = 'service' AND seq = 2")
	w.exec(t, "UPDATE event SET body = replace(body, 'rita', 'eve') WHERE chain = ? AND seq = 1", id)
	bad := w.vic.Get(auditPath + "?verify=true").Want(200)
	for i, want := range []string{id + " 1 event", "service 2 event"} {
		at := func(path ...any) string { return bad.Response(append([]any{"verification", "bad", i}, path...)...) }
		same(t, "bad", at("chain")+" "+at("first_bad")+" "+at("breaks", 0, "what"), want)
	}
	same(t, "first bad", w.vic.Get(auditPath+"?verify=true&chain=service").Want(200).Response("verification", "first_bad"), "2")

	// An admin starts a new service chain; that of the request stays invalid.
	const restart = auditPath + "/restart"
	w.vic.Post(restart, `{"reason":"known"}`).Refused(403, "WF-008")
	for _, malformed := range []string{"{}", `{"reason":""}`, `{"reason":" "}`, `{"reason":"` + strings.Repeat("x", 501) + `"}`} {
		w.root.Post(restart, malformed).Refused(422, "")
	}
	same(t, "restarted", w.root.Post(restart, `{"reason":"known"}`).Want(201).Response("breaks", 0, "what"), "event")
	w.root.Post(restart, `{"reason":"known"}`).Refused(409, "WF-007")
	same(t, "event", w.vic.Get(auditPath+"?type=audit.restarted").Want(200).Response("items", 0, "breaks", 0, "seq"), "2")
	again := w.vic.Get(auditPath + "?verify=true").Want(200)
	same(t, "after it", again.Response("verification", "bad", 0, "chain")+again.Response("verification", "bad", 1, "chain"), id)
}

// exec runs SQL directly, as a user with access to the database could.
func (w *callers) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	w.Hold(t, func(tx *store.Tx) error { return tx.Exec(query, args...).Error }, func() {})
}

// export is an export as read by an external program, without the Go types of the service.
type export struct {
	events int
	ends   map[string]string // the last hash of each chain
}

// readExport verifies an export by the documented procedure.
func readExport(t *testing.T, body []byte) export {
	t.Helper()
	type line struct {
		Chain string          `json:"chain"`
		Seq   int64           `json:"seq"`
		Hash  string          `json:"hash"`
		Event json.RawMessage `json:"event"`
		End   *struct {
			Events int    `json:"events"`
			SHA256 string `json:"sha256"`
		} `json:"end"`
	}
	out := export{ends: map[string]string{}}
	seqs := map[string]int64{}
	whole, ended := sha256.New(), false
	for raw := range bytes.Lines(body) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil || ended {
			t.Fatalf("line %d: %v; ended: %t", out.events+1, err, ended)
		}
		if l.End != nil {
			ended = true
			same(t, "events", l.End.Events, out.events)
			same(t, "digest", l.End.SHA256, hex.EncodeToString(whole.Sum(nil)))
			continue
		}
		whole.Write(raw)
		_, event, _ := bytes.Cut(bytes.TrimSuffix(raw, []byte("}\n")), []byte(`"event":`))
		if !bytes.Equal(event, l.Event) {
			t.Fatalf("line %d: the event is not at the end", out.events+1)
		}
		sum := sha256.Sum256(append([]byte(out.ends[l.Chain]), event...))
		if l.Hash != "sha256:"+hex.EncodeToString(sum[:]) || l.Seq != seqs[l.Chain]+1 {
			t.Fatalf("event %d of chain %s does not fit", l.Seq, l.Chain)
		}
		out.ends[l.Chain], seqs[l.Chain] = l.Hash, l.Seq
		out.events++
	}
	if !ended {
		t.Fatal("the export is cut")
	}
	return out
}

// emptyContext is the hash of {}.
const emptyContext = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

func TestAnExportIsVerifiedByAnOutsiderWhileOthersWrite(t *testing.T) {
	const requests, events = 40, 250
	w := boot(t, Options{})
	w.policy("p", "", anyApproves)
	ends := map[string]string{}
	for range requests {
		r := wf.Request{
			ID: uuid.Must(uuid.NewV7()).String(), PolicyKey: "p", PolicyVersion: 1, Status: wf.RequestInReview, Priority: wf.PriorityNormal, Revision: 1,
			Requester: identity.User{ID: "rita"}, SubmittedBy: identity.User{ID: "rita"}, CreatedAt: Start, UpdatedAt: Start, Rev: 1,
			Context: []byte("{}"), ContextHash: emptyContext,
		}
		document, err := r.Document()
		must(t, err)
		list := make([]wf.Event, events)
		for i := range list {
			list[i] = wf.Event{
				StateHash: document.Hash(),
				ID:        uuid.Must(uuid.NewV7()).String(), Type: audit.EventRequestResubmitted, At: identity.Stamp{Time: Start},
				Actor:    identity.ActorRef{Kind: identity.ActorUser, ID: "rita"},
				Resource: wf.Resource{Type: "request", ID: r.ID}, RequestID: r.ID, Request: r.Summary(), Reason: "say \"event\": \u2028",
			}
			if r.Chain, list[i], err = list[i].Link(r.Chain); err != nil {
				t.Fatal(err)
			}
		}
		ends[r.ID] = r.Chain.Hash
		w.Hold(t, func(tx *store.Tx) error { return tx.AddRequest(r, list, nil, nil) }, func() {})
	}
	var writers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		w := people(t, w.Service)
		writers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					w.ana.Post("/v1/wf/tasks/"+task(t, w.request("p", ""), "ana")+"/decision", `{"action":"approve"}`).Want(200)
				}
			}
		})
	}
	reply := w.root.Do("GET", auditPath, nil, "Accept", ndjson).Want(200)
	close(done)
	writers.Wait()
	got := readExport(t, reply.Body)
	if got.events < requests*events {
		t.Errorf("%d events", got.events)
	}
	for id, hash := range ends {
		same(t, "end of "+id, got.ends[id], hash)
	}
	same(t, "all chains", w.root.Get(auditPath+"?verify=true").Want(200).Response("verification", "valid"), "true")
}

func TestExportContainsEventsSelectedByFilter(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", anyApproves)
	id := w.request("p", "").Response("id")
	for query, want := range map[string]int{"": 7, "?chain=" + id: 4, "?type=policy.*": 2, "?actor=nobody": 0, "?limit=1&chain=service": 3} {
		body := string(w.root.Do("GET", auditPath+query, nil, "Accept", ndjson).Want(200).Body)
		same(t, "lines of "+query, strings.Count(body, "\n"), want+1)
		if last := fmt.Sprintf(`{"end":{"events":%d,"sha256":"`, want); !strings.Contains(body, last) {
			t.Errorf("%q ends with %s, want %s", query, body[max(0, len(body)-200):], last)
		}
	}
}

func TestMeReturnsIdentityAndPendingTasks(t *testing.T) {
	w := boot(t, Options{})
	w.policy("each", "", bothApprove)
	w.policy("pool", "", poolOfTwo)
	w.Anonymous(t).Get("/v1/wf/me").Refused(401, "WF-008")
	same(t, "nobody", w.eve.Get("/v1/wf/me").Want(200).Response(),
		`{"delegations":{"given":[],"received":[]},"id":"eve","kind":"user","roles":[],"tasks":{"candidate":0,"claimed":0,"delegated":0,"open":0}}`)

	ana := w.ClientWith(t, "ana", map[string]any{"preferred_username": "ana.x", "name": "Ana", "email": "ana@example.org"}, identity.RoleViewer)
	claimed := w.request("each", "")
	w.ana.Post("/v1/wf/tasks/"+task(t, claimed, "ana")+"/claim", nil).Want(200)
	for range 2 {
		w.request("each", "")
	}
	for range 3 {
		w.request("pool", "")
	}
	over := w.request("each", "")
	w.ana.Post("/v1/wf/tasks/"+task(t, over, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	delegate := func(from *Client, to, starts string) {
		from.Post("/v1/wf/delegations", fmt.Sprintf(`{"delegate_to":%q,"starts_at":%q,"ends_at":"2026-04-01T00:00:00Z"}`, to, starts)).Want(201)
	}
	delegate(w.ana, "eve", "2026-03-01T12:00:00Z")
	delegate(w.ana, "dan", "2026-03-20T12:00:00Z") // later
	delegate(w.bo, "ana", "2026-03-01T12:00:00Z")
	me := ana.Get("/v1/wf/me").Want(200)
	for member, want := range map[string]string{
		"id": "ana", "username": "ana.x", "name": "Ana", "email": "ana@example.org", "kind": "user", "roles": `["WF_VIEWER"]`,
		"tasks": `{"candidate":3,"claimed":1,"delegated":0,"open":2}`,
	} {
		same(t, member, me.Response(member), want)
	}
	same(t, "given", me.Response("delegations", "given", 0, "delegate_to", "id"), "eve")
	same(t, "given later", me.Response("delegations", "given", 1), "")
	same(t, "received", me.Response("delegations", "received", 0, "user", "id"), "bo")
	robot := w.ClientWith(t, "robot", map[string]any{"client_id": "robot"}, identity.RoleAdmin)
	same(t, "a service", robot.Get("/v1/wf/me").Want(200).Response("kind"), "service")
}

func TestACallerHasOneLongCallAtATime(t *testing.T) {
	w := people(t, Boot(t, Options{URL: wftest.Schema.Postgres(t)}))
	replies := make(chan Reply)
	w.Hold(t, func(tx *store.Tx) error { return tx.Exec("LOCK TABLE event IN ACCESS EXCLUSIVE MODE").Error }, func() {
		for range 2 {
			go func() { replies <- w.root.Do("GET", auditPath, nil, "Accept", ndjson) }()
		}
		refused := <-replies // the other one is blocked by the lock of the table
		refused.Refused(429, "WF-094")
		same(t, "Retry-After", refused.Header.Get("Retry-After"), "10")
	})
	readExport(t, (<-replies).Want(200).Body)
	w.root.Get(auditPath + "?verify=true").Want(200)
}
