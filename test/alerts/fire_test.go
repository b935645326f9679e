package alerts

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// day is what Prometheus has read in some hours: the value of each series at a minute.
type day map[string]func(minute float64) float64

const (
	hours = 6
	step  = 30 * time.Second // between two scrapes
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
			return math.Float64frombits(value.StaleNaN)
		}
		return v
	}
}

// age is the time since the second 0.
func age(minute float64) float64 { return 60 * minute }

// cases lists for each alert when it fires and when it does not. Cases of both services use the
// names of wf.
var cases = map[string]struct{ fires, quiet day }{
	"WfDown":     {day{`up{job="wf",instance="a"}`: bounded(0, 60, 1)}, day{`up{job="wf",instance="a"}`: is(1), `up{job="other"}`: is(0)}},
	"WfNotReady": {day{`wf_ready{instance="a"}`: bounded(10, 60, 1)}, day{`wf_ready{instance="a"}`: func(m float64) float64 { return min(1, m) }}}, // a start
	"WfFails": {
		day{`wf_http_requests_total{job="wf",status="200"}`: grows(9), `wf_http_requests_total{job="wf",status="503"}`: grows(1)},
		day{`wf_http_requests_total{job="wf",status="200"}`: grows(99.5), `wf_http_requests_total{job="wf",status="503"}`: grows(.5), `wf_http_requests_total{job="wf",status="404"}`: grows(50)},
	},
	"WfSlow": {
		day{`wf_http_request_duration_seconds_bucket{job="wf",route="x",le="1"}`: grows(9), `wf_http_request_duration_seconds_bucket{job="wf",route="x",le="2.5"}`: grows(10), `wf_http_request_duration_seconds_bucket{job="wf",route="x",le="+Inf"}`: grows(10)},
		day{`wf_http_request_duration_seconds_bucket{job="wf",route="x",le="1"}`: grows(10), `wf_http_request_duration_seconds_bucket{job="wf",route="x",le="+Inf"}`: grows(10)},
	},
	"WfRefuses":          {day{`wf_http_limited_total{job="wf",limit="rate"}`: grows(2)}, day{`wf_http_limited_total{job="wf",limit="rate"}`: grows(.5)}},
	"WfDatabaseAway":     {day{`wf_db_errors_total{kind="unavailable"}`: failing(hours*60 - 4)}, day{`wf_db_errors_total{kind="unavailable"}`: bounded(60, 360, 1), `wf_db_errors_total{kind="unique"}`: grows(5)}},
	"WfTakesNoWrites":    {day{`wf_database_takes_writes`: bounded(0, 60, 1)}, day{`wf_database_takes_writes`: is(1)}},
	"WfDatabaseOutdated": {day{`wf_db_outdated_hosts`: is(1)}, day{`wf_db_outdated_hosts`: is(0)}},
	"WfOutboundHeld":     {day{`wf_outbound_held`: is(1)}, day{`wf_outbound_held`: is(0)}},
	"WfDatabaseErrors":   {day{`wf_db_errors_total{kind="other"}`: grows(1)}, day{`wf_db_errors_total{kind="unique"}`: grows(1), `wf_db_errors_total{kind="conflict"}`: grows(1)}},
	"WfPoolFull": {
		day{`go_sql_in_use_connections{db_name="wf"}`: is(19), `go_sql_max_open_connections{db_name="wf"}`: is(20)},
		day{`go_sql_in_use_connections{db_name="wf"}`: is(10), `go_sql_max_open_connections{db_name="wf"}`: is(20)},
	},
	"WfJobFails": {
		day{`wf_loop_failures_total{loop="expiry"}`: grows(1), `wf_loop_last_success_timestamp_seconds{loop="expiry"}`: is(60)},
		day{`wf_loop_failures_total{loop="expiry"}`: grows(1), `wf_loop_last_success_timestamp_seconds{loop="expiry"}`: age,
			`wf_loop_failures_total{loop="rare"}`: is(0), `wf_loop_last_success_timestamp_seconds{loop="rare"}`: is(60)},
	},
	"WfKeysOld":         {day{`wf_jwks_age_seconds`: age}, day{`wf_jwks_age_seconds`: is(300)}},
	"WfClockOff":        {day{`wf_clock_skew_seconds`: is(-6)}, day{`wf_clock_skew_seconds`: is(2)}},
	"WfUnchecked":       {day{`wf_ready`: is(1)}, day{`wf_stuck_requests`: is(0)}},
	"WfStuckRequests":   {day{`wf_stuck_requests`: is(1)}, day{`wf_stuck_requests`: is(0)}},
	"WfBlockedRequests": {day{`wf_requests_open{status="blocked"}`: restarting(1)}, day{`wf_requests_open{status="blocked"}`: bounded(0, 180, 1), `wf_requests_open{status="in_review"}`: is(9)}},
	"WfDeadlinesLate":   {day{`wf_deadline_lag_seconds`: restarting(61)}, day{`wf_deadline_lag_seconds`: bounded(5, 8, 300), `wf_tasks_overdue{policy="p"}`: is(9)}},
	"WfExpiryLate":      {day{`wf_expiry_lag_seconds`: restarting(61)}, day{`wf_expiry_lag_seconds`: is(59)}},
	"WfLapsesLate":      {day{`wf_lapse_lag_seconds`: restarting(61)}, day{`wf_lapse_lag_seconds`: is(59)}},
	"WfAuditBroken":     {day{`wf_audit_breaks{chain="service"}`: bounded(60, 61, 1)}, day{`wf_audit_breaks{chain="service"}`: is(0)}},
	"WfCheckpointsLate": {day{`wf_checkpoint_lag_seconds`: restarting(61)}, day{`wf_checkpoint_lag_seconds`: is(59)}},
	"WfWebhooksLate": {
		day{`wf_webhook_backlog_seconds{endpoint="billing",cause="unsent"}`: restarting(61)},
		day{`wf_webhook_backlog_seconds{endpoint="billing",cause="unsent"}`: bounded(10, 12, 100), `wf_webhook_backlog_seconds{endpoint="a",cause="slow"}`: is(900), // a receiver that takes 8 s per answer
			`wf_webhook_backlog_seconds{endpoint="b",cause="failing"}`: is(900), `wf_webhook_backlog_seconds{endpoint="c",cause="paused"}`: is(900)},
	},
	"WfEndpointSlow": {
		day{`wf_webhook_backlog_seconds{endpoint="billing",cause="slow"}`: restarting(61)},
		day{`wf_webhook_backlog_seconds{endpoint="billing",cause="slow"}`: is(50), `wf_webhook_backlog_seconds{endpoint="a",cause="unsent"}`: is(900)},
	},
	"WfEndpointFails":     {day{`wf_webhook_endpoint_failures{endpoint="billing"}`: restarting(5)}, day{`wf_webhook_endpoint_failures{endpoint="billing"}`: is(4)}},
	"WfEndpointDisabled":  {day{`wf_webhook_endpoint_disabled{endpoint="billing",reason="gone"}`: is(1)}, day{`wf_webhook_endpoint_disabled{endpoint="billing",reason="admin"}`: is(1)}},
	"WfKeyLost":           {day{`wf_webhook_endpoints_without_key`: is(1)}, day{`wf_webhook_endpoints_without_key`: is(0)}},
	"WfDeliveriesGivenUp": {day{`wf_webhook_deliveries{endpoint="billing",status="failed"}`: bounded(100, 360, 3)}, day{`wf_webhook_deliveries{endpoint="billing",status="failed"}`: is(3)}},
	"WfMailServerDown":    {day{`wf_mail_server_unavailable`: restarting(1)}, day{`wf_mail_server_unavailable`: is(0)}},
	"WfNoticesLate":       {day{`wf_notices_oldest_pending_seconds`: restarting(3601)}, day{`wf_notices_oldest_pending_seconds`: is(3500)}},
	"WfResolverFails": {
		day{`wf_resolver_duration_seconds_count{type="role",outcome="failed"}`: grows(1), `wf_resolver_duration_seconds_count{type="role",outcome="answered"}`: grows(4)},
		day{`wf_resolver_duration_seconds_count{type="role",outcome="refused"}`: grows(1), `wf_resolver_duration_seconds_count{type="role",outcome="answered"}`: grows(4)},
	},

	"RegistrarUnchecked":       {day{`registrar_ready`: is(1)}, day{`registrar_stuck_clients`: is(0)}},
	"RegistrarStuckClients":    {day{`registrar_stuck_clients`: is(1)}, day{`registrar_stuck_clients`: is(0)}},
	"RegistrarDoubtfulClients": {day{`registrar_doubtful_clients`: is(1)}, day{`registrar_doubtful_clients`: is(0)}},
	"RegistrarProviderDiffers": {day{`registrar_provider_differences{kind="changed"}`: restarting(1), `registrar_provider_differences{kind="missing"}`: is(0)}, day{`registrar_provider_differences{kind="changed"}`: is(0)}},
	"RegistrarApprovalsAway": {
		day{`registrar_approval_calls_total{outcome="failed"}`: grows(1), `registrar_approval_calls_total{outcome="done"}`: grows(.1)},
		day{`registrar_approval_calls_total{outcome="failed"}`: grows(.1), `registrar_approval_calls_total{outcome="done"}`: grows(1)},
	},
	"RegistrarCallsLate":     {day{`registrar_provider_backlog_seconds`: restarting(301)}, day{`registrar_provider_backlog_seconds`: is(30)}},
	"RegistrarClientsFailed": {day{`registrar_clients{status="FAILED"}`: bounded(100, 360, 1)}, day{`registrar_clients{status="FAILED"}`: is(4)}},
	"RegistrarProviderAway": {
		day{`registrar_provider_duration_seconds_count{call="register",outcome="unreachable"}`: grows(1)},
		day{`registrar_provider_duration_seconds_count{call="register",outcome="unreachable"}`: grows(.1), `registrar_provider_duration_seconds_count{call="register",outcome="done"}`: grows(1)},
	},
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	all := rules(t)
	for name, r := range all {
		c, ok := cases[name]
		if !ok {
			same, shared := all["Wf"+name[len("Registrar"):]]
			if !shared || same.wait != r.wait || same.Annotations["runbook_url"] != r.Annotations["runbook_url"] {
				t.Errorf("%s has no case, and is not like the one of wf", name)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			if got := c.fires.longest(t, r.Expr); got == 0 || got < r.wait {
				t.Errorf("it holds for %v, and fires after %v", got, r.wait)
			}
			if got := c.quiet.longest(t, r.Expr); got > 0 && got >= r.wait {
				t.Errorf("it fires although all is well: it holds for %v", got)
			}
		})
	}
	for name := range cases {
		if _, ok := all[name]; !ok {
			t.Errorf("there is no alert %s", name)
		}
	}
}

var engine = promql.NewEngine(promql.EngineOpts{MaxSamples: 1e7, Timeout: time.Minute, Parser: promParser})

// longest is for how long without a gap an expression has a value: an alert on it fires
// when that is as long as its "for".
func (d day) longest(t *testing.T, expression string) (most time.Duration) {
	t.Helper()
	start := time.Unix(0, 0)
	query, err := engine.NewRangeQuery(t.Context(), d.database(t), nil, expression, start, start.Add(hours*time.Hour), step)
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	result := query.Exec(t.Context())
	matrix, err := result.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range matrix {
		begun := s.Floats[0].T
		for i, point := range s.Floats {
			if i > 0 && point.T-s.Floats[i-1].T > step.Milliseconds() {
				begun = point.T
			}
			most = max(most, time.Duration(point.T-begun+step.Milliseconds())*time.Millisecond)
		}
	}
	return most
}

// database answers the engine.
func (d day) database(t *testing.T) storage.Queryable {
	t.Helper()
	var all []storage.Series
	for text, valueAt := range d {
		set, err := promParser.ParseMetric(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var samples []chunks.Sample
		for at := time.Duration(0); at <= hours*time.Hour; at += step {
			samples = append(samples, sample{at: at.Milliseconds(), value: valueAt(at.Minutes())})
		}
		all = append(all, storage.NewListSeries(set, samples))
	}
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			return &found{list: slices.DeleteFunc(slices.Clone(all), func(s storage.Series) bool {
				return slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.Labels().Get(m.Name)) })
			}), at: -1}
		},
	}}
}

// found is a storage.SeriesSet.
type found struct {
	list []storage.Series
	at   int
}

func (f *found) Next() bool                        { f.at++; return f.at < len(f.list) }
func (f *found) At() storage.Series                { return f.list[f.at] }
func (f *found) Err() error                        { return nil }
func (f *found) Warnings() annotations.Annotations { return nil }

// sample is a chunks.Sample.
type sample struct {
	at    int64
	value float64
}

func (s sample) T() int64                    { return s.at }
func (sample) ST() int64                     { return 0 }
func (s sample) F() float64                  { return s.value }
func (sample) H() *histogram.Histogram       { return nil }
func (sample) FH() *histogram.FloatHistogram { return nil }
func (sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample         { return s }
