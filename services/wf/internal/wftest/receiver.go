package wftest

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// secret signs every webhook of the tests.
var secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret that is 32 bytes long ."))

// Receiver gets webhooks. One whose signature does not verify by the Standard
// Webhooks library fails the test.
type Receiver struct {
	URL string

	mu     sync.Mutex
	status int
	hooks  []Webhook
}

// Webhook is one message that a Receiver got.
type Webhook struct {
	Header http.Header
	Body   []byte
}

func newReceiver(t testing.TB) *Receiver {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	r := &Receiver{status: http.StatusOK}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Errorf("read a webhook: %v", err)
		}
		// The world's clock is far from the process's, which the library compares with.
		if err := verifier.VerifyIgnoringTimestamp(body, request.Header); err != nil {
			t.Errorf("verify a webhook: %v", err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.hooks = append(r.hooks, Webhook{request.Header.Clone(), body})
		w.WriteHeader(r.status)
	}))
	t.Cleanup(server.Close)
	r.URL = server.URL
	return r
}

// Answer makes the receiver answer with a status from now on.
func (r *Receiver) Answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// Got returns what came so far.
func (r *Receiver) Got() []Webhook {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Webhook(nil), r.hooks...)
}
