// Package registrartest runs the whole service in a test: real database, real tokens, real HTTP,
// and an identity provider under the control of the test.
package registrartest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

var schema = sqldbtest.Schema{Migrate: server.Program().Migrate}

// Run runs the tests of a package that calls Boot, on SQLite.
func Run(m *testing.M) int { return schema.Run(m) }

// RunBoth runs the tests of a package that calls Boot, on each database.
func RunBoth(m *testing.M) int { return schema.Twice(m) }

// Options adjusts Boot. The zero value is a service with the local profile and the sample
// catalogue.
type Options struct {
	Config func(*server.Config) // changes the settings
	Now    func() time.Time     // clock of the database and of requestTime; nil for the real one
	Closed bool                 // not opened, as during the start

	Postgres bool // on PostgreSQL, also in a package that runs on SQLite
}

// Service is a running service, except for its clock and its network. No worker runs: tests call
// Core.RunOnce and Sender.RunOnce.
type Service struct {
	*server.Service

	t      testing.TB
	URL    string
	DB     *sqldb.DB
	Log    *logtest.Log
	issuer *bearer.DevIssuer
}

// loopback allows connections to a test's own servers, with a long timeout and no wait between
// tries.
var loopback = egress.Policy{
	AllowHTTP: true, AnyPort: true, Total: 5 * time.Minute, RetryWait: time.Nanosecond,
	Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
}

const (
	issuerName = "https://issuer.test"
	audience   = "countersign-registrar"
)

// Boot starts the service and stops it at the end of the test.
func Boot(t testing.TB, o Options) *Service {
	t.Helper()
	w := &Service{t: t, Log: &logtest.Log{}}
	// Until the last test has ended, package testing keeps everything that cleanups reference.
	t.Cleanup(func() { w.Service, w.DB = nil, nil })
	config := w.config(o)
	var err error
	w.Service, err = server.New(config, w.Log.Logger())
	w.require(err)
	w.DB, err = config.OpenDatabase(t.Context(), w.Log.Logger(), server.Program())
	w.require(err)
	t.Cleanup(func() { _ = w.DB.Close() })
	w.require(w.Open(t.Context(), w.DB))
	if !o.Closed {
		w.API.Start(web.Database{Ping: w.DB.Ping, Writable: w.DB.Writable, TryWrite: w.DB.TryWrite})
	}
	listening := httptest.NewServer(w.API)
	t.Cleanup(func() {
		listening.Close()
		listening.Config.Handler = nil
	})
	w.URL = listening.URL
	return w
}

// config returns the settings of a service with its own issuer and network.
func (w *Service) config(o Options) server.Config {
	w.t.Helper()
	dir := w.t.TempDir()
	keys, catalog := filepath.Join(dir, "jwks.json"), filepath.Join(dir, "catalog.yaml")
	var c server.Config
	fresh := schema.Fresh
	if o.Postgres {
		fresh = schema.Postgres
	}
	database := fresh(w.t)
	w.require(server.Program().Parse(&c, []string{"--auth-issuer=" + issuerName, "--auth-audience=" + audience, "--database-url=" + database}))
	var err error
	w.issuer, err = bearer.OpenDevIssuer(filepath.Join(dir, "issuer.jwk"))
	w.require(err)
	w.require(os.WriteFile(keys, w.issuer.JWKS(), 0o600))
	w.require(os.WriteFile(catalog, engine.Sample, 0o600))
	c.AuthJWKSURL, c.CatalogFile, c.PublicURL = "file://"+keys, catalog, "https://clients.example"
	c.EncKeys = daemon.Secret("k1:" + seal.NewKey())
	c.ConsoleClientID = "console"
	c.Substitutes = daemon.Substitutes{Now: o.Now, Network: &loopback, Chance: func() float64 { return 0 }}
	c.RatePerson, c.RateService, c.RateRegistrations, c.Unlimited = limit.Rate{}, limit.Rate{}, limit.Rate{}, true
	if o.Config != nil {
		o.Config(&c)
	}
	return c
}

func (w *Service) require(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// Token returns a token for a caller.
func (w *Service) Token(token bearer.DevToken) string {
	w.t.Helper()
	token.Issuer, token.Audience = issuerName, audience
	text, err := w.issuer.Issue(token)
	w.require(err)
	return text
}

// Admin returns a token of a PARTNER_ADMIN.
func (w *Service) Admin() string {
	return w.Token(bearer.DevToken{Subject: "admin", Roles: []string{"PARTNER_ADMIN"}})
}

// Partner returns a token of a partner's caller.
func (w *Service) Partner(subject, partner string) string {
	return w.Token(bearer.DevToken{Subject: subject, Roles: []string{"AUTH_PARTNER"}, Claims: map[string]any{"partner_id": partner}})
}

// Provider returns a token with all scopes of the client-management API.
func (w *Service) Provider() string {
	return w.Token(bearer.DevToken{Subject: "provider", Scopes: []string{"add_oidc_client", "update_oidc_client", "get_oidc_client"}})
}

// Reply is the reply to a call.
type Reply struct {
	Status int
	Header http.Header
	Body   string
}

// Code returns the code of the first error of either interface, or an empty text.
func (r Reply) Code() string {
	var body struct {
		Errors []struct {
			Code string `json:"errorCode"`
		} `json:"errors"`
	}
	if json.Unmarshal([]byte(r.Body), &body) != nil || len(body.Errors) == 0 {
		return ""
	}
	return body.Errors[0].Code
}

// Member returns a member of the response, or nil if it is missing.
func (r Reply) Member(name string) any {
	var body struct {
		Response map[string]any `json:"response"`
	}
	if json.Unmarshal([]byte(r.Body), &body) != nil {
		return nil
	}
	return body.Response[name]
}

// Call calls the service with a JSON body: nil for none, []byte unchanged. It validates the reply
// against the document.
func (w *Service) Call(method, path, token string, body any, headers ...string) Reply {
	w.t.Helper()
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case []byte:
		reader = bytes.NewReader(body)
	default:
		data, err := json.Marshal(body)
		w.require(err)
		reader = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.URL+path, reader)
	w.require(err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	w.require(err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	w.require(err)
	r := Reply{res.StatusCode, res.Header, string(data)}
	w.validate(method, req.URL.Path, r)
	return r
}

// validate fails the test if the reply violates the document.
func (w *Service) validate(method, path string, r Reply) {
	w.t.Helper()
	op := w.operation(method, path)
	if op == nil {
		return // no such operation; covered by the tests of routing
	}
	doc := op.Responses[strconv.Itoa(r.Status)]
	if doc == nil {
		w.t.Errorf("%s answered %d, which is not documented: %s", op.OperationID, r.Status, r.Body)
		return
	}
	if r.Body == "" || doc.Content["application/json"] == nil {
		return
	}
	var value any
	if err := json.Unmarshal([]byte(r.Body), &value); err != nil {
		w.t.Errorf("%s: body is not JSON: %v", op.OperationID, err)
		return
	}
	result := huma.ValidateResult{}
	check := func(schema *huma.Schema, value any) {
		huma.Validate(w.API.API.OpenAPI().Components.Schemas, schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, value, &result)
	}
	schema := doc.Content["application/json"].Schema
	if schema.Ref != "" {
		schema = w.API.API.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
	}
	if answer := schema.Properties["response"]; answer != nil && len(answer.OneOf) > 0 {
		// huma's validator does not support the type null and accepts any value for it.
		if response := value.(map[string]any)["response"]; response != nil {
			check(answer.OneOf[0], response)
		}
		envelope := *schema
		envelope.Properties = maps.Clone(schema.Properties)
		envelope.Properties["response"] = &huma.Schema{}
		schema = &envelope
	}
	check(schema, value)
	for _, err := range result.Errors {
		w.t.Errorf("%s answered %d with a body that is not as documented: %v: %s", op.OperationID, r.Status, err, r.Body)
	}
}

// operation returns the documented operation of a path.
func (w *Service) operation(method, path string) *huma.Operation {
	segments := strings.Split(path, "/")
	for template, item := range w.API.API.OpenAPI().Paths {
		steps := strings.Split(template, "/")
		fits := len(steps) == len(segments)
		for i := 0; fits && i < len(steps); i++ {
			fits = steps[i] == segments[i] || strings.HasPrefix(steps[i], "{")
		}
		if fits {
			return map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete}[method]
		}
	}
	return nil
}

// Key returns a new public key as a JWK.
func Key(t testing.TB) map[string]any {
	t.Helper()
	_, public := newKey(t)
	return public
}

// newKey returns a new key and its public half as a JWK.
func newKey(t testing.TB) (*ecdsa.PrivateKey, map[string]any) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := private.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString
	return private, map[string]any{"kty": "EC", "crv": "P-256", "x": text(point[1:33]), "y": text(point[33:])}
}

// PartnerRequest returns the body of a valid registration in the partner API, with changes to
// its request; a nil value removes the member.
func PartnerRequest(key map[string]any, changes map[string]any) map[string]any {
	return map[string]any{"request": applyChanges(map[string]any{
		"name": "Health portal", "policyId": "demo-policy", "publicKey": key, "authPartnerId": "demo-partner",
		"logoUri": "https://rp.example/logo.png", "redirectUris": []any{"https://rp.example/cb"},
		"grantTypes": []any{"authorization_code"}, "clientAuthMethods": []any{"private_key_jwt"},
	}, changes)}
}

// ProviderRequest is PartnerRequest for the client-management API.
func ProviderRequest(id string, key map[string]any, changes map[string]any) map[string]any {
	return map[string]any{"request": applyChanges(map[string]any{
		"clientId": id, "clientName": "Health portal", "publicKey": key, "relyingPartyId": "rp-1",
		"userClaims": []any{"name"}, "authContextRefs": []any{"mosip:idp:acr:password"},
		"logoUri": "https://rp.example/logo.png", "redirectUris": []any{"https://rp.example/cb"},
		"grantTypes": []any{"authorization_code"}, "clientAuthMethods": []any{"private_key_jwt"},
	}, changes)}
}

// UpdateRequest returns the body of an update that is valid in both interfaces.
func UpdateRequest(changes map[string]any) map[string]any {
	return map[string]any{"request": applyChanges(map[string]any{
		"clientName": "Health portal", "userClaims": []any{"name"}, "authContextRefs": []any{"mosip:idp:acr:password"},
		"logoUri": "https://rp.example/logo.png", "redirectUris": []any{"https://rp.example/cb"},
		"grantTypes": []any{"authorization_code"}, "clientAuthMethods": []any{"private_key_jwt"}, "status": "ACTIVE",
	}, changes)}
}

func applyChanges(request, changes map[string]any) map[string]any {
	maps.Copy(request, changes)
	maps.DeleteFunc(request, func(_ string, v any) bool { return v == nil })
	return request
}
