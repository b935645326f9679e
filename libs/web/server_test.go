package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
)

func TestOnlyThePlainSpellingOfAPathReachesAHandler(t *testing.T) {
	w := start(t, nil)
	w.want(w.do("GET", "/v1/things/a", ""), 200, "")
	for _, path := range []string{
		"/v1", "/v2/things", "/v1/things/", "/v1/things/a/", "/v1/things//", "//v1/things", "/v1//things", "/v1/things/a/b",
		"/v1/fail/a/b", "/v1/things/a%2Fb", "/v1/things/a%5cb",
		"/v1/x/../things", "/v1/./things", "/v1/things/..", "/v1/x/%2e%2e/things", "/v1/things/%2e%2e%2fa", "/v1/things/%00",
		"/v1/things/%0a", "/V1/things",
		"/v1/%74hings", "/v1/things/%61", "/v1/things/%2D", "/v1/things/%7e", "/v1/things/%5a", "/v1/things/%30", "/v1/things/%5F", "/v1/things/%2e",
	} {
		w.want(w.do("GET", path, ""), 404, `{"status":404,"message":"no such route"}`)
	}
	for _, path := range []string{"/v1/things/%40", "/v1/things/%3A", "/v1/things/%C3%A9", "/v1/things/%20", "/v1/things/%5b", "/v1/things/%7c"} {
		w.want(w.do("GET", path, ""), 200, "")
	}
	for _, method := range []string{"DELETE", "OPTIONS", "PUT", "BREW"} {
		r := w.do(method, "/v1/things", "")
		w.want(r, 405, `{"status":405,"message":"method not allowed"}`)
		if allow := r.header.Get("Allow"); allow != "GET, POST" {
			t.Errorf("%s: Allow is %q", method, allow)
		}
	}
	w.want(w.do("OPTIONS", "/v2", ""), 404, "")
	w.want(w.do("DELETE", "/v1/fail/a/b", ""), 404, "")
	w.want(w.do("POST", "/v1/things/a%2Fcancel", ""), 404, "")
	if r := w.do("HEAD", "/v1/things", ""); r.status != 405 {
		t.Errorf("HEAD: %d", r.status)
	}
}

func TestEveryReplyHasTheHeaders(t *testing.T) {
	w := start(t, nil)
	for _, r := range []response{
		w.do("GET", "/v1/health", ""),
		w.do("GET", "/v1/things/a", ""),
		w.do("GET", "/nowhere", ""),
		w.do("DELETE", "/v1/things", ""),
		w.do("POST", "/v1/things", ""),
		w.do("GET", "/v1/things?x=1", ""),
		w.do("GET", "/v1/fail/error", ""),
		w.do("GET", "/v1/fail/panic", ""),
		w.do("GET", "/openapi.json", ""),
		w.do("POST", "/v1/bytes", ""),
		w.create(strings.Repeat(" ", 5000)),
		w.create(`{}`, "Content-Type", "x"),
	} {
		for name, want := range map[string]string{
			"Cache-Control":           "no-store",
			"X-Content-Type-Options":  "nosniff",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
			"Referrer-Policy":         "no-referrer",
			"Content-Type":            "application/json",
		} {
			if got := r.header.Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("%d %s: %s is %q", r.status, r.body, name, got)
			}
		}
		if r.header.Get("X-Request-Id") == "" || r.header.Get("Strict-Transport-Security") != "" {
			t.Errorf("%d: headers %v", r.status, r.header)
		}
	}
}

func TestARequestIDIsKeptOnlyIfItIsHarmless(t *testing.T) {
	w := start(t, nil)
	for id, kept := range map[string]bool{
		"abc-123":               true,
		strings.Repeat("a", 64): true,
		strings.Repeat("a", 65): false,
		"a b":                   false,
		"a_b":                   false,
		`"x"`:                   false,
		"":                      false,
	} {
		r := w.do("GET", "/v1/things/a", "", "X-Request-Id", id)
		got := r.header.Get("X-Request-Id")
		if (got == id) != kept || !regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`).MatchString(got) {
			t.Errorf("%q became %q", id, got)
		}
		if !strings.Contains(r.body, `"request":"`+got+`"`) || !strings.Contains(w.log.String(), `"call_id":"`+got+`"`) {
			t.Errorf("handler or log has another id than %s: %s", got, r.body)
		}
	}
	r := w.do("GET", "/v1/things/a", "", "X-Request-Id", "one", "X-Request-Id", "two")
	if id := r.header.Get("X-Request-Id"); id == "one" || id == "two" {
		t.Errorf("one of two ids was kept: %s", id)
	}
	if id := web.RequestID(t.Context()); id != "" {
		t.Errorf("outside a request the id is %s", id)
	}
}

// recorder is an http.ResponseWriter inside a synctest bubble, where there is
// no network.
type recorder struct {
	strings.Builder
	header http.Header
	status int
}

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }

func TestDocuments(t *testing.T) {
	w := start(t, nil)
	var doc struct {
		OpenAPI    string
		Info       struct{ Title, Version string }
		Paths      map[string]map[string]struct{ Responses map[string]any }
		Components struct{ Schemas map[string]any }
	}
	asJSON := w.do("GET", "/openapi.json", "")
	if err := json.Unmarshal([]byte(asJSON.body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Title != "Things" || doc.Info.Version != "1.2.3" || len(doc.Paths) != 8 {
		t.Errorf("document: %+v", doc)
	}
	for name := range doc.Components.Schemas {
		if strings.HasPrefix(name, "Error") {
			t.Errorf("the document has huma's schema %s", name)
		}
	}
	create := doc.Paths["/v1/things"]["post"].Responses
	if create["422"] == nil || create["201"] == nil || len(create) != 2 {
		t.Errorf("responses: %v", create)
	}
	if doc.Components.Schemas["HTTPValidationError"] == nil || strings.Contains(asJSON.body, "$schema") {
		t.Errorf("schemas: %v", doc.Components.Schemas)
	}

	asYAML := w.do("GET", "/openapi.yaml", "")
	want, err := w.server.OpenAPI()
	if err != nil || asYAML.body != string(want) || asYAML.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("YAML differs: %v, %v", err, asYAML.header)
	}

	page := w.do("GET", "/docs", "")
	if page.status != 200 || page.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("page: %d %v", page.status, page.header)
	}
}

func TestTheServerHasLimits(t *testing.T) {
	s := web.HTTPServer("127.0.0.1:0", http.NotFoundHandler())
	if s.ReadHeaderTimeout != 5*time.Second || s.ReadTimeout != 15*time.Second || s.WriteTimeout != 30*time.Second ||
		s.IdleTimeout != 60*time.Second || s.MaxHeaderBytes != 16<<10 {
		t.Errorf("limits: %+v", s)
	}
}

// TestBrokenRequests writes bytes that no HTTP client would.
func TestBrokenRequests(t *testing.T) {
	w := start(t, nil)
	for name, tt := range map[string]struct {
		request string
		status  int
	}{
		"a body that ends early":   {"POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\nzz\r\n", 400},
		"a malformed escape":       {"GET /v1/%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		"the server as a whole":    {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 404},
		"a path with another host": {"GET http://other/v1/things/a HTTP/1.1\r\nHost: x\r\n\r\n", 200},
		"two lengths":              {"POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400},
		"chunks of another kind":   {"POST /v1/replay HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n{}", 501},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, tt.request); err != nil {
				t.Fatal(err)
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != tt.status {
				b, _ := io.ReadAll(res.Body)
				t.Errorf("%d %s", res.StatusCode, b)
			}
		})
	}
}

func TestNothingIsReadAfterABodyOfTwoLengths(t *testing.T) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(start(t, nil).url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const hidden = "GET /v1/things/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	if _, err := fmt.Fprintf(conn,
		"POST /v1/replay HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n%s", 12+len(hidden), hidden); err != nil {
		t.Fatal(err)
	}
	replies, err := io.ReadAll(conn)
	if err != nil || strings.Count(string(replies), "HTTP/1.1 ") != 1 {
		t.Errorf("replies %q, %v", replies, err)
	}
}

// A patch may come under its own media type; the document shows another schema than
// the one that it is checked against.
func TestOperationAcceptsDocumentedMediaTypesAndShowsItsSchema(t *testing.T) {
	type patch struct {
		Name string `json:"name" maxLength:"3"`
	}
	w := &service{t: t, server: running(web.Options{Failure: refuse})}
	media := &huma.MediaType{}
	huma.Register(w.server.API, huma.Operation{
		OperationID: "patch", Method: "PATCH", Path: "/thing",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": media, "application/merge-patch+json": media}},
	}, func(_ context.Context, in *struct{ Body patch }) (*struct{ Body patch }, error) {
		return &struct{ Body patch }{in.Body}, nil
	})
	w.server.Show("Patch", &huma.Schema{Type: huma.TypeObject, Description: "What is shown"})
	w.server.ServeDocuments()
	for kind, taken := range map[string]bool{
		"application/json": true, "application/merge-patch+json; charset=utf-8": true, "application/json-patch+json": false, "text/plain": false,
	} {
		for body, status := range map[string]int{`{"name":"abc"}`: 200, "\n " + `{"name":"abcd"}`: 422} {
			if !taken {
				status = 415
			}
			req, _ := http.NewRequestWithContext(t.Context(), "PATCH", "/thing", strings.NewReader(body))
			req.Header.Set("Content-Type", kind)
			r := &recorder{header: http.Header{}}
			if w.server.ServeHTTP(r, req); r.status != status {
				t.Errorf("%s of %s: %d %s, want %d", body, kind, r.status, r, status)
			}
		}
	}
	document, err := w.server.OpenAPI()
	if err != nil || !strings.Contains(string(document), "What is shown") || strings.Contains(string(document), "maxLength: 3") {
		t.Errorf("document: %v\n%s", err, document)
	}
}
