// Package metricstest reads the metrics of a registry in tests.
package metricstest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/metrics"
)

// Values returns the series by their text, such as wf_http_requests_total{code="",status="200"}, with the
// labels in alphabetical order. A histogram has two: its _count and its _sum.
func Values(t *testing.T, r *metrics.Registry) map[string]float64 {
	t.Helper()
	families, err := r.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			text := ""
			if labels != nil {
				text = "{" + strings.Join(labels, ",") + "}"
			}
			switch {
			case m.GetCounter() != nil:
				values[family.GetName()+text] = m.GetCounter().GetValue()
			case m.GetGauge() != nil:
				values[family.GetName()+text] = m.GetGauge().GetValue()
			case m.GetHistogram() != nil:
				values[family.GetName()+"_count"+text] = float64(m.GetHistogram().GetSampleCount())
				values[family.GetName()+"_sum"+text] = m.GetHistogram().GetSampleSum()
			}
		}
	}
	return values
}

// Want reports each series with another value. A wanted value of zero also matches an absent series.
func Want(t *testing.T, r *metrics.Registry, want map[string]float64) {
	t.Helper()
	got := Values(t, r)
	for series, value := range want {
		if got[series] != value {
			name, _, _ := strings.Cut(series, "{")
			t.Errorf("%s is %v, want %v; there is:\n%s", series, got[series], value, listSeries(got, name))
		}
	}
}

// listSeries lists the series of a metric.
func listSeries(values map[string]float64, name string) string {
	var b strings.Builder
	for series, value := range values {
		if strings.HasPrefix(series, name) {
			fmt.Fprintf(&b, "%s %v\n", series, value)
		}
	}
	return b.String()
}

// Scrape reads the metrics at a URL, in the form of Values.
func Scrape(t *testing.T, url string) map[string]float64 {
	t.Helper()
	res, err := http.Get(url) // #nosec G107 -- a listener of the test
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d %s, %v", url, res.StatusCode, body, err)
	}
	values := map[string]float64{}
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || at < 0 {
			continue
		}
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		values[line[:at]] = value
	}
	return values
}
