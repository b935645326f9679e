package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/countersign/countersign/libs/web"
)

func TestARequestForAnotherHostIsMisdirected(t *testing.T) {
	for name, tt := range map[string]struct {
		loopback   bool
		host, path string
		want       int
	}{
		"development by address":      {true, "127.0.0.1:8081", "/v1/things/a", 200},
		"development by name":         {true, "localhost:8081", "/v1/things/a", 200},
		"development by port forward": {true, "LOCALHOST", "/v1/things/a", 200},
		"development over IPv6":       {true, "[::1]:8081", "/v1/things/a", 200},
		"a rebound name":              {true, "evil.example:8081", "/v1/things/a", 421},
		"a name with a local prefix":  {true, "localhost.evil.example", "/v1/things/a", 421},
		"another address":             {true, "192.168.1.7:8081", "/v1/things/a", 421},
		"no host":                     {true, "", "/v1/things/a", 421},
		"the probes are not exempt":   {true, "evil.example", "/readyz", 421},
		"an API by any name":          {false, "wf.internal:8081", "/v1/things/a", 200},
		"a page at its host":          {false, "approvals.example", "/pages", 200},
		"a page behind a port":        {false, "Approvals.Example:443", "/pages", 200},
		"a page at another host":      {false, "evil.example", "/pages", 421},
		"a page that does not exist":  {false, "evil.example", "/pages/none", 421},
	} {
		w := start(t, func(o *web.Options) { o.Loopback = tt.loopback })
		if !tt.loopback {
			w.server.ServePages(web.Pages{
				Prefix: "/pages", Host: "approvals.example",
				List: []web.Page{{Method: "GET", Path: "/pages", Handle: func(w http.ResponseWriter, _ *http.Request) error {
					w.WriteHeader(http.StatusOK)
					return nil
				}}},
				Show: func(w http.ResponseWriter, _ *http.Request, status int) { w.WriteHeader(status) },
			})
		}
		r := httptest.NewRequest("GET", tt.path, nil)
		r.Host = tt.host
		reply := httptest.NewRecorder()
		w.server.ServeHTTP(reply, r)
		if reply.Code != tt.want {
			t.Errorf("%s: status %d, want %d", name, reply.Code, tt.want)
		}
	}
}

func TestHTTPSIsRequiredOfBrowsersWhereTheServiceIsPublishedOverIt(t *testing.T) {
	for _, https := range []bool{false, true} {
		w := start(t, func(o *web.Options) { o.HTTPS = https })
		if got := w.do("GET", "/v1/things/a", "").header.Get("Strict-Transport-Security"); (got != "") != https {
			t.Errorf("HTTPS %t: Strict-Transport-Security is %q", https, got)
		}
	}
}
