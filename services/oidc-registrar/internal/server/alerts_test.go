package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

func TestMetricsOfAlertsAndDashboardsExist(t *testing.T) {
	fails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	t.Cleanup(fails.Close)
	var c server.Config
	w := registrartest.Boot(t, registrartest.Options{Config: func(config *server.Config) {
		config.IDP, config.IDPURL = "rfc7591", fails.URL
		c = *config
	}})
	for _, endpoint := range []map[string]any{{"name": "portal", "url": fails.URL}, {"name": "archive", "url": fails.URL, "enabled": false}} {
		if r := w.Call("POST", "/v1/registrar/admin/webhooks", w.Admin(), map[string]any{"request": endpoint}); r.Status != 200 || r.Code() != "" {
			t.Fatalf("%+v", r)
		}
	}
	if r := w.Call("POST", "/v1/idp/client-mgmt/oidc-client", w.Provider(),
		registrartest.ProviderRequest("c1", registrartest.Key(t), nil)); r.Status != 503 {
		t.Fatalf("%+v", r)
	}
	if r := w.Call("GET", "/v1/partnermanager/policies", "bad", nil); r.Status != 401 {
		t.Fatalf("%+v", r)
	}
	for range 2 { // the checks of the second pass see the failures of the first
		for _, job := range w.Jobs {
			if _, err := job.Pass(t.Context()); err != nil {
				t.Fatalf("%s: %v", job.Name, err)
			}
		}
		if _, err := w.Sender.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c.Listen, c.AdminListen = "127.0.0.1:0", "127.0.0.1:0" // the metrics of a process
	address := "http://" + start(t, c).awaitLog(`"admin":"`) + "/metrics"
	var process map[string]float64
	timetest.Eventually(t, "the jobs run", func() bool {
		process = metricstest.Scrape(t, address)
		for series := range process {
			if strings.HasPrefix(series, "registrar_loop_last_success") { // the last one of a loop
				return true
			}
		}
		return false
	})
	metricstest.Exists(t, metricstest.Read(t, "../../../../deploy", "registrar", "oidc-registrar.json"), process, metricstest.Values(t, w.Metrics))
}
