package alerts

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

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
