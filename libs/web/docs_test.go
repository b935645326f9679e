package web_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
)

func TestFrontPageLinksDocumentsAndPublicRoutes(t *testing.T) {
	w := start(t, func(o *web.Options) { o.Title = "<Things>" })
	r := w.do("GET", "/", "")
	if r.status != 200 || r.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("page: %d %v", r.status, r.header)
	}
	if policy := r.header.Get("Content-Security-Policy"); policy != "default-src 'none'; frame-ancestors 'none'" {
		t.Errorf("policy: %s", policy)
	}
	for _, link := range []string{`"docs"`, `"openapi.json"`, `"openapi.yaml"`, `"./v1/health"`} {
		if !strings.Contains(r.body, "<a href="+link+">") {
			t.Errorf("no link to %s", link)
		}
	}
	for _, wrong := range []string{"{id}", "<Things>"} {
		if strings.Contains(r.body, wrong) {
			t.Errorf("the page holds %s", wrong)
		}
	}
	w.want(w.do("POST", "/", ""), 405, "")
}

func TestFrontPageOmitsProtectedRoutes(t *testing.T) {
	w := &service{t: t, server: running(web.Options{Failure: refuse})}
	for path, needs := range map[string][]map[string][]string{"/open": nil, "/closed": {{"bearer": {}}}} {
		huma.Register(w.server.API, huma.Operation{OperationID: path[1:], Method: "GET", Path: path, Security: needs},
			func(context.Context, *struct{}) (*struct{ Body string }, error) { return nil, nil })
	}
	if err := w.server.ServeDocuments(); err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r := &recorder{header: http.Header{}}
	w.server.ServeHTTP(r, req)
	if page := r.String(); !strings.Contains(page, "/open<") || strings.Contains(page, "/closed") {
		t.Errorf("page: %s", page)
	}
}

// The page runs its own script and style, and calls only its own service.
func TestThePageNeedsNoOtherHost(t *testing.T) {
	w := start(t, nil)
	page := w.do("GET", "/docs", "")
	if found := regexp.MustCompile(`[a-z]+://|src=|@import|url\(|"//`).FindString(page.body); found != "" {
		t.Errorf("the page holds %s", found)
	}
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page.body, -1) {
		if !strings.HasPrefix(link[1], "#") && w.do("GET", "/"+link[1], "").status != 200 {
			t.Errorf("the page links to %s", link[1])
		}
	}
	for _, way := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "localStorage", "sessionStorage", "cookie"} {
		if strings.Contains(page.body, way) {
			t.Errorf("the page uses %s", way)
		}
	}
	policy := regexp.MustCompile(`'sha256-[^']*'`).ReplaceAllString(page.header.Get("Content-Security-Policy"), "HASH")
	if want := "default-src 'none'; style-src HASH; script-src HASH; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"; policy != want {
		t.Errorf("policy: %s", policy)
	}
}

// A browser runs what stands between the tags if it has the hash of the policy.
func TestThePolicyHasTheHashesOfThePage(t *testing.T) {
	w := start(t, nil)
	page := w.do("GET", "/docs", "")
	for _, tag := range []string{"style", "script"} {
		_, rest, _ := strings.Cut(page.body, "<"+tag+">")
		text, _, closed := strings.Cut(rest, "</"+tag+">")
		sum := sha256.Sum256([]byte(text))
		if hash := base64.StdEncoding.EncodeToString(sum[:]); !closed || !strings.Contains(page.header.Get("Content-Security-Policy"), tag+"-src 'sha256-"+hash+"'") {
			t.Errorf("the policy has not the hash %s of the %s", hash, tag)
		}
	}
}
