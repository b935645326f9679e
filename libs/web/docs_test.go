package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/web"
)

func TestTheRootLeadsToThePagesOfItsHost(t *testing.T) {
	w := start(t, nil)
	at := func(host, path string) string {
		r := httptest.NewRecorder()
		w.server.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), "GET", "http://"+host+path, nil))
		return fmt.Sprint(r.Code, " ", r.Header().Get("Location"))
	}
	if got := at("api.example", "/"); got != "302 /docs" {
		t.Errorf("without pages: %s", got)
	}
	w.want(w.do("POST", "/", ""), 405, "")
	w.server.ServePages(web.Pages{Prefix: "/inbox", Host: "pages.example", Shortcuts: map[string]string{"/console": "/inbox/console"}})
	for host, want := range map[string]string{"pages.example": "302 /inbox", "Pages.example:8080": "302 /inbox", "api.example": "302 /docs"} {
		if got := at(host, "/"); got != want {
			t.Errorf("at %s: %s, want %s", host, got, want)
		}
	}
	if got := at("pages.example", "/console"); got != "302 /inbox/console" {
		t.Errorf("shortcut: %s", got)
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
		if hash := base64.StdEncoding.EncodeToString(sum[:]); !closed ||
			!strings.Contains(page.header.Get("Content-Security-Policy"), tag+"-src 'sha256-"+hash+"'") {
			t.Errorf("the policy has not the hash %s of the %s", hash, tag)
		}
	}
}
