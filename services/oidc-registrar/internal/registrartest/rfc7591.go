package registrartest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// RFC7591 is a strict provider of RFC 7591 and 7592. It assigns its own client ids and accepts a
// registration access token for one change only.
type RFC7591 struct {
	provider

	clients map[string]map[string]any // by the provider's id
	tokens  map[string]string         // valid token by the provider's id
	made    int
	answers int
	lose    bool
	bare    bool
	keep    bool
	fail    bool
}

// NewRFC7591 runs a provider until the end of the test.
func NewRFC7591(t testing.TB) *RFC7591 {
	p := &RFC7591{clients: map[string]map[string]any{}, tokens: map[string]string{}}
	p.serve(t, p)
	return p
}

// Configure sets this provider in the settings of a service.
func (p *RFC7591) Configure(c *server.Config) { c.IDP, c.IDPURL = "rfc7591", p.URL+"/register" }

// LoseReplies makes the provider process calls and lose the answers.
func (p *RFC7591) LoseReplies(lose bool) { p.set(func() { p.lose = lose }) }

// OmitManagement makes the provider omit the URI and token for changes of a client.
func (p *RFC7591) OmitManagement() { p.set(func() { p.bare = true }) }

// Manager makes the service change clients with its own credentials.
func (p *RFC7591) Manager(c *server.Config) {
	c.IDPTokenURL, c.IDPClientID, c.IDPClientSecret = p.URL+"/token", "registrar", "secret"
	c.IDPManageClientID, c.IDPManageClientSecret = "manager", "secret"
}

// Clients returns the metadata of each client at the provider, by its id.
func (p *RFC7591) Clients() (clients map[string]map[string]any) {
	p.set(func() { clients = maps.Clone(p.clients) })
	return clients
}

// RegistrationCount returns the number of registrations.
func (p *RFC7591) RegistrationCount() (n int) {
	p.set(func() { n = p.made })
	return n
}

// Change changes a client without the service; nil metadata delete it.
func (p *RFC7591) Change(id string, metadata map[string]any) {
	p.set(func() {
		if metadata == nil {
			delete(p.clients, id)
			delete(p.tokens, id)
			return
		}
		maps.Copy(p.clients[id], metadata)
	})
}

// KeepTokens makes the provider keep tokens unchanged.
func (p *RFC7591) KeepTokens() { p.set(func() { p.keep = true }) }

// Fail makes the provider answer 500 to a change of a missing client.
func (p *RFC7591) Fail(fail bool) { p.set(func() { p.fail = fail }) }

func (p *RFC7591) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/token" {
		id, _, _ := r.BasicAuth()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":%q,"token_type":"bearer","expires_in":300}`, id) // #nosec G705 -- JSON to a program
		return
	}
	var sent map[string]any
	if r.Method == http.MethodPost || r.Method == http.MethodPut {
		if json.NewDecoder(r.Body).Decode(&sent) != nil {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
	}
	p.RunHook(Before)
	var status int
	var answer map[string]any
	var lose bool
	p.set(func() {
		status, answer = p.do(r, sent)
		lose = p.lose
	})
	p.RunHook(Done)
	if lose {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if answer != nil {
		_ = json.NewEncoder(w).Encode(answer)
	}
	_ = http.NewResponseController(w).Flush() // the caller may have disconnected
	p.RunHook(Answered)
}

// do performs a call.
func (p *RFC7591) do(r *http.Request, sent map[string]any) (int, map[string]any) {
	id, isClient := strings.CutPrefix(r.URL.Path, "/register/")
	if !isClient {
		p.made++
		id = fmt.Sprint("assigned-", p.made)
		p.clients[id] = sent
		return http.StatusCreated, p.answer(id, false)
	}
	token, by := p.tokens[id], r.Header.Get("Authorization")
	if token == "" && p.fail && r.Method == http.MethodPut {
		return http.StatusInternalServerError, nil
	}
	if token == "" && by == "Bearer manager" {
		return http.StatusNotFound, nil
	}
	if token == "" || by != "Bearer "+token && by != "Bearer manager" {
		return http.StatusUnauthorized, nil
	}
	switch r.Method {
	case http.MethodDelete:
		delete(p.clients, id)
		delete(p.tokens, id)
		return http.StatusNoContent, nil
	case http.MethodGet:
		return http.StatusOK, p.answer(id, by == "Bearer manager")
	}
	if sent["client_id"] != id {
		return http.StatusBadRequest, map[string]any{"error": "invalid_client_metadata"}
	}
	p.clients[id] = sent
	return http.StatusOK, p.answer(id, by == "Bearer manager")
}

// answer returns the client information with a new token. For credentials that manage all clients
// it has no token, as at Keycloak.
func (p *RFC7591) answer(id string, manager bool) map[string]any {
	answer := maps.Clone(p.clients[id])
	answer["client_id"] = id
	if p.bare {
		return answer
	}
	answer["registration_client_uri"] = p.URL + "/register/" + id
	if manager {
		return answer
	}
	if p.answers++; !p.keep || p.tokens[id] == "" {
		p.tokens[id] = fmt.Sprint("token-", p.answers)
	}
	answer["registration_access_token"] = p.tokens[id]
	return answer
}
