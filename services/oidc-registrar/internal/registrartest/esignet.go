package registrartest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// ESignet is an identity provider with eSignet's client management and injected faults.
type ESignet struct {
	provider

	second  bool // the interface of 2.0
	clients map[string]ESignetClient
	foreign map[string]ESignetClient // clients of another owner
	members map[string]map[string]any
	faults  []Fault
	code    string
	method  string // method that is refused with code; all if empty
	down    bool
	deaf    bool
	calls   []string
}

// ESignetClient is a client at the provider.
type ESignetClient struct {
	Name         string          `json:"clientName"`
	Key          json.RawMessage `json:"publicKey"`
	RedirectURIs []string        `json:"redirectUris"`
	Status       string          `json:"status"`
	EncKey       json.RawMessage `json:"encPublicKey"`
}

// Fault is the fault of one call to the provider.
type Fault string

const (
	Works      Fault = ""
	FailsFirst Fault = "500, and nothing done"
	FailsAfter Fault = "500, and all done"
	DropsFirst Fault = "dropped, and nothing done"
	DropsAfter Fault = "dropped, and all done"
	Slow       Fault = "an answer that comes too late, and all done"
	Cut        Fault = "half the answer"
	WrongID    Fault = "an answer about another client"
)

// Faults lists every fault.
var Faults = []Fault{FailsFirst, FailsAfter, DropsFirst, DropsAfter, Slow, Cut, WrongID}

// NewESignet runs an identity provider until the end of the test.
func NewESignet(t testing.TB) *ESignet {
	e := &ESignet{clients: make(map[string]ESignetClient), foreign: make(map[string]ESignetClient), members: make(map[string]map[string]any)}
	e.serve(t, e)
	return e
}

// Configure sets this provider in the settings of a service.
func (e *ESignet) Configure(c *server.Config) {
	c.IDP, c.IDPURL = "esignet-1.0", e.URL
	if e.second {
		c.IDP = "esignet-2.0"
	}
}

// NewESignet2 is NewESignet with the client management of 2.0. A duplicate is 500, GET returns id
// and status, and PATCH changes every field. PUT of one path accepts fewer ACRs, and
// clientNameLangMap is required.
func NewESignet2(t testing.TB) *ESignet {
	e := NewESignet(t)
	e.second = true
	return e
}

// DeleteClient deletes a client without the service.
func (e *ESignet) DeleteClient(id string) { e.set(func() { delete(e.clients, id) }) }

// Refuse makes the provider refuse with a code; an empty code ends it.
func (e *ESignet) Refuse(code string) { e.RefuseMethod("", code) }

// RefuseMethod is Refuse for the calls of one method.
func (e *ESignet) RefuseMethod(method, code string) {
	e.set(func() { e.method, e.code = method, code })
}

// SetDown makes the provider answer 503 without an effect.
func (e *ESignet) SetDown(down bool) { e.set(func() { e.down = down }) }

// LoseReplies makes the provider process calls and lose the answers.
func (e *ESignet) LoseReplies(deaf bool) { e.set(func() { e.deaf = deaf }) }

// SetNextFaults sets the faults of the next calls, one each.
func (e *ESignet) SetNextFaults(faults ...Fault) { e.set(func() { e.faults = faults }) }

// AddForeignClient creates a client of another owner, with its own key.
func (e *ESignet) AddForeignClient(id string) {
	e.set(func() {
		c := ESignetClient{Name: "Theirs", Key: json.RawMessage(`{"kty":"theirs"}`), RedirectURIs: []string{"https://theirs.example/cb"}, Status: "ACTIVE"}
		e.clients[id], e.foreign[id] = c, c
	})
}

// Calls returns the number of calls.
func (e *ESignet) Calls() (n int) {
	e.set(func() { n = len(e.calls) })
	return n
}

// LastMethod returns the method of the last call.
func (e *ESignet) LastMethod() (method string) {
	e.set(func() { method = e.calls[len(e.calls)-1] })
	return method
}

// Methods returns the methods of the calls since the last Methods.
func (e *ESignet) Methods() (methods string) {
	e.set(func() { methods, e.calls = strings.Join(e.calls, " "), nil })
	return methods
}

// Clients returns the status of each client at the provider.
func (e *ESignet) Clients() map[string]string {
	clients := map[string]string{}
	e.set(func() {
		for id, c := range e.clients {
			clients[id] = c.Status
		}
	})
	return clients
}

// Client returns the provider's client with an id.
func (e *ESignet) Client(id string) (c ESignetClient) {
	e.set(func() { c = e.clients[id] })
	return c
}

// Members returns all members that the provider received for a client.
func (e *ESignet) Members(id string) (members map[string]any) {
	e.set(func() { members = maps.Clone(e.members[id]) })
	return members
}

// Check fails the test if a client of another owner has changed.
func (e *ESignet) Check(t testing.TB) {
	t.Helper()
	e.set(func() {
		for id, c := range e.foreign {
			if now := e.clients[id]; now.Name != c.Name || string(now.Key) != string(c.Key) || now.Status != c.Status ||
				!slices.Equal(now.RedirectURIs, c.RedirectURIs) {
				t.Errorf("somebody else's client %s was changed to %+v", id, now)
			}
		}
	})
}

func (e *ESignet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Request struct {
			ClientID string `json:"clientId"`
			ESignetClient
		} `json:"request"`
	}
	var all struct {
		Request map[string]any `json:"request"`
	}
	data, err := io.ReadAll(r.Body)
	if r.Method == http.MethodGet && len(data) == 0 {
		data = []byte("{}")
	}
	if errors.Join(err, json.Unmarshal(data, &body), json.Unmarshal(data, &all)) != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	fault, down, deaf := Works, false, false
	e.set(func() {
		e.calls, down, deaf = append(e.calls, r.Method), e.down, e.deaf
		if len(e.faults) > 0 {
			fault, e.faults = e.faults[0], e.faults[1:]
		}
	})
	e.RunHook(Before)
	switch {
	case fault == DropsFirst:
		panic(http.ErrAbortHandler)
	case down, fault == FailsFirst:
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	id := body.Request.ClientID
	if r.Method != http.MethodPost {
		id = r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	}
	code, status := "", "ACTIVE"
	e.set(func() {
		if e.method == "" && r.Method != http.MethodGet || e.method == r.Method {
			code = e.code
		}
		if code == "" && e.second {
			code = refusedBy2(r.Method, r.URL.Path, all.Request)
		}
		if code == "" {
			code = e.take(r.Method, id, body.Request.ESignetClient, all.Request)
		}
		if code == "" && r.Method != http.MethodGet {
			e.record(r.Method, id, all.Request)
		}
		if c, ok := e.clients[id]; ok {
			status = c.Status
		}
	})
	if fault == Slow {
		<-r.Context().Done() // the caller has disconnected
	}
	e.RunHook(Done)
	if deaf || fault == DropsAfter {
		panic(http.ErrAbortHandler)
	}
	e.answer(w, fault, id, code, status)
	_ = http.NewResponseController(w).Flush() // the caller may have disconnected
	e.RunHook(Answered)
}

// refusedBy2 returns the code with which 2.0 refuses the form of a call.
func refusedBy2(method, path string, members map[string]any) (code string) {
	names, named := members["clientNameLangMap"].(map[string]any)
	acrs, _ := members["authContextRefs"].([]any)
	switch {
	case method == http.MethodPost || method == http.MethodPut:
		if plain := strings.Contains(path, "/oidc-client"); plain == named {
			return "invalid_input"
		} else if plain && method == http.MethodPut && slices.ContainsFunc(acrs, func(acr any) bool {
			return acr == "mosip:idp:acr:password" || acr == "mosip:idp:acr:knowledge" || acr == "mosip:idp:acr:id-token"
		}) {
			return "invalid_acr"
		}
	case method == http.MethodPatch && members["clientNameLangMap"] == nil && names != nil:
		return "invalid_input"
	}
	return ""
}

// patch changes the members that are present, as 2.0 does.
func (c ESignetClient) patch(change ESignetClient, members map[string]any) ESignetClient {
	has := func(name string) bool { _, ok := members[name]; return ok }
	if has("clientName") {
		c.Name = change.Name
	}
	if has("redirectUris") {
		c.RedirectURIs = change.RedirectURIs
	}
	if has("status") {
		c.Status = change.Status
	}
	if has("encPublicKey") {
		if c.EncKey = change.EncKey; string(c.EncKey) == "null" {
			c.EncKey = nil
		}
	}
	return c
}

// take performs a call, or returns the code of its refusal.
func (e *ESignet) take(method, id string, c ESignetClient, members map[string]any) (code string) {
	old, known := e.clients[id]
	switch {
	case method == http.MethodGet && !e.second:
		return "unknown_error" // no such interface
	case method != http.MethodPost && !known:
		return "invalid_client_id"
	case method == http.MethodGet:
		return ""
	case method == http.MethodPatch && e.second:
		e.clients[id] = old.patch(c, members)
		return ""
	case method == http.MethodPatch:
		old.EncKey = c.EncKey
		e.clients[id] = old
		return ""
	case method == http.MethodPut:
		c.Key, c.EncKey = old.Key, old.EncKey
		e.clients[id] = c
		return ""
	case known && e.second:
		return serverError
	case known:
		return "duplicate_client_id"
	}
	for other := range maps.Values(e.clients) {
		if string(other.Key) == string(c.Key) {
			return "duplicate_public_key"
		}
	}
	c.Status, c.EncKey = "ACTIVE", nil // only PATCH sets it
	e.clients[id] = c
	return ""
}

// serverError is the answer of 2.0 to its own failures and to a duplicate, with status 500.
const serverError = "server_error"

// record records all members of a successful call. A change of all fields keeps the immutable ones.
func (e *ESignet) record(method, id string, members map[string]any) {
	old := e.members[id]
	e.members[id] = members
	for name, value := range old {
		_, given := members[name]
		if !given && (method == http.MethodPatch || name == "publicKey" || name == "relyingPartyId" || name == "encPublicKey") {
			members[name] = value
		}
	}
}

// answer writes the result of a call.
func (e *ESignet) answer(w http.ResponseWriter, fault Fault, id, code, status string) {
	if fault == FailsAfter || code == serverError {
		http.Error(w, "failed", http.StatusInternalServerError)
		return
	}
	if fault == WrongID {
		id = "another"
	}
	text := fmt.Sprintf(`{"response":{"clientId":%q,"status":%q},"errors":[]}`, id, status)
	if code != "" {
		text = fmt.Sprintf(`{"response":null,"errors":[{"errorCode":%q,"errorMessage":"no"}]}`, code)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	if fault == Cut {
		text = text[:len(text)/2]
	}
	_, _ = w.Write([]byte(text)) // #nosec G705 -- JSON to a program
}
