package api_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// wfRequest is a request for an approval, as wf has it.
type wfRequest struct {
	ID        string
	Status    string
	Hash      string
	Comment   string
	Policy    string
	Requester string
	Context   map[string]any

	Standing   string
	ValidUntil time.Time // zero for none
	EndReason  string
}

// fakeWF is an approval service that answers as wf does.
type fakeWF struct {
	*httptest.Server
	registrartest.Steps

	mu       sync.Mutex
	secret   string
	requests []*wfRequest
	keys     map[string]*wfRequest
	down     bool
	calls    int

	now      func() time.Time // of the standing
	validFor time.Duration    // of later approvals; 0 for ever
}

// newWF runs an approval service until the test is over.
func newWF(t testing.TB) *fakeWF {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	w := &fakeWF{secret: "whsec_" + base64.StdEncoding.EncodeToString(key), keys: map[string]*wfRequest{}}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

// Configure makes a service request an approval of every client here.
func (w *fakeWF) Configure(c *server.Config) {
	sample := strings.Replace(string(engine.Sample), "    userClaims:", "    approvalExempt: [clientName, logoUri]\n    userClaims:", 1)
	if err := os.WriteFile(c.CatalogFile, []byte(sample), 0o600); err != nil {
		panic(err)
	}
	c.ApprovalURL, c.ApprovalPolicy, c.ApprovalToken = w.URL, "clients", "token"
	c.ApprovalWebhookSecret = daemon.Secret(w.secret)
}

// SetDown makes it answer 503 without doing anything.
func (w *fakeWF) SetDown(down bool) { w.set(func() { w.down = down }) }

// Calls returns how many calls there were.
func (w *fakeWF) Calls() (n int) {
	w.set(func() { n = w.calls })
	return n
}

// Requests returns the requests, oldest first.
func (w *fakeWF) Requests() (list []wfRequest) {
	w.set(func() {
		for _, r := range w.requests {
			list = append(list, *r)
		}
	})
	return list
}

// Decide ends the newest request.
func (w *fakeWF) Decide(status, words string) {
	requests := w.Requests()
	w.DecideRequest(requests[len(requests)-1].ID, status, words)
}

// DecideRequest ends a request.
func (w *fakeWF) DecideRequest(id, status, words string) {
	w.set(func() {
		for _, r := range w.requests {
			if r.ID != id {
				continue
			}
			if r.Status, r.Comment = status, words; status == "approved" {
				r.Standing = "in_force"
				if w.validFor > 0 {
					r.ValidUntil = w.now().Add(w.validFor)
				}
			}
		}
	})
}

// SetStanding makes it report the standing of later approvals, which are valid for a time, or for ever.
func (w *fakeWF) SetStanding(now func() time.Time, validFor time.Duration) {
	w.set(func() { w.now, w.validFor = now, validFor })
}

// Revoke revokes an approval.
func (w *fakeWF) Revoke(id, reason string) {
	w.edit(id, func(r *wfRequest) { r.Standing, r.EndReason = "revoked", reason })
}

// Purge removes a request.
func (w *fakeWF) Purge(id string) { w.edit(id, func(r *wfRequest) { r.ID = "purged-" + id }) }

// edit changes a request.
func (w *fakeWF) edit(id string, fn func(*wfRequest)) {
	w.set(func() {
		for _, r := range w.requests {
			if r.ID == id {
				fn(r)
			}
		}
	})
}

// Tamper gives the newest request other content.
func (w *fakeWF) Tamper() { w.set(func() { w.requests[len(w.requests)-1].Hash = "sha256:other" }) }

// Restore removes all requests, like the restore of an old backup.
func (w *fakeWF) Restore() {
	w.set(func() { w.requests, w.keys = []*wfRequest{{ID: "older"}}, map[string]*wfRequest{} })
}

// Webhook returns a webhook about a request: the body, and the headers in pairs.
func (w *fakeWF) Webhook(t testing.TB, requestID string, at time.Time) (body []byte, headers []string) {
	t.Helper()
	body = fmt.Appendf(nil, `{"type":"request.approved","data":{"request":{"id":%q,"status":"approved"}}}`, requestID)
	signer, err := standardwebhooks.NewWebhook(w.secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign("msg_1", at, body)
	if err != nil {
		t.Fatal(err)
	}
	return body, []string{"webhook-id", "msg_1", "webhook-timestamp", fmt.Sprint(at.Unix()), "webhook-signature", signature}
}

func (w *fakeWF) set(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fn()
}

func (w *fakeWF) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.RunHook(registrartest.Before)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	out.Header().Set("Content-Type", "application/json")
	fail := func(status int, code string) {
		out.WriteHeader(status)
		fmt.Fprintf(out, `{"response":null,"errors":[{"errorCode":%q,"message":"no"}]}`, code)
	}
	rest, known := strings.CutPrefix(r.URL.Path, "/v1/wf/requests")
	switch {
	case w.down:
		fail(503, "WF-006")
		return
	case !known || r.Header.Get("Authorization") != "Bearer token":
		fail(401, "WF-008")
		return
	case rest == "":
		w.create(out, r, fail)
		return
	}
	id, action, _ := strings.Cut(rest[1:], "/")
	for _, request := range w.requests {
		if request.ID != id {
			continue
		}
		if action == "cancel" {
			if request.Status != "in_review" {
				fail(409, "WF-007")
				return
			}
			request.Status = "cancelled"
		}
		w.write(out, http.StatusOK, *request)
		return
	}
	fail(404, "WF-003")
}

// create makes a request, once for each Idempotency-Key.
func (w *fakeWF) create(out http.ResponseWriter, r *http.Request, fail func(int, string)) {
	var body struct {
		Policy    string          `json:"policy_key"`
		Requester string          `json:"requester"`
		Context   json.RawMessage `json:"context"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		fail(422, "")
		return
	}
	sum := sha256.Sum256(body.Context)
	key := r.Header.Get("Idempotency-Key")
	request := w.keys[key]
	if request == nil {
		request = &wfRequest{ID: fmt.Sprintf("request-%d", len(w.requests)+1), Status: "in_review", Hash: "sha256:" +
			hex.EncodeToString(sum[:]), Policy: body.Policy, Requester: body.Requester}
		_ = json.Unmarshal(body.Context, &request.Context) // it was part of a document
		w.keys[key] = request
		w.requests = append(w.requests, request)
	}
	if request.Hash != "sha256:"+hex.EncodeToString(sum[:]) {
		fail(409, "WF-009")
		return
	}
	w.write(out, http.StatusCreated, *request)
}

// write writes a request. An approval lapses without a further event.
func (w *fakeWF) write(out http.ResponseWriter, status int, r wfRequest) {
	view := map[string]any{
		"id": r.ID, "status": r.Status, "context_hash": r.Hash, "status_reason": map[string]any{"message": r.Comment},
	}
	if r.Standing != "" {
		view["standing"] = r.Standing
	}
	if r.EndReason != "" {
		view["end_reason"] = r.EndReason
	}
	if !r.ValidUntil.IsZero() {
		view["valid_until"] = r.ValidUntil.UTC().Format(time.RFC3339Nano)
		if r.Standing == "in_force" && !w.now().Before(r.ValidUntil) {
			view["standing"] = "lapsed"
		}
	}
	out.WriteHeader(status)
	_ = json.NewEncoder(out).Encode(map[string]any{"errors": []any{}, "response": view})
}
