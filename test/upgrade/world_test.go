package upgrade

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// world is the systems outside: receivers of webhooks at /ok, /busy (503), /gone (410) and /slow (never
// answers), and an identity provider of RFC 7591 and 7592 at /register. The first word of a client_name
// is the provider's behaviour: "down" (503), "lost" (registers and drops the connection), "refused"
// (400) or "slow" (never answers); "lost" also voids the token. After heal everything succeeds.
type world struct {
	mu       sync.Mutex
	healed   bool
	clients  map[string]map[string]any // at the provider, by its id
	received map[string]int            // webhooks by path
	waiting  map[string]int            // requests without an answer, by path
}

func newWorld(t *testing.T) *world {
	w := &world{clients: map[string]map[string]any{}, received: map[string]int{}, waiting: map[string]int{}}
	var listener net.Listener
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		var err error
		if listener, err = net.Listen("tcp", outside); err == nil {
			break
		}
		if time.Now().After(deadline) { // another run of this test on the machine has ended by then
			t.Fatal(err)
		}
	}
	server := &http.Server{Handler: w, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return w
}

// heal ends all failures.
func (w *world) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.healed = true
}

// change changes a client at the provider without the registrar; nil deletes it.
func (w *world) change(id string, metadata map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if metadata == nil {
		delete(w.clients, id)
		return
	}
	maps.Copy(w.clients[id], metadata)
}

// got returns the number of webhooks that a path has received.
func (w *world) got(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.received[path]
}

// waits returns the number of requests at a path that have no answer yet.
func (w *world) waits(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waiting[path]
}

func (w *world) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return
	}
	var sent map[string]any
	_ = json.Unmarshal(body, &sent)
	behaviour, status, answer := w.do(in, sent)
	switch behaviour {
	case "slow":
		w.hang(in)
		return
	case "lost":
		panic(http.ErrAbortHandler)
	}
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(status)
	if answer != nil {
		_ = json.NewEncoder(out).Encode(answer)
	}
}

// hang blocks until the end of the call.
func (w *world) hang(in *http.Request) {
	w.mu.Lock()
	w.waiting[in.URL.Path]++
	w.mu.Unlock()
	<-in.Context().Done()
	w.mu.Lock()
	w.waiting[in.URL.Path]--
	w.mu.Unlock()
}

// do performs a call.
func (w *world) do(in *http.Request, sent map[string]any) (behaviour string, status int, answer map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, isClient := strings.CutPrefix(in.URL.Path, "/register")
	if !isClient {
		w.received[in.URL.Path]++
		path, _, _ := strings.Cut(in.URL.Path[1:], "/")
		switch {
		case w.healed:
			return "", http.StatusNoContent, nil
		case path == "slow":
			return "slow", 0, nil
		default:
			return "", map[string]int{"ok": 204, "busy": 503, "gone": 410}[path], nil
		}
	}
	id = strings.TrimPrefix(id, "/")
	there := w.clients[id]
	name, _ := sent["client_name"].(string)
	if sent == nil {
		name, _ = there["client_name"].(string)
	}
	behaviour, _, _ = strings.Cut(name, " ")
	if w.healed {
		behaviour = ""
	}
	switch {
	case behaviour == "down":
		return "", http.StatusServiceUnavailable, nil
	case behaviour == "refused":
		return "", http.StatusBadRequest, map[string]any{"error": "invalid_client_metadata"}
	case behaviour == "slow":
		return behaviour, 0, nil
	case in.Method == http.MethodPost:
		id = "assigned-" + rand.Text()
		w.clients[id] = sent
		return behaviour, http.StatusCreated, information(id, sent)
	case there == nil && !w.healed:
		return "", http.StatusNotFound, nil
	case there["void"] == true:
		return "", http.StatusUnauthorized, nil
	case in.Method == http.MethodDelete:
		delete(w.clients, id)
		return behaviour, http.StatusNoContent, nil
	case in.Method == http.MethodPut:
		w.clients[id] = sent
		sent["void"] = behaviour == "lost"
	}
	return behaviour, http.StatusOK, information(id, w.clients[id])
}

func information(id string, metadata map[string]any) map[string]any {
	answer := map[string]any{}
	maps.Copy(answer, metadata)
	answer["client_id"], answer["registration_client_uri"] = id, "http://"+outside+"/register/"+id
	answer["registration_access_token"] = "token-" + id
	return answer
}
