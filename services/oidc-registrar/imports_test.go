package registrar_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports holds the direction of dependencies: the domain knows nobody, and a
// package knows only those below it.
func TestImports(t *testing.T) {
	const module = "github.com/countersign/countersign/"
	const domain = module + "services/oidc-registrar"
	allowed := map[string][]string{
		".":              {module + "libs/strictjson", "filippo.io/edwards25519"},
		"./internal/idp": {domain, module + "libs/egress", module + "libs/strictjson", "github.com/hashicorp/go-retryablehttp", "golang.org/x/oauth2", "golang.org/x/oauth2/clientcredentials"},
	}
	for dir, want := range allowed {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}`, dir).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", dir, err)
		}
		for path := range strings.FieldsSeq(string(out)) {
			if strings.Contains(path, ".") && !slices.Contains(want, path) {
				t.Errorf("%s imports %s", dir, path)
			}
			if dir == "." && slices.Contains([]string{"log/slog", "net/http", "os", "database/sql"}, path) {
				t.Errorf("the domain imports %s", path)
			}
		}
	}
}
