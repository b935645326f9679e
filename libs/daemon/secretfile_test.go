package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestASecretFileIsForItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("X_SECRET_FILE", path)
	for mode, want := range map[os.FileMode]struct {
		refused bool
		exposed []string
	}{
		0o600: {}, 0o640: {}, 0o644: {exposed: []string{"X_SECRET_FILE"}}, 0o602: {refused: true}, 0o620: {refused: true},
		0o660: {refused: true}, 0o666: {refused: true},
	} {
		if err := os.Chmod(path, mode); err != nil { // WriteFile obeys the umask
			t.Fatal(err)
		}
		v := &variables{}
		value, _, err := v.lookup("X_SECRET")
		if want.refused != (err != nil) || !want.refused && value != "s3cret" || !slices.Equal(v.exposed, want.exposed) {
			t.Errorf("mode %o: %q, %v, exposed %q", mode, value, err, v.exposed)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), "X_SECRET_FILE: ") || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}
