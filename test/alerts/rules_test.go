package alerts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const root = "../.."

// rule is an alert of the file.
type rule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// ruleFile is a file of rules.
type ruleFile struct {
	Groups []ruleGroup `yaml:"groups"`
}

type ruleGroup struct {
	Name  string `yaml:"name"`
	Rules []rule `yaml:"rules"`
}

// rules are the alerts, by name.
func rules(t *testing.T) map[string]rule {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "deploy/prometheus/alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file ruleFile
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	all := map[string]rule{}
	for _, group := range file.Groups {
		for _, r := range group.Rules {
			if _, twice := all[r.Alert]; twice || r.Alert == "" {
				t.Errorf("%q is there twice, or is no alert", r.Alert)
			}
			all[r.Alert] = r
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

func TestDashboardsShowValidExpressions(t *testing.T) {
	var record struct {
		Groups []map[string]any `yaml:"groups"`
	}
	for _, service := range []string{"wf", "oidc-registrar"} {
		var recorded []map[string]string
		for expression := range readDashboard(t, filepath.Join(root, "deploy/grafana", service+".json")) {
			recorded = append(recorded, map[string]string{"record": fmt.Sprintf("panel:%d", len(recorded)), "expr": expression})
		}
		record.Groups = append(record.Groups, map[string]any{"name": service, "rules": recorded})
	}
	promtool(t, t.TempDir(), "check", "rules", write(t, "panels.yaml", record))
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
