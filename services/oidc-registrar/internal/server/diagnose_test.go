package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// peer is an HTTP server with one status for every call.
func peer(t *testing.T, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/token") {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"access_token":"t","token_type":"Bearer","expires_in":60}`))
			return
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestCheckNamesTheSettingOfAFailure(t *testing.T) {
	well, down := peer(t, 200), peer(t, 503)
	approval := func(url string) []string {
		return []string{"--approval-url=" + url, "--approval-policy=p"}
	}
	for name, tt := range map[string]struct {
		flags  []string
		want   []string
		failed bool
	}{
		"no peer": {nil, []string{"configuration: ok", "database: ok, ", "issuer: ok", "identity provider: not configured (REGISTRAR_IDP_URL)",
			"approval service: not configured (REGISTRAR_APPROVAL_URL)"}, false},
		"a provider": {[]string{"--idp=rfc7591", "--idp-url=" + well + "/register"}, []string{"identity provider: ok, " + well}, false},
		"a provider down": {[]string{"--idp=rfc7591", "--idp-url=" + down + "/register"},
			[]string{"identity provider: REGISTRAR_IDP_URL: ", "status 503"}, true},
		"a token endpoint": {[]string{"--idp=esignet-2.0", "--idp-url=" + well, "--idp-token-url=" + well + "/token",
			"--idp-client-id=c", "--idp-client-secret=s"}, []string{"identity provider: ok, "}, false},
		"a token not issued": {[]string{"--idp=esignet-1.8", "--idp-url=" + well, "--idp-token-url=" + down + "/tokens",
			"--idp-client-id=c", "--idp-client-secret=s"}, []string{"identity provider: REGISTRAR_IDP_URL: "}, true},
		"an approval service":     {approval(well), []string{"approval service: ok, " + well}, false},
		"a token that wf refuses": {approval(peer(t, 401)), []string{"approval service: REGISTRAR_APPROVAL_URL: wf answered 401"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t, append(tt.flags, "--dev")...)
			start(t, c).awaitLog(`"msg":"ready`) // migrates the database
			var out strings.Builder
			err := server.Diagnose(t.Context(), c, &out)
			if (err != nil) != tt.failed {
				t.Errorf("%v\n%s", err, &out)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, &out)
				}
			}
		})
	}
}
