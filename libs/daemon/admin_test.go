package daemon

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/metrics"
)

func TestOperatorsReadMetricsAndProfilesAndNothingElse(t *testing.T) {
	log := &logtest.Log{}
	s := Settings{Prefix: "X_", AdminListen: "127.0.0.1:0"}
	stop, err := s.serveAdmin(log.Logger(), metrics.New("x", "1"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(log.String(), `"admin":"`)
	address, _, _ := strings.Cut(rest, `"`)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/metrics":                      {200, "x_build_info"},
		"/debug/pprof/":                 {200, "goroutine"},
		"/debug/pprof/heap?debug=1":     {200, "heap profile"},
		"/debug/pprof/trace?seconds=.1": {200, ""},
		"/debug/pprof/cmdline":          {404, ""}, // it may hold a secret
		"/":                             {404, ""},
		"/metrics/":                     {404, ""},
		"/v1/wf/health":                 {404, ""},
	} {
		res, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != want.status || !strings.Contains(string(body), want.text) {
			t.Errorf("%s: %d, %v, no %q in %.200s", path, res.StatusCode, err, want.text, body)
		}
	}
	stop()
	if _, err := http.Get("http://" + address + "/metrics"); err == nil {
		t.Error("metrics are served after the stop")
	}
}

func TestAnAdminListenerThatCannotBeIsNamed(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := Settings{Prefix: "X_", AdminListen: taken.Addr().String()}
	_, err = s.serveAdmin(slog.New(slog.DiscardHandler), metrics.New("x", "1"))
	if err == nil || !strings.HasPrefix(err.Error(), "X_ADMIN_LISTEN: ") ||
		!strings.Contains(err.Error(), "address already in use") || !strings.Contains(err.Error(), "X_ADMIN_LISTEN=off") {
		t.Errorf("error = %v", err)
	}
}

func TestAnAdminListenerCanBeTurnedOff(t *testing.T) {
	for _, address := range []string{"", "off"} {
		log := &logtest.Log{}
		stop, err := (&Settings{AdminListen: address}).serveAdmin(log.Logger(), metrics.New("x", "1"))
		if err != nil || log.String() != "" {
			t.Errorf("%q: %v %s", address, err, log)
		}
		stop()
	}
}

func TestTheAddressOfTheAdminListenerIsChecked(t *testing.T) {
	for name, tt := range map[string]struct {
		s    Settings
		want string // in the problem; empty for none
	}{
		"as it is by default":        {Settings{Listen: "127.0.0.1:8080", AdminListen: "127.0.0.1:9080", Dev: true}, ""},
		"off":                        {Settings{Listen: "127.0.0.1:8080", AdminListen: "off", Dev: true}, ""},
		"everywhere":                 {Settings{Listen: "127.0.0.1:8080", AdminListen: ":9080"}, ""},
		"any port, like the service": {Settings{Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0"}, ""},
		"no address":                 {Settings{Listen: "127.0.0.1:8080", AdminListen: "yes"}, `X_ADMIN_LISTEN: "yes" is neither an address`},
		"that of the service": {Settings{Listen: "127.0.0.1:8080", AdminListen: "127.0.0.1:8080"},
			"X_ADMIN_LISTEN: 127.0.0.1:8080 is the address of X_LISTEN"},
		"everywhere in development": {Settings{Listen: "127.0.0.1:8080", AdminListen: "0.0.0.0:9080", Dev: true}, "X_ADMIN_LISTEN: development mode"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Problems{prefix: "X_"}
			tt.s.Prefix = "X_"
			tt.s.checkAdmin(p)
			if err := p.Err(); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}
