package wftest

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Secret signs the webhooks of callbacks and of the endpoint "receiver".
var Secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret that is 32 bytes long ."))

// Receiver receives webhooks. A message fails the test if its signature does not verify with a
// trusted secret, or if it violates the service's document.
type Receiver struct {
	URL string

	mu        sync.Mutex
	document  *document
	verifiers []*standardwebhooks.Webhook
	status    int
	hooks     []Webhook
}

// Webhook is one message that a Receiver got.
type Webhook struct {
	Path   string
	Header http.Header
	Body   []byte
}

func newReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{status: http.StatusOK}
	r.Trust(t, Secret)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Errorf("read a webhook: %v", err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if !slices.ContainsFunc(r.verifiers, func(v *standardwebhooks.Webhook) bool {
			// The clock of the service is far from the process's, which the library compares with.
			return v.VerifyIgnoringTimestamp(body, request.Header) == nil
		}) {
			t.Errorf("a webhook does not verify: %s", body)
		}
		if err := r.document.checkWebhook(body); err != nil {
			t.Errorf("a webhook is not as documented: %v: %s", err, body)
		}
		r.hooks = append(r.hooks, Webhook{request.URL.Path, request.Header.Clone(), body})
		w.WriteHeader(r.status)
	}))
	t.Cleanup(server.Close)
	r.URL = server.URL
	return r
}

// Trust adds the secret of another endpoint.
func (r *Receiver) Trust(t testing.TB, secret string) {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	Must(t, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verifiers = append(r.verifiers, verifier)
}

// read gives the receiver the document that messages are held against.
func (r *Receiver) read(d *document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.document = d
}

// Answer makes the receiver answer with a status from now on.
func (r *Receiver) Answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// Got returns the messages received so far.
func (r *Receiver) Got() []Webhook {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Webhook(nil), r.hooks...)
}
