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
	for _, args := range [][]string{
		{"promtool", "check", "rules", "alerts.yaml"},
		{"promtool", "check", "config", "--syntax-only", "prometheus.yaml"},
		{"amtool", "check-config", "alertmanager.yaml"},
	} {
		t.Run(args[0]+" "+args[len(args)-1], func(t *testing.T) {
			program, err := exec.LookPath(args[0])
			if err != nil {
				t.Skipf("%s is not installed", args[0])
			}
			check := exec.CommandContext(t.Context(), program, args[1:]...)
			check.Dir = filepath.Join(root, "deploy/prometheus")
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		})
	}
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
