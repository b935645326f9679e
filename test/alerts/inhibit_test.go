package alerts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Prometheus and Alertmanager accept the files of the installation, where they are installed.
func TestPrometheusAndAlertmanagerAcceptTheirFiles(t *testing.T) {
	dir := filepath.Join(root, "deploy/prometheus")
	t.Run("rules", func(t *testing.T) { promtool(t, dir, "check", "rules", "alerts.yaml") })
	t.Run("configuration", func(t *testing.T) { promtool(t, dir, "check", "config", "--syntax-only", "prometheus.yaml") })
	t.Run("Alertmanager", func(t *testing.T) {
		program, err := exec.LookPath("amtool")
		if err != nil {
			t.Skip("amtool is not installed")
		}
		check := exec.CommandContext(t.Context(), program, "check-config", "alertmanager.yaml")
		check.Dir = dir
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// Each alert that an inhibition rule names exists, and no rule silences its own source.
func TestInhibitionRulesNameAlerts(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "deploy/prometheus/alertmanager.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all, named := rules(t), 0
	for _, m := range regexp.MustCompile(`alertname=~?"(\w+?)(?:\(([\w|]+)\))?"`).FindAllStringSubmatch(string(text), -1) {
		for end := range strings.SplitSeq(m[2], "|") {
			named++
			if _, ok := all[m[1]+end]; !ok {
				t.Errorf("there is no alert %s", m[1]+end)
			}
			if end == "DatabaseAway" {
				t.Errorf("%s silences itself", m[1]+end)
			}
		}
	}
	if named != 16 {
		t.Errorf("the rules name %d alerts, want 16", named)
	}
}
