package daemon

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestConcurrentCallersShareOneDevelopmentSecret(t *testing.T) {
	s := Settings{DataDir: filepath.Join(t.TempDir(), "data")}
	got := make([]string, 32)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() {
			var err error
			if got[i], err = s.DevelopmentSecret("key", func() string { return "secret " + strconv.Itoa(i) }); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, secret := range got {
		if secret != got[0] || !strings.HasPrefix(secret, "secret ") {
			t.Fatalf("kept %q and %q", got[0], secret)
		}
	}
	files, err := os.ReadDir(s.DataDir)
	if err != nil || len(files) != 1 {
		t.Fatalf("the folder holds %v, %v", files, err)
	}
	if info, err := files[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestASecretThatCannotBeKeptNamesTheSetting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Settings{Prefix: "WF_", DataDir: path}
	if _, err := s.DevelopmentSecret("key", func() string { return "canary" }); err == nil || !strings.Contains(err.Error(), "--data-dir: ") || strings.Contains(err.Error(), "canary") {
		t.Errorf("error = %v", err)
	}
}
