package metricstest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Read maps the metrics of a service that an alert, a dashboard or the runtime panels read to the file that reads
// them. deploy is the folder with prometheus and grafana; a histogram is named by its _count.
func Read(t *testing.T, deploy, prefix, dashboard string) map[string]string {
	t.Helper()
	name := regexp.MustCompile(`\b(?:` + prefix + `|go|process)_[a-z0-9_]+`)
	all := map[string]string{}
	for _, file := range []string{"prometheus/alerts.yaml", "grafana/" + dashboard} {
		text, err := os.ReadFile(filepath.Join(deploy, file)) // #nosec G304 -- a file of the project
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range name.FindAllString(string(text), -1) {
			if whole, ok := strings.CutSuffix(metric, "_bucket"); ok {
				metric = whole + "_count"
			}
			all[metric] = file
		}
	}
	return all
}

// Exists reports each metric of read without a series.
func Exists(t *testing.T, read map[string]string, series ...map[string]float64) {
	t.Helper()
	there := map[string]bool{}
	for _, shown := range series {
		for text := range shown {
			name, _, _ := strings.Cut(text, "{")
			there[name] = true
		}
	}
	for metric, file := range read {
		if !there[metric] {
			t.Errorf("%s reads %s, which the service does not expose", file, metric)
		}
	}
}
