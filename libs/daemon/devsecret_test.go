package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASecretThatCannotBeKeptNamesTheSetting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Settings{Prefix: "WF_", DataDir: path}
	if _, err := s.DevelopmentSecret("key", func() string { return "canary" }); err == nil ||
		!strings.Contains(err.Error(), "--data-dir: ") || strings.Contains(err.Error(), "canary") {
		t.Errorf("error = %v", err)
	}
}
