package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
)

// errTaken is a reason of a service.
var errTaken = errors.New("taken")

// noted holds the log attributes of the operations of office.
type noted struct {
	caller, operation string
	scope             *web.Scope
}

// office is a server with operations of every access, and the keys of its issuer.
type office struct {
	t      *testing.T
	server *web.Server
	issuer *bearer.DevIssuer
	log    *logtest.Log
	last   noted
	failed []string // the operations whose failure was to be answered
}

func newOffice(t *testing.T, change func(*web.Options)) *office {
	t.Helper()
	f := &office{t: t, log: &logtest.Log{}}
	var err error
	if f.issuer, err = bearer.OpenDevIssuer(filepath.Join(t.TempDir(), "key.jwk")); err != nil {
		t.Fatal(err)
	}
	verifier, err := bearer.New(bearer.Config{Issuer: "https://issuer.test", Audience: "office", Keys: f.issuer.JWKS(), Logger: f.log.Logger()})
	if err != nil {
		t.Fatal(err)
	}
	o := web.Options{
		Title: "Office", Version: "1", Logger: f.log.Logger(), Verifier: verifier, RolePointers: []string{"/roles"},
		Caller: func(_ huma.Context, token bearer.Token, roles []string) (any, error) {
			if token.Subject == "nobody" {
				return nil, errors.New("nobody is not a name")
			}
			return token.Subject + " " + strings.Join(roles, "+"), nil
		},
		Failure: func(ctx context.Context, op web.Operation, err error) error {
			f.failed = append(f.failed, op.ID+" "+web.CallerOf[string](ctx))
			if errors.Is(err, errTaken) {
				return web.Refuse(409, "", failure{409, "it is taken"}, nil)
			}
			return refuse(ctx, op, err)
		},
		Descriptions: map[string]string{"take": "Take it, or leave it."}, Examples: map[string]json.RawMessage{"take": json.RawMessage(`{"name":"a"}`)},
		Tag: func(string) string { return "things" }, FailureSchema: func(string) *huma.Schema { return &huma.Schema{Ref: "#/components/schemas/Failure"} },
		FailureHeaders: map[int]map[string]*huma.Header{401: {"WWW-Authenticate": {Description: "Why"}}},
		Code: func(reason error) (int, string) {
			if reason == errTaken {
				return 409, "X-409"
			}
			return statuses[reason.(refusal.Reason)], ""
		},
	}
	if change != nil {
		change(&o)
	}
	f.server = running(o)
	type input struct {
		ID string `path:"id"`
		web.Idempotent
		Body *struct {
			Name string `json:"name,omitempty" maxLength:"3"`
		}
	}
	roles := func(roles ...string) web.Access { return web.Access{Token: true, Roles: roles} }
	text := &huma.Schema{Type: huma.TypeString}
	for _, op := range []web.Operation{
		{"open", "POST", "/open/{id}", web.Access{}, 200, nil, "Open"},
		{"anyone", "POST", "/anyone/{id}", web.Access{Token: true}, 200, nil, "Anyone"},
		{"clerks", "POST", "/clerks/{id}", roles("CLERK", "BOSS"), 200, nil, "Clerks"},
		{"scoped", "POST", "/scoped/{id}", web.Access{Token: true, Roles: []string{"BOSS"}, Scopes: []string{"write"}}, 200, nil, "Scoped"},
		{"writers", "POST", "/writers/{id}", web.Access{Token: true, Scopes: []string{"write"}}, 200, nil, "Writers"},
		{"take", "PATCH", "/take/{id}", roles("CLERK"), 201, []error{errTaken}, "Take"},
	} {
		web.Register(f.server, op, text, func(ctx context.Context, in *input) (*struct{ Body string }, error) {
			scope, err := in.Scope(ctx, "issuer|ana", in.ID)
			f.last = noted{web.CallerOf[string](ctx), web.OperationOf(ctx).ID, scope}
			switch in.ID {
			case "taken":
				err = errTaken
			case "later":
				err = &refusal.Error{Reason: web.Busy, Message: "later", RetryAfter: 7 * time.Second}
			case "unfit":
				err = web.Unprocessable(web.Detail{Type: "value_error", Loc: []any{"path", "id"}, Msg: "Unfit"})
			}
			return &struct{ Body string }{"done"}, err
		})
	}
	return f
}

// call calls an operation with a token, if there is one, and headers in pairs.
func (f *office) call(op web.Operation, token *bearer.DevToken, body string, headers ...string) *recorder {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), op.Method, op.Path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != nil {
		token.Issuer, token.Audience = "https://issuer.test", "office"
		text, err := f.issuer.Issue(*token)
		if err != nil {
			f.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+text)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	r := &recorder{header: http.Header{}}
	f.server.ServeHTTP(r, req)
	return r
}

func post(path string) web.Operation { return web.Operation{Method: "POST", Path: path} }

func TestATokenIsJudgedBeforeTheBodyIsRead(t *testing.T) {
	f := newOffice(t, nil)
	who := func(roles []string, scopes ...string) *bearer.DevToken {
		return &bearer.DevToken{Subject: "ana", Claims: map[string]any{"roles": roles}, Scopes: scopes}
	}
	none, clerk, boss, writer := who(nil), who([]string{"CLERK"}), who([]string{"BOSS"}), who(nil, "write")
	swapped := who([]string{"write"}, "CLERK", "BOSS") // a scope is no role, and a role no scope
	needs := map[string]string{"/clerks/1": "the role CLERK or BOSS", "/scoped/1": "the role BOSS or the scope write",
		"/writers/1": "with the scope write"}
	for path, want := range map[string][]int{
		"/open/1":    {200, 200, 200, 200, 200, 200},
		"/anyone/1":  {401, 200, 200, 200, 200, 200},
		"/clerks/1":  {401, 403, 200, 200, 403, 403},
		"/scoped/1":  {401, 403, 403, 200, 200, 403},
		"/writers/1": {401, 403, 403, 403, 200, 403},
	} {
		for i, token := range []*bearer.DevToken{nil, none, clerk, boss, writer, swapped} {
			f.last = noted{}
			r := f.call(post(path), token, `{"name":"a"}`)
			if r.status != want[i] || (f.last.operation == "") != (r.status != 200) {
				t.Errorf("%s with token %d: %d %s, want %d; the handler ran: %v", path, i, r.status, r, want[i], f.last)
			}
			if r.status == 403 && !strings.Contains(r.String(), needs[path]+`"`) {
				t.Errorf("%s with token %d: %s, want the requirement %q", path, i, r, needs[path])
			}
			if (r.status == 401) != (r.header.Get("WWW-Authenticate") == "Bearer") { // without credentials there is no error
				t.Errorf("%s: %d with WWW-Authenticate %q", path, r.status, r.header.Get("WWW-Authenticate"))
			}
			if r := f.call(post(path), token, `{`); want[i] == 200 && r.status != 422 || want[i] != 200 && r.status != want[i] {
				t.Errorf("%s with token %d and half a body: %d", path, i, r.status)
			}
		}
	}
	f.call(post("/clerks/1"), clerk, "")
	if want := (noted{"ana CLERK", "clerks", nil}); f.last != want {
		t.Errorf("noted %v, want %v", f.last, want)
	}
}

func TestATokenThatIsRefusedIsLoggedAndNotExplained(t *testing.T) {
	f := newOffice(t, nil)
	for name, r := range map[string]*recorder{
		"nobody is not a name": f.call(post("/anyone/1"), &bearer.DevToken{Subject: "nobody"}, ""),
		`"cause":"`:            f.call(post("/anyone/1"), nil, "", "Authorization", "Bearer x.y.z"),
	} {
		if r.status != 401 || r.String() != `{"status":401,"message":"a valid bearer token is required"}` {
			t.Errorf("%s: %d %s", name, r.status, r)
		}
		if !strings.Contains(f.log.String(), name) {
			t.Errorf("not logged: %s", name)
		}
	}
}

func TestWithoutTheKeysOfTheIssuerNoTokenIsJudged(t *testing.T) {
	f := newOffice(t, func(o *web.Options) {
		var err error
		o.Verifier, err = bearer.New(bearer.Config{Issuer: "https://issuer.test", Audience: "office",
			JWKSURL: "https://issuer.test/keys", Logger: o.Logger})
		if err != nil {
			t.Fatal(err)
		}
	})
	r := f.call(post("/anyone/1"), &bearer.DevToken{Subject: "ana"}, "")
	if r.status != 503 || r.String() != `{"status":503,"message":"the keys of the token issuer are not available"}` ||
		r.header.Get("Retry-After") != "1" {
		t.Errorf("%d %s, Retry-After %q", r.status, r, r.header.Get("Retry-After"))
	}
}

func TestHandlerRefusalsAreAnsweredByTheService(t *testing.T) {
	f := newOffice(t, nil)
	clerk := &bearer.DevToken{Subject: "ana", Claims: map[string]any{"roles": []string{"CLERK"}}}
	take := web.Operation{Method: "PATCH", Path: "/take/taken"}
	if r := f.call(take, clerk, ""); r.status != 409 || r.String() != `{"status":409,"message":"it is taken"}` {
		t.Errorf("%d %s", r.status, r)
	}
	if r := f.call(post("/anyone/later"), clerk, ""); r.status != 503 || r.header.Get("Retry-After") != "7" {
		t.Errorf("%d with Retry-After %q", r.status, r.header.Get("Retry-After"))
	}
	take.Path = "/take/1"
	f.call(take, &bearer.DevToken{Subject: "eve"}, "")
	f.call(take, nil, "")
	f.call(post("/nowhere"), clerk, "")
	if want := []string{"take ana CLERK", "anyone ana CLERK", "take eve ", "take ", " "}; !slices.Equal(f.failed, want) {
		t.Errorf("failures of %q, want %q", f.failed, want)
	}
}

func TestServiceMayAnswerInvalidInputItself(t *testing.T) {
	f := newOffice(t, func(o *web.Options) {
		o.Unfit = func(_ context.Context, op web.Operation, details []web.Detail) error {
			return web.Refuse(200, "", map[string]any{"operation": op.ID, "first": details[0]}, nil)
		}
	})
	for name, tt := range map[string]struct{ path, body, want string }{
		"by the schema": {"/open/1", `{"name":"abcd"}`,
			`{"first":{"type":"string_too_long","loc":["body","name"],"msg":"String should have at most 3 characters"},"operation":"open"}`},
		"before it": {"/open/1", `{`,
			`{"first":{"type":"json_invalid","loc":["body",1],"msg":"JSON is not valid: unexpected EOF"},"operation":"open"}`},
		"by its query": {"/open/1?x=1", ``,
			`{"first":{"type":"extra_forbidden","loc":["query","x"],"msg":"Extra inputs are not permitted"},"operation":"open"}`},
		"by its handler": {"/open/unfit", ``, `{"first":{"type":"value_error","loc":["path","id"],"msg":"Unfit"},"operation":"open"}`},
		"what does fit":  {"/open/1", `{"name":"abc"}`, `"done"`},
		"without a body": {"/open/1", ``, `"done"`},
	} {
		if r := f.call(post(tt.path), nil, tt.body); r.status != 200 || r.String() != tt.want {
			t.Errorf("%s: %d %s, want %s", name, r.status, r, tt.want)
		}
	}
	document, err := f.server.OpenAPI()
	if err != nil || strings.Contains(string(document), "422") || strings.Contains(string(document), "HTTPValidationError") {
		t.Errorf("the document has a 422: %v", err)
	}
}

func TestTheDocumentHasEveryReplyOfAnOperation(t *testing.T) {
	f := newOffice(t, nil)
	paths := f.server.API.OpenAPI().Paths
	replies := func(op *huma.Operation) (list []string) {
		for status, reply := range op.Responses {
			list = append(list, status+" "+reply.Description)
		}
		slices.Sort(list)
		return list
	}
	take := paths["/take/{id}"].Patch
	if got, want := replies(take), []string{
		"201 Created", "400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found", "408 Request Timeout",
		"409 Conflict: X-409", "413 Request Entity Too Large", "415 Unsupported Media Type",
		"422 The request does not fit the schema", "429 Too Many Requests", "500 Internal Server Error", "503 Service Unavailable",
	}; !slices.Equal(got, want) {
		t.Errorf("replies %q, want %q", got, want)
	}
	if got, want := replies(paths["/open/{id}"].Post), []string{
		"200 OK", "400 Bad Request", "404 Not Found", "408 Request Timeout", "413 Request Entity Too Large",
		"415 Unsupported Media Type", "422 The request does not fit the schema", "429 Too Many Requests",
		"500 Internal Server Error", "503 Service Unavailable",
	}; !slices.Equal(got, want) {
		t.Errorf("replies %q, want %q", got, want)
	}
	if take.Description != "Take it, or leave it." || take.Responses["401"].Headers["WWW-Authenticate"] == nil ||
		take.Responses["409"].Extensions["x-error-codes"] == nil || take.Responses["429"].Headers["RateLimit"] == nil {
		t.Errorf("operation: %+v", take)
	}
	if _, patch := take.RequestBody.Content["application/merge-patch+json"]; !patch || take.RequestBody.Content["application/json"].Example == nil {
		t.Errorf("body: %+v", take.RequestBody)
	}
	for path, want := range map[string]string{
		"/open/{id}": `[]`, "/anyone/{id}": `[{"bearer":[]}]`, "/clerks/{id}": `[{"bearer":["CLERK"]},{"bearer":["BOSS"]}]`,
		"/scoped/{id}": `[{"bearer":["write"]},{"bearer":["BOSS"]}]`,
	} {
		if got, _ := json.Marshal(paths[path].Post.Security); string(got) != want {
			t.Errorf("%s needs %s, want %s", path, got, want)
		}
	}
}

func TestAKeyStandsForOneCallOfOneCaller(t *testing.T) {
	f := newOffice(t, nil)
	scope := func(path, key, body string) web.Scope {
		t.Helper()
		f.last = noted{}
		if r := f.call(post(path), nil, body, "Idempotency-Key", key); r.status != 200 || f.last.scope == nil {
			t.Fatalf("%s: %d %s", path, r.status, r)
		}
		return *f.last.scope
	}
	first := scope("/open/1", "k-1", `{"name":"a"}`)
	if first.Principal != "issuer|ana" || first.Method != "POST" || first.Route != "/open/{id}" || first.Key != "k-1" {
		t.Errorf("scope: %+v", first)
	}
	if again := scope("/open/1", `"k-1"`, ` { "name" : "\u0061" } `); again != first {
		t.Errorf("a repeat has %+v, want %+v", again, first)
	}
	for name, other := range map[string]web.Scope{"another body": scope("/open/1", "k-1", `{"name":"b"}`),
		"another object": scope("/open/2", "k-1", `{"name":"a"}`)} {
		if other.Fingerprint == first.Fingerprint {
			t.Errorf("%s has the same fingerprint", name)
		}
	}
	if none, empty := scope("/open/1", "k-2", ``), scope("/open/1", "k-2", `{}`); none != empty {
		t.Errorf("no body: %+v, and an empty object: %+v", none, empty)
	}
	if f.call(post("/open/1"), nil, ""); f.last.scope != nil {
		t.Errorf("without a key: %+v", f.last.scope)
	}
	for _, key := range []string{`"k`, `k"`, `"`, `""`, "k 1", "k\x7f", "kä", strings.Repeat("k", 256)} {
		if r := f.call(post("/open/1"), nil, "", "Idempotency-Key", key); r.status != 422 ||
			!strings.Contains(r.String(), `"loc":["header","Idempotency-Key"]`) {
			t.Errorf("%q: %d %s", key, r.status, r)
		}
	}
}
