package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
)

type quorum struct {
	Mode  string `json:"mode" enum:"all,any,count"`
	Value int    `json:"value,omitempty" minimum:"1" maximum:"100"`
}

type stage struct {
	Key       string   `json:"key" pattern:"^[a-z]+$" maxLength:"8"`
	Approvers []string `json:"approvers" minItems:"1"`
	Quorum    *quorum  `json:"quorum,omitempty"`
}

type thing struct {
	PolicyKey string          `json:"policy_key" minLength:"1"`
	Stages    []stage         `json:"stages,omitempty" maxItems:"3"`
	Labels    map[string]int  `json:"labels,omitempty"`
	Context   json.RawMessage `json:"context,omitempty"`
	Extra     map[string]any  `json:"extra,omitempty"`
	Due       string          `json:"due,omitempty" format:"date-time"`
	Live      bool            `json:"live,omitempty"`
	Ref       string          `json:"ref,omitempty" format:"uuid"`
}

type failure struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

var statuses = map[refusal.Reason]int{
	web.BadRequest: 400, web.Unauthenticated: 401, web.Forbidden: 403, web.NoRoute: 404, web.Misdirected: 421,
	web.WrongMethod: 405, web.TooLarge: 413, web.TooSlow: 408, web.TooMany: 429, web.WrongMediaType: 415,
	web.Internal: 500, web.Starting: 503, web.ReadOnly: 503, web.DatabaseDown: 503, web.Busy: 503, web.OutOfTime: 503,
}

// refuse renders the refusals of the package and no others.
func refuse(_ context.Context, _ web.Operation, err error) error {
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		status := statuses[refused.Reason]
		return web.Refuse(status, "T-"+string(refused.Reason), failure{status, refused.Message}, nil)
	}
	return err
}

// running is a server that takes calls.
func running(o web.Options) *web.Server {
	s := web.New(o)
	s.Start(web.Database{Ping: func(context.Context) error { return nil }, Writable: func() error { return nil }})
	return s
}

type reply struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Body     thing
}

// service is one running server and its log.
type service struct {
	t      *testing.T
	server *web.Server
	url    string
	log    *logtest.Log
	enter  chan struct{} // the slow handler signals its start
	leave  chan struct{} // and blocks on this
}

var errPassword = errors.New(`pq: password "hunter2" refused`)

// teapot has a status, but its body is not of the package.
type teapot struct{}

func (teapot) Error() string  { return "hunter2" }
func (teapot) GetStatus() int { return http.StatusTeapot }

type labelled struct {
	labels map[string]string
}

func (l *labelled) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	for name, values := range u.Query() {
		if label, ok := strings.CutPrefix(name, "label."); ok {
			if values[0] == "bad" {
				return []error{web.Detail{Type: "value_error", Loc: []any{"query", name}, Msg: "Label is bad"}}
			}
			l.labels = map[string]string{label: values[0]}
		}
	}
	return nil
}

func start(t *testing.T, change func(*web.Options)) *service {
	t.Helper()
	w := &service{t: t, log: &logtest.Log{}, enter: make(chan struct{}), leave: make(chan struct{})}
	o := web.Options{
		Title: "Things", Version: "1.2.3", MaxBody: 4096, MaxInFlight: 2,
		Failure: refuse,
		Open:    []string{"/v1/health"},
		Logger:  w.log.Logger(),
	}
	if change != nil {
		change(&o)
	}
	s := running(o)
	w.server = s

	s.API.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
		if len(ctx.Operation().Security) > 0 && ctx.Header("Authorization") == "" {
			web.WriteError(ctx, web.Refuse(401, "", failure{401, "no token"}, http.Header{"Www-Authenticate": {"Bearer"}}))
			return
		}
		next(ctx)
	})
	bearer := []map[string][]string{{"bearer": {}}}

	huma.Register(s.API, huma.Operation{OperationID: "createThing", Method: "POST", Path: "/v1/things", DefaultStatus: 201,
		Security: bearer, Tags: []string{"things"}},
		func(_ context.Context, in *struct {
			Key  string `header:"Idempotency-Key" maxLength:"20"`
			Body thing
		}) (*reply, error) {
			return &reply{Location: "/v1/things/1", ETag: `"1"`, Body: in.Body}, nil
		})
	huma.Register(s.API, huma.Operation{OperationID: "cancelThing", Method: "POST", Path: "/v1/things/{id}/cancel"},
		func(_ context.Context, in *struct {
			ID   string `path:"id"`
			Body *struct {
				Reason string `json:"reason,omitempty"`
			}
		}) (*struct{ Body map[string]any }, error) {
			return &struct{ Body map[string]any }{map[string]any{"id": in.ID, "given": in.Body != nil}}, nil
		})
	huma.Register(s.API, huma.Operation{OperationID: "listThings", Method: "GET", Path: "/v1/things",
		Parameters: []*huma.Param{web.Family("labels", "label.", "By label")}},
		func(_ context.Context, in *struct {
			Limit  int      `query:"limit" minimum:"1" maximum:"200" default:"50"`
			Status []string `query:"status,explode" enum:"open,done"`
			Kind   []string `query:"kind"`
			Sort   string   `query:"sort"`
			labelled
		}) (*struct{ Body map[string]any }, error) {
			return &struct{ Body map[string]any }{map[string]any{"limit": in.Limit, "status": in.Status, "labels": in.labels}}, nil
		})
	huma.Register(s.API, huma.Operation{OperationID: "readThing", Method: "GET", Path: "/v1/things/{id}"},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Sort string `query:"sort" enum:"a"`
		}) (*struct{ Body map[string]string }, error) {
			return &struct{ Body map[string]string }{map[string]string{"id": in.ID, "request": web.RequestID(ctx)}}, nil
		})
	type rawReply struct {
		Status   int
		Replayed string `header:"Idempotency-Replayed"`
		Body     json.RawMessage
	}
	huma.Register(s.API, huma.Operation{OperationID: "replay", Method: "POST", Path: "/v1/replay"},
		func(context.Context, *struct{}) (*rawReply, error) {
			return &rawReply{201, "true", json.RawMessage(`{ "a" : "<1.0>" }`)}, nil
		})
	huma.Register(s.API, huma.Operation{OperationID: "bytes", Method: "POST", Path: "/v1/bytes"},
		func(context.Context, *struct{}) (*struct{ Body []byte }, error) {
			return &struct{ Body []byte }{[]byte(`{ "b": 1 }`)}, nil
		})
	huma.Register(s.API, huma.Operation{OperationID: "fail", Method: "GET", Path: "/v1/fail/{how}"},
		func(ctx context.Context, in *struct {
			How string `path:"how"`
		}) (*struct{ Body any }, error) {
			switch in.How {
			case "error":
				return nil, errPassword
			case "wrapped":
				return nil, errors.Join(errors.New("hunter2"), web.Refuse(409, "", failure{409, "thing 1 is done"}, http.Header{"Retry-After": {"7"}}))
			case "huma":
				return nil, huma.Error404NotFound("hunter2")
			case "teapot":
				return nil, teapot{}
			case "unprocessable":
				return nil, web.Unprocessable(web.Detail{Type: "policy_invalid", Loc: []any{"body", "stages", 0}, Msg: "no"})
			case "panic":
				panic("hunter2")
			case "encode":
				return &struct{ Body any }{func() {}}, nil
			}
			return nil, nil
		})
	huma.Register(s.API, huma.Operation{OperationID: "slow", Method: "GET", Path: "/v1/slow"},
		func(context.Context, *struct{}) (*struct{ Body string }, error) {
			w.enter <- struct{}{}
			<-w.leave
			return &struct{ Body string }{"done"}, nil
		})
	huma.Register(s.API, huma.Operation{OperationID: "health", Method: "GET", Path: "/v1/health"},
		func(context.Context, *struct{}) (*struct{ Body string }, error) {
			return &struct{ Body string }{"UP"}, nil
		})
	s.ServeDocuments()
	ts := httptest.NewUnstartedServer(nil)
	ts.Config = web.HTTPServer("", s)
	ts.Start()
	t.Cleanup(ts.Close)
	w.url = ts.URL
	return w
}

type response struct {
	status int
	header http.Header
	body   string
}

// do sends a request. Headers are pairs; an empty body is no body.
func (w *service) do(method, path, body string, headers ...string) response {
	w.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url, r)
	if err != nil {
		w.t.Fatal(err)
	}
	req.URL.Opaque = path // sent as it is
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	return w.send(req)
}

func (w *service) send(req *http.Request) response {
	w.t.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, string(b)}
}

// create posts a thing with a token and the usual media type.
func (w *service) create(body string, headers ...string) response {
	w.t.Helper()
	return w.do("POST", "/v1/things", body, append([]string{"Authorization", "Bearer x", "Content-Type", "application/json"}, headers...)...)
}

func (w *service) want(r response, status int, body string) {
	w.t.Helper()
	if r.status != status || body != "" && r.body != body {
		w.t.Errorf("got  %d %s\nwant %d %s", r.status, r.body, status, body)
	}
	if r.header.Get("Content-Type") != "application/json" || !json.Valid([]byte(r.body)) {
		w.t.Errorf("%s is not JSON: %s", r.header.Get("Content-Type"), r.body)
	}
}

func TestAReplyCarriesItsHeadersAndBody(t *testing.T) {
	w := start(t, nil)
	r := w.create(`{"policy_key":"a.b","labels":{"x.y":1},"context":{"n": 9007199254740993}}`)
	w.want(r, 201, `{"policy_key":"a.b","labels":{"x.y":1},"context":{"n":9007199254740993}}`)
	if r.header.Get("Location") != "/v1/things/1" || r.header.Get("ETag") != `"1"` {
		t.Errorf("headers: %v", r.header)
	}

	r = w.do("POST", "/v1/replay", "")
	w.want(r, 201, `{ "a" : "<1.0>" }`)
	if r.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("headers: %v", r.header)
	}
	w.want(w.do("POST", "/v1/bytes", ""), 200, `{ "b": 1 }`)
	w.want(w.do("GET", "/v1/things/%C3%84-1", "", "X-Request-Id", "r"), 200, `{"id":"Ä-1","request":"r"}`)
}

func TestOneFindingInTheBody(t *testing.T) {
	w := start(t, nil)
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	tests := map[string]struct{ body, want string }{
		"empty":       {"", `{"type":"missing","loc":["body"],"msg":"Field required"}`},
		"null":        {`null`, `{"type":"dict_type","loc":["body"],"msg":"Input should be a valid object"}`},
		"a list":      {`[]`, `{"type":"dict_type","loc":["body"],"msg":"Input should be a valid object"}`},
		"a string":    {`"x"`, `{"type":"dict_type","loc":["body"],"msg":"Input should be a valid object"}`},
		"a number":    {`1`, `{"type":"dict_type","loc":["body"],"msg":"Input should be a valid object"}`},
		"white space": {`  `, `{"type":"json_invalid","loc":["body",2],"msg":"JSON is not valid: the document is empty"}`},
		"malformed": {`{"policy_key":NaN}`,
			`{"type":"json_invalid","loc":["body",14],"msg":"JSON is not valid: invalid character 'N' at start of value"}`},
		"a byte order mark": {"\ufeff{}",
			`{"type":"json_invalid","loc":["body",0],"msg":"JSON is not valid: invalid character '\\ufeff' at start of value"}`},
		"a NUL": {`{"policy_key":"\u0000"}`, `{"type":"json_invalid","loc":["body",22],"msg":"JSON is not valid: U+0000 in a string"}`},
		"too deep": {`{"policy_key":"a","context":` + deep + `}`,
			`{"type":"json_invalid","loc":["body",91],"msg":"JSON is not valid: nested deeper than 64 levels"}`},
		"a duplicate": {`{"policy_key":"a","stages":[{"key":"a","key":"b"}]}`,
			`{"type":"json_duplicate_key","loc":["body","stages",0,"key"],"msg":"Member is given twice"}`},
		"an escaped copy": {`{"policy_key":"a","\u0070olicy_key":"b"}`,
			`{"type":"json_duplicate_key","loc":["body","policy_key"],"msg":"Member is given twice"}`},
		"missing": {`{}`, `{"type":"missing","loc":["body","policy_key"],"msg":"Field required"}`},
		"a nested missing": {`{"policy_key":"a","stages":[{"key":"a"}]}`,
			`{"type":"missing","loc":["body","stages",0,"approvers"],"msg":"Field required"}`},
		"a near miss": {`{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"aprovers":["s3cret"]}]}`,
			`{"type":"extra_forbidden","loc":["body","stages",0,"aprovers"],"msg":"Extra inputs are not permitted; did you mean 'approvers'?"}`},
		"an unknown member": {`{"policy_key":"a","zzz":1}`, `{"type":"extra_forbidden","loc":["body","zzz"],"msg":"Extra inputs are not permitted"}`},
		"a dotted member": {`{"policy_key":"a","a.b[0]":{"c":1}}`,
			`{"type":"extra_forbidden","loc":["body","a.b[0]"],"msg":"Extra inputs are not permitted"}`},
		"an empty name": {`{"policy_key":"a","":1}`, `{"type":"extra_forbidden","loc":["body",""],"msg":"Extra inputs are not permitted"}`},
		"a dotted label": {`{"policy_key":"a","labels":{"ok.1":1,"a.b[0]":"s3cret"}}`,
			`{"type":"int_type","loc":["body","labels","a.b[0]"],"msg":"Input should be a valid integer"}`},
		"a string as integer": {`{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"quorum":{"mode":"all","value":"s3cret"}}]}`, `{"type":"int_type","loc":["body","stages",0,"quorum","value"],"msg":"Input should be a valid integer"}`},
		"a list as integer":   {`{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"quorum":{"mode":"all","value":[]}}]}`, `{"type":"int_type","loc":["body","stages",0,"quorum","value"],"msg":"Input should be a valid integer"}`},
		"1.5": {`{"policy_key":"a","labels":{"x":1.5}}`,
			`{"type":"int_type","loc":["body","labels","x"],"msg":"Input should be a valid integer"}`},
		"1e2": {`{"policy_key":"a","labels":{"w":1,"x.y":1e2,"z":1}}`,
			`{"type":"int_parsing","loc":["body","labels","x.y"],"msg":"Input should be a valid integer"}`},
		"1.0": {`{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"quorum":{"mode":"all","value":1.0}}]}`,
			`{"type":"int_parsing","loc":["body","stages",0,"quorum","value"],"msg":"Input should be a valid integer"}`},
		"2^66": {`{"policy_key":"a","labels":{"x":99999999999999999999}}`,
			`{"type":"int_parsing","loc":["body","labels","x"],"msg":"Input should be a valid integer"}`},
		"too small": {`{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"quorum":{"mode":"all","value":-1}}]}`,
			`{"type":"greater_than_equal","loc":["body","stages",0,"quorum","value"],"msg":"Input should be greater than or equal to 1"}`},
		"too large": {`{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"quorum":{"mode":"all","value":101}}]}`,
			`{"type":"less_than_equal","loc":["body","stages",0,"quorum","value"],"msg":"Input should be less than or equal to 100"}`},
		"not in the list": {`{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"quorum":{"mode":"s3cret"}}]}`,
			`{"type":"enum","loc":["body","stages",0,"quorum","mode"],"msg":"Input should be one of all, any, count"}`},
		"not the pattern": {`{"policy_key":"a","stages":[{"key":"A","approvers":["x"]}]}`,
			`{"type":"string_pattern_mismatch","loc":["body","stages",0,"key"],"msg":"String should match pattern ^[a-z]+$"}`},
		"too long": {`{"policy_key":"a","stages":[{"key":"abcdefghi","approvers":["x"]}]}`,
			`{"type":"string_too_long","loc":["body","stages",0,"key"],"msg":"String should have at most 8 characters"}`},
		"too short": {`{"policy_key":""}`,
			`{"type":"string_too_short","loc":["body","policy_key"],"msg":"String should have at least 1 characters"}`},
		"too few items": {`{"policy_key":"a","stages":[{"key":"a","approvers":[]}]}`,
			`{"type":"too_short","loc":["body","stages",0,"approvers"],"msg":"List should have at least 1 items"}`},
		"a null list": {`{"policy_key":"a","stages":[{"key":"a","approvers":null}]}`,
			`{"type":"list_type","loc":["body","stages",0,"approvers"],"msg":"Input should be a valid list"}`},
		"a null":        {`{"policy_key":null}`, `{"type":"string_type","loc":["body","policy_key"],"msg":"Input should be a valid string"}`},
		"not a boolean": {`{"policy_key":"a","live":"true"}`, `{"type":"bool_type","loc":["body","live"],"msg":"Input should be a valid boolean"}`},
		"not a time": {`{"policy_key":"a","due":"2026-02-30T00:00:00Z"}`,
			`{"type":"datetime_parsing","loc":["body","due"],"msg":"Input should be a valid RFC 3339 date and time"}`},
		"not a UUID": {`{"policy_key":"a","ref":"s3cret"}`, `{"type":"uuid_parsing","loc":["body","ref"],"msg":"Input should be a valid UUID"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w.t = t
			r := w.create(tt.body)
			w.want(r, 422, `{"detail":[`+tt.want+`]}`)
		})
	}
	w.t = t
	w.want(w.create(`{"POLICY_KEY":"a"}`), 422, `{"detail":[{"type":"missing","loc":["body","policy_key"],"msg":"Field required"},`+
		`{"type":"extra_forbidden","loc":["body","POLICY_KEY"],"msg":"Extra inputs are not permitted; did you mean 'policy_key'?"}]}`)
	w.want(w.create(`{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"quorum":{"mode":"all","value":-0}}]}`), 422, "")
	w.want(w.create(`{"policy_key":"a","labels":{"x":-0}}`), 201, "")
}

func TestFindingsComeInDocumentOrder(t *testing.T) {
	w := start(t, nil)
	r := w.create(`{"zz":1,"stages":[{"key":"A","approvers":["x"],"b.c":1}],"live":0,"aa":2,"policy_key":"a"}`)
	var got struct{ Detail []web.Detail }
	if err := json.Unmarshal([]byte(r.body), &got); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, d := range got.Detail {
		order = append(order, d.Loc[len(d.Loc)-1].(string))
	}
	if s := strings.Join(order, " "); s != "zz key b.c live aa" {
		t.Errorf("order is %s: %s", s, r.body)
	}
}

func TestParametersAreChecked(t *testing.T) {
	w := start(t, nil)
	w.want(w.do("GET", "/v1/things?status=open&status=done&limit=5&label.team=a", ""), 200, `{"labels":{"team":"a"},"limit":5,"status":["open","done"]}`)
	tests := map[string]struct{ query, want string }{
		"unknown": {"sort=a&x%5B%24ne%5D=", `{"type":"extra_forbidden","loc":["query","x[$ne]"],"msg":"Extra inputs are not permitted"}`},
		"a near miss": {"limt=1",
			`{"type":"extra_forbidden","loc":["query","limt"],"msg":"Extra inputs are not permitted; did you mean 'limit'?"}`},
		"repeated":            {"limit=1&limit=2", `{"type":"value_error","loc":["query","limit"],"msg":"Parameter should be given once"}`},
		"not an integer":      {"limit=s3cret", `{"type":"int_parsing","loc":["query","limit"],"msg":"Input should be a valid integer"}`},
		"out of range":        {"limit=201", `{"type":"less_than_equal","loc":["query","limit"],"msg":"Input should be less than or equal to 200"}`},
		"not in the list":     {"status=open&status=s3cret", `{"type":"enum","loc":["query","status",1],"msg":"Input should be one of open, done"}`},
		"refused by resolve":  {"label.x=bad", `{"type":"value_error","loc":["query","label.x"],"msg":"Label is bad"}`},
		"empty":               {"limit=", `{"type":"string_too_short","loc":["query","limit"],"msg":"Parameter should not be empty"}`},
		"without a value":     {"sort", `{"type":"string_too_short","loc":["query","sort"],"msg":"Parameter should not be empty"}`},
		"empty in a list":     {"kind=a,,b", `{"type":"string_too_short","loc":["query","kind"],"msg":"Parameter should not be empty"}`},
		"empty among several": {"status=open&status=", `{"type":"string_too_short","loc":["query","status"],"msg":"Parameter should not be empty"}`},
		"malformed":           {"sort=%zz", `{"type":"value_error","loc":["query"],"msg":"Query string is malformed"}`},
		"semicolons":          {"limit=1;limit=2", `{"type":"value_error","loc":["query"],"msg":"Query string is malformed"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w.t = t
			w.want(w.do("GET", "/v1/things?"+tt.query, ""), 422, `{"detail":[`+tt.want+`]}`)
		})
	}
	w.t = t
	const good = `{"policy_key":"a"}`
	w.want(w.create(good, "Idempotency-Key", "k1"), 201, "")
	w.want(w.create(good, "Idempotency-Key", "k1", "Idempotency-Key", "k1"), 422,
		`{"detail":[{"type":"value_error","loc":["header","Idempotency-Key"],"msg":"Header should be given once"}]}`)
	w.want(w.create(good, "Idempotency-Key", " "), 422,
		`{"detail":[{"type":"string_too_short","loc":["header","Idempotency-Key"],"msg":"Header should not be empty"}]}`)
	w.want(w.create(good, "Idempotency-Key", strings.Repeat("k", 21)), 422,
		`{"detail":[{"type":"string_too_long","loc":["header","Idempotency-Key"],"msg":"String should have at most 20 characters"}]}`)
}

func TestMediaTypes(t *testing.T) {
	w := start(t, nil)
	const body = `{"policy_key":"a"}`
	for name, tt := range map[string]struct {
		status  int
		headers []string
	}{
		"absent":          {415, nil},
		"plain":           {201, []string{"Content-Type", "application/json"}},
		"with charset":    {201, []string{"Content-Type", "Application/JSON; charset=UTF-8"}},
		"text":            {415, []string{"Content-Type", "text/plain"}},
		"a form":          {415, []string{"Content-Type", "application/x-www-form-urlencoded"}},
		"multipart":       {415, []string{"Content-Type", "multipart/form-data; boundary=x"}},
		"XML":             {415, []string{"Content-Type", "application/xml"}},
		"UTF-16":          {415, []string{"Content-Type", "application/json; charset=utf-16"}},
		"a longer name":   {415, []string{"Content-Type", "application/jsonx"}},
		"a suffix":        {415, []string{"Content-Type", "application/merge-patch+json"}},
		"malformed":       {415, []string{"Content-Type", "application/json; charset"}},
		"twice":           {415, []string{"Content-Type", "application/json", "Content-Type", "application/json"}},
		"gzip":            {415, []string{"Content-Type", "application/json", "Content-Encoding", "gzip"}},
		"identity coding": {415, []string{"Content-Type", "application/json", "Content-Encoding", "identity"}},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			w.want(w.do("POST", "/v1/things", body, append([]string{"Authorization", "Bearer x"}, tt.headers...)...), tt.status, "")
		})
	}
	w.t = t
	w.want(w.do("POST", "/v1/things", body, "Content-Type", "text/plain"), 401, `{"status":401,"message":"no token"}`)
	r := w.do("POST", "/v1/things?zzz=1", "{")
	w.want(r, 401, "")
	if r.header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("headers: %v", r.header)
	}
}

func TestAnOptionalBodyMayBeAbsentButNotNull(t *testing.T) {
	w := start(t, nil)
	const path = "/v1/things/7/cancel"
	w.want(w.do("POST", path, ""), 200, `{"given":false,"id":"7"}`)
	w.want(w.do("POST", path, "", "Content-Type", "application/json"), 200, `{"given":false,"id":"7"}`)
	w.want(w.do("POST", path, "{}", "Content-Type", "application/json"), 200, `{"given":true,"id":"7"}`)
	w.want(w.do("POST", path, "null", "Content-Type", "application/json"), 422, "")
	w.want(w.do("POST", path, "{}"), 415, "")
	w.want(w.do("POST", path, `{"reson":"x"}`, "Content-Type", "application/json"), 422, "")
}

func TestBodiesAreLimited(t *testing.T) {
	w := start(t, nil)
	sized := func(n int) string {
		const frame = `{"policy_key":""}`
		return frame[:len(frame)-2] + strings.Repeat("x", n-len(frame)) + frame[len(frame)-2:]
	}
	w.want(w.create(sized(4096)), 201, "")
	w.want(w.create(sized(4097)), 413, `{"status":413,"message":"the body is too large"}`)
	for n, status := range map[int]int{4096: 201, 4097: 413} {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", w.url+"/v1/things", io.MultiReader(strings.NewReader(sized(n)))) // chunked
		req.Header.Set("Authorization", "x")
		req.Header.Set("Content-Type", "application/json")
		w.want(w.send(req), status, "")
	}
}

func TestUnknownMembersMayBeOpen(t *testing.T) {
	w := start(t, func(o *web.Options) { o.OpenUnknownMembers = true })
	w.want(w.create(`{"policy_key":"a","zzz":{"Policy_Key":1},"context":{"A":1,"a":2}}`), 201, `{"policy_key":"a","context":{"A":1,"a":2}}`)
	w.want(w.create(`{"policy_key":"a","Policy_Key":"b"}`), 201, `{"policy_key":"a"}`)
	w.want(w.create(`{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"quorum":{"mode":"any","MODE":"all"}}]}`),
		201, `{"policy_key":"a","stages":[{"key":"a","approvers":["x"],"quorum":{"mode":"any"}}]}`)
	w.want(w.create(`{"POLICY_KEY":"a"}`), 422, "") // which is as missing
}

func TestHandlerErrors(t *testing.T) {
	w := start(t, nil)
	for how, tt := range map[string]struct {
		status int
		body   string
		logged bool
	}{
		"error":         {500, `{"status":500,"message":"internal error"}`, true},
		"huma":          {500, `{"status":500,"message":"internal error"}`, true},
		"teapot":        {500, `{"status":500,"message":"internal error"}`, true},
		"panic":         {500, `{"status":500,"message":"internal error"}`, true},
		"encode":        {500, `{"status":500,"message":"internal error"}`, true},
		"wrapped":       {409, `{"status":409,"message":"thing 1 is done"}`, false},
		"unprocessable": {422, `{"detail":[{"type":"policy_invalid","loc":["body","stages",0],"msg":"no"}]}`, false},
	} {
		t.Run(how, func(t *testing.T) {
			w.t = t
			id := "id-" + how
			r := w.do("GET", "/v1/fail/"+how, "", "X-Request-Id", id)
			w.want(r, tt.status, tt.body)
			errorLines := 0
			for line := range strings.Lines(w.log.String()) {
				if strings.Contains(line, `"level":"ERROR"`) && strings.Contains(line, `"call_id":"`+id+`"`) {
					errorLines++
				}
			}
			if want := map[bool]int{true: 1}[tt.logged]; errorLines != want {
				t.Errorf("%d error lines, want %d:\n%s", errorLines, want, w.log)
			}
			if how == "wrapped" && r.header.Get("Retry-After") != "7" {
				t.Errorf("headers: %v", r.header)
			}
		})
	}
}
