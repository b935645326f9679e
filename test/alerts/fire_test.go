package alerts

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// day is what Prometheus has read in some hours: the value of each series at a minute.
type day map[string]func(minute float64) float64

const (
	hours = 6
	step  = 0.5 // minutes between two scrapes
)

func is(v float64) func(float64) float64 { return func(float64) float64 { return v } }

// grows counts so many a second.
func grows(perSecond float64) func(float64) float64 {
	return func(minute float64) float64 { return perSecond * 60 * minute }
}

// bounded returns a value from a minute to another one, and zero else.
func bounded(from, to, v float64) func(float64) float64 {
	return func(minute float64) float64 {
		if minute < from || minute >= to {
			return 0
		}
		return v
	}
}

// failing counts one a second from a minute on: a fault that lasts until the end of the day.
func failing(from float64) func(float64) float64 {
	return func(minute float64) float64 { return max(0, 60*(minute-from)) }
}

// restarting is a value of the worker process, which is away for the first minute of each hour.
func restarting(v float64) func(float64) float64 {
	return func(minute float64) float64 {
		if math.Mod(minute, 60) < 1 {
			return math.NaN() // stale
		}
		return v
	}
}

// age is the time since the second 0.
func age(minute float64) float64 { return 60 * minute }

// cases lists for each alert when it fires and when it does not. Cases of both services use the
// names of wf.
var cases = map[string]struct{ fires, quiet day }{
	"WfDown": {day{`up{job="wf",instance="a"}`: bounded(0, 60, 1)}, day{`up{job="wf",instance="a"}`: is(1), `up{job="other"}`: is(0)}},
	"WfNotReady": {day{`wf_ready{instance="a"}`: bounded(10, 60, 1)},
		day{`wf_ready{instance="a"}`: func(m float64) float64 { return min(1, m) }}}, // a start
	"WfFails": {
		day{`wf_http_requests_total{job="wf",status="200"}`: grows(9), `wf_http_requests_total{job="wf",status="503"}`: grows(1)},
		day{`wf_http_requests_total{job="wf",status="200"}`: grows(99.5),
			`wf_http_requests_total{job="wf",status="503"}`: grows(.5),
			`wf_http_requests_total{job="wf",status="404"}`: grows(50)},
	},
	"WfSlow": {
		day{`wf_http_request_duration_seconds_bucket{job="wf",route="x",le="1"}`: grows(9),
			`wf_http_request_duration_seconds_bucket{job="wf",route="x",le="2.5"}`:  grows(10),
			`wf_http_request_duration_seconds_bucket{job="wf",route="x",le="+Inf"}`: grows(10)},
		day{`wf_http_request_duration_seconds_bucket{job="wf",route="x",le="1"}`: grows(10),
			`wf_http_request_duration_seconds_bucket{job="wf",route="x",le="+Inf"}`: grows(10)},
	},
	"WfRefuses": {day{`wf_http_limited_total{job="wf",limit="rate"}`: grows(2)}, day{`wf_http_limited_total{job="wf",limit="rate"}`: grows(.5)}},
	"WfDatabaseAway": {day{`wf_db_errors_total{kind="unavailable"}`: failing(hours*60 - 4)},
		day{`wf_db_errors_total{kind="unavailable"}`: bounded(60, 360, 1), `wf_db_errors_total{kind="unique"}`: grows(5)}},
	"WfTakesNoWrites": {day{`wf_database_takes_writes`: bounded(0, 60, 1)}, day{`wf_database_takes_writes`: is(1)}},
	"WfDatabaseErrors": {day{`wf_db_errors_total{kind="other"}`: grows(1)},
		day{`wf_db_errors_total{kind="unique"}`: grows(1), `wf_db_errors_total{kind="conflict"}`: grows(1)}},
	"WfPoolFull": {
		day{`go_sql_in_use_connections{db_name="wf"}`: is(19), `go_sql_max_open_connections{db_name="wf"}`: is(20)},
		day{`go_sql_in_use_connections{db_name="wf"}`: is(10), `go_sql_max_open_connections{db_name="wf"}`: is(20)},
	},
	"WfJobFails": {
		day{`wf_loop_failures_total{loop="expiry"}`: grows(1), `wf_loop_last_success_timestamp_seconds{loop="expiry"}`: is(60)},
		day{`wf_loop_failures_total{loop="expiry"}`: grows(1), `wf_loop_last_success_timestamp_seconds{loop="expiry"}`: age,
			`wf_loop_failures_total{loop="rare"}`: is(0), `wf_loop_last_success_timestamp_seconds{loop="rare"}`: is(60)},
	},
	"WfKeysOld":       {day{`wf_jwks_age_seconds`: age}, day{`wf_jwks_age_seconds`: is(300)}},
	"WfClockOff":      {day{`wf_clock_skew_seconds`: is(-6)}, day{`wf_clock_skew_seconds`: is(2)}},
	"WfUnchecked":     {day{`wf_ready`: is(1)}, day{`wf_stuck_requests`: is(0)}},
	"WfStuckRequests": {day{`wf_stuck_requests`: is(1)}, day{`wf_stuck_requests`: is(0)}},
	"WfBlockedRequests": {day{`wf_requests_open{status="blocked"}`: restarting(1)},
		day{`wf_requests_open{status="blocked"}`: bounded(0, 180, 1), `wf_requests_open{status="in_review"}`: is(9)}},
	"WfDeadlinesLate": {day{`wf_deadline_lag_seconds`: restarting(61)},
		day{`wf_deadline_lag_seconds`: bounded(5, 8, 300), `wf_tasks_overdue{policy="p"}`: is(9)}},
	"WfExpiryLate":      {day{`wf_expiry_lag_seconds`: restarting(61)}, day{`wf_expiry_lag_seconds`: is(59)}},
	"WfLapsesLate":      {day{`wf_lapse_lag_seconds`: restarting(61)}, day{`wf_lapse_lag_seconds`: is(59)}},
	"WfAuditInvalid":    {day{`wf_audit_invalid`: bounded(60, 61, 1)}, day{`wf_audit_invalid`: is(0)}},
	"WfCheckpointsLate": {day{`wf_checkpoint_lag_seconds`: restarting(61)}, day{`wf_checkpoint_lag_seconds`: is(59)}},
	"WfWebhooksLate": {
		day{`wf_webhook_backlog_seconds{endpoint="billing",cause="unsent"}`: restarting(61)},
		day{`wf_webhook_backlog_seconds{endpoint="billing",cause="unsent"}`: bounded(10, 12, 100),
			`wf_webhook_backlog_seconds{endpoint="a",cause="slow"}`:    is(900), // a receiver that takes 8 s per answer
			`wf_webhook_backlog_seconds{endpoint="b",cause="failing"}`: is(900), `wf_webhook_backlog_seconds{endpoint="c",cause="paused"}`: is(900)},
	},
	"WfEndpointSlow": {
		day{`wf_webhook_backlog_seconds{endpoint="billing",cause="slow"}`: restarting(61)},
		day{`wf_webhook_backlog_seconds{endpoint="billing",cause="slow"}`: is(50), `wf_webhook_backlog_seconds{endpoint="a",cause="unsent"}`: is(900)},
	},
	"WfEndpointFails": {day{`wf_webhook_endpoint_failures{endpoint="billing"}`: restarting(5)},
		day{`wf_webhook_endpoint_failures{endpoint="billing"}`: is(4)}},
	"WfEndpointDisabled": {day{`wf_webhook_endpoint_disabled{endpoint="billing",reason="gone"}`: is(1)},
		day{`wf_webhook_endpoint_disabled{endpoint="billing",reason="admin"}`: is(1)}},
	"WfKeyLost": {day{`wf_webhook_endpoints_without_key`: is(1)}, day{`wf_webhook_endpoints_without_key`: is(0)}},
	"WfDeliveriesGivenUp": {day{`wf_webhook_deliveries{endpoint="billing",status="failed"}`: bounded(100, 360, 3)},
		day{`wf_webhook_deliveries{endpoint="billing",status="failed"}`: is(3)}},
	"WfMailServerDown": {day{`wf_mail_server_unavailable`: restarting(1)}, day{`wf_mail_server_unavailable`: is(0)}},
	"WfNoticesLate":    {day{`wf_notices_oldest_pending_seconds`: restarting(3601)}, day{`wf_notices_oldest_pending_seconds`: is(3500)}},
	"WfResolverFails": {
		day{`wf_resolver_duration_seconds_count{type="role",outcome="failed"}`: grows(1),
			`wf_resolver_duration_seconds_count{type="role",outcome="answered"}`: grows(4)},
		day{`wf_resolver_duration_seconds_count{type="role",outcome="refused"}`: grows(1),
			`wf_resolver_duration_seconds_count{type="role",outcome="answered"}`: grows(4)},
	},

	"RegistrarUnchecked":       {day{`registrar_ready`: is(1)}, day{`registrar_stuck_clients`: is(0)}},
	"RegistrarStuckClients":    {day{`registrar_stuck_clients`: is(1)}, day{`registrar_stuck_clients`: is(0)}},
	"RegistrarDoubtfulClients": {day{`registrar_doubtful_clients`: is(1)}, day{`registrar_doubtful_clients`: is(0)}},
	"RegistrarProviderDiffers": {day{`registrar_provider_differences{kind="different"}`: restarting(1),
		`registrar_provider_differences{kind="missing"}`: is(0)},
		day{`registrar_provider_differences{kind="different"}`: is(0)}},
	"RegistrarApprovalsAway": {
		day{`registrar_approval_calls_total{outcome="failed"}`: grows(1), `registrar_approval_calls_total{outcome="done"}`: grows(.1)},
		day{`registrar_approval_calls_total{outcome="failed"}`: grows(.1), `registrar_approval_calls_total{outcome="done"}`: grows(1)},
	},
	"RegistrarCallsLate":     {day{`registrar_provider_backlog_seconds`: restarting(301)}, day{`registrar_provider_backlog_seconds`: is(30)}},
	"RegistrarClientsFailed": {day{`registrar_clients{status="FAILED"}`: bounded(100, 360, 1)}, day{`registrar_clients{status="FAILED"}`: is(4)}},
	"RegistrarProviderAway": {
		day{`registrar_provider_duration_seconds_count{call="register",outcome="unreachable"}`: grows(1)},
		day{`registrar_provider_duration_seconds_count{call="register",outcome="unreachable"}`: grows(.1),
			`registrar_provider_duration_seconds_count{call="register",outcome="done"}`: grows(1)},
	},
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	all := rules(t)
	for name, r := range all {
		c, ok := cases[name]
		if !ok {
			same, shared := all["Wf"+name[len("Registrar"):]]
			if !shared || same.For != r.For || same.Annotations["runbook_url"] != r.Annotations["runbook_url"] {
				t.Errorf("%s has no case, and is not like the one of wf", name)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := write(t, "rule.yaml", ruleFile{[]ruleGroup{{"one", []rule{r}}}})
			// promtool reports what differs: the number of series that have fired.
			promtool(t, dir, "test", "rules", write(t, "test.yaml", map[string]any{
				"rule_files": []string{file}, "evaluation_interval": "30s",
				"tests": []any{c.fires.expect(name, 1), c.quiet.expect(name, 0)},
			}))
		})
	}
	for name := range cases {
		if _, ok := all[name]; !ok {
			t.Errorf("there is no alert %s", name)
		}
	}
}

// expect returns the test of promtool that the alert has fired in the hours, 1, or has not, 0.
func (d day) expect(alert string, fired int) map[string]any {
	var series []any
	for text, valueAt := range d {
		var values []string
		for minute := 0.0; minute <= hours*60; minute += step {
			value := strconv.FormatFloat(valueAt(minute), 'f', -1, 64)
			values = append(values, strings.Replace(value, "NaN", "stale", 1))
		}
		series = append(series, map[string]any{"series": text, "values": strings.Join(values, " ")})
	}
	return map[string]any{
		"name": fmt.Sprint(alert, " fires: ", fired), "interval": "30s", "input_series": series,
		"promql_expr_test": []any{map[string]any{
			"expr":        fmt.Sprintf(`count(max_over_time(ALERTS{alertname=%q,alertstate="firing"}[%dh])) > bool 0 or vector(0)`, alert, hours),
			"eval_time":   fmt.Sprintf("%dh", hours),
			"exp_samples": []any{map[string]any{"labels": "{}", "value": fired}},
		}},
	}
}

// promtool runs a command of promtool, from the distribution or .cache; without it the test is skipped.
func promtool(t *testing.T, dir string, args ...string) {
	t.Helper()
	program, err := exec.LookPath("promtool")
	if err != nil {
		if program, err = filepath.Abs(filepath.Join(root, ".cache/promtool/usr/bin/promtool")); err == nil {
			_, err = os.Stat(program)
		}
	}
	if err != nil {
		t.Skip("promtool is not installed; make test downloads the one of Debian where it can")
	}
	check := exec.CommandContext(t.Context(), program, args...)
	check.Dir = dir
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool %v: %v\n%s", args, err, out)
	}
}

// write writes a YAML file into a folder of the test and returns its path.
func write(t *testing.T, name string, content any) string {
	t.Helper()
	text, err := yaml.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
