package alerts

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

const root = "../.."

var promParser = parser.NewParser(parser.Options{})

// rule is an alert of the file.
type rule struct {
	rulefmt.Rule
	wait time.Duration // how long it must hold
}

// rules are the alerts, by name.
func rules(t *testing.T) map[string]rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile(filepath.Join(root, "deploy/prometheus/alerts.yaml"), false, model.UTF8Validation, promParser, slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Fatal(err)
	}
	all := map[string]rule{}
	for _, group := range groups.Groups {
		for _, r := range group.Rules {
			if _, twice := all[r.Alert]; twice || r.Alert == "" {
				t.Errorf("%q is there twice, or is no alert", r.Alert)
			}
			all[r.Alert] = rule{r, time.Duration(r.For)}
		}
	}
	return all
}

func TestAlertsHaveSeverityAndRunbookSection(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/operating-alerts.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(string(page), -1) {
		sections[strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-")] = true
	}
	used := map[string]bool{}
	for name, r := range rules(t) {
		section, ok := strings.CutPrefix(r.Annotations["runbook_url"], "https://github.com/countersign/countersign/blob/main/docs/operating-alerts.md#")
		if used[section] = true; !ok || !sections[section] {
			t.Errorf("%s: there is no section %q", name, r.Annotations["runbook_url"])
		}
		if !slices.Contains([]string{"critical", "warning"}, r.Labels["severity"]) || r.Annotations["summary"] == "" {
			t.Errorf("%s has severity %q and summary %q", name, r.Labels["severity"], r.Annotations["summary"])
		}
	}
	for section := range sections {
		if !used[section] {
			t.Errorf("no alert names the section %s", section)
		}
	}
}

// names adds the metrics that an expression reads.
func names(t *testing.T, expression string, into map[string]string, where string) {
	t.Helper()
	tree, err := promParser.ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %s: %v", where, expression, err)
		return
	}
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			if selector.Name == "" {
				t.Errorf("%s: %s selects without a name", where, expression)
			}
			into[selector.Name] = where
		}
		return nil
	})
}

// variables of Grafana, with sample values.
var variables = strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*")

// readDashboard returns the expressions of a dashboard, with the panel that each is in.
func readDashboard(t *testing.T, file string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Title, UID string
		Panels     []struct {
			Title, Type string
			Targets     []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(content, &dashboard); err != nil || dashboard.Title == "" || dashboard.UID == "" {
		t.Fatalf("%s: %q, %v", file, dashboard.Title, err)
	}
	all := map[string]string{}
	for _, panel := range dashboard.Panels {
		if panel.Title == "" || panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("%s: the panel %q shows nothing", file, panel.Title)
		}
		for _, target := range panel.Targets {
			all[variables.Replace(target.Expr)] = filepath.Base(file) + ": " + panel.Title
		}
	}
	return all
}

// readMetrics maps the metrics of alerts and dashboards to their readers.
func readMetrics(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, r := range rules(t) {
		names(t, r.Expr, all, name)
	}
	for _, service := range []string{"wf", "oidc-registrar"} {
		for expression, where := range readDashboard(t, filepath.Join(root, "deploy/grafana", service+".json")) {
			names(t, expression, all, where)
		}
	}
	return all
}

func TestTheScrapeConfigurationFindsBothServicesByTheNamesThatAlertsUse(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "deploy/prometheus/prometheus.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			JobName       string `yaml:"job_name"`
			StaticConfigs []struct {
				Targets []string
			} `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(content, &config); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, c := range config.ScrapeConfigs {
		found[c.JobName] = c.StaticConfigs[0].Targets[0]
	}
	if found["wf"] != "127.0.0.1:9081" || found["oidc-registrar"] != "127.0.0.1:9082" || !slices.Equal(config.RuleFiles, []string{"alerts.yaml"}) {
		t.Errorf("it scrapes %v, with %v", found, config.RuleFiles)
	}
}
