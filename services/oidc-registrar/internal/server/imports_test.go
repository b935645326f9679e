package server_test

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/countersign/countersign/services/oidc-registrar"

// Which package may import which, of this module and of the libraries. A package
// without a line may import none of them.
var mayImport = map[string]string{
	"":                        "libs/strictjson",
	"/internal/idp":           "libs/egress libs/strictjson oidc-registrar",
	"/internal/store":         "libs/sqldb oidc-registrar",
	"/internal/register":      "oidc-registrar internal/idp internal/store",
	"/internal/api":           "libs/bearer libs/envelope libs/web oidc-registrar internal/register",
	"/internal/server":        "libs/bearer libs/daemon libs/sqldb oidc-registrar internal/api internal/idp internal/register internal/store",
	"/internal/registrartest": "libs/bearer libs/egress libs/sqldb oidc-registrar internal/api internal/idp internal/register internal/store",
	"/cmd/oidc-registrar":     "libs/daemon internal/server",
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(mayImport) {
		t.Errorf("%d packages, %d rules", len(lines), len(mayImport))
	}
	for _, line := range lines {
		imports := strings.Fields(line)
		name := strings.TrimPrefix(imports[0], module)
		rule, known := mayImport[name]
		if !known {
			t.Errorf("no rule for %s", imports[0])
		}
		for _, path := range imports[1:] {
			if !strings.HasPrefix(path, "github.com/countersign/") || strings.HasSuffix(path, "/sqldbtest") && name == "/internal/registrartest" {
				continue
			}
			allowed := false
			for _, suffix := range strings.Fields(rule) {
				allowed = allowed || strings.HasSuffix(path, "/"+suffix)
			}
			if !allowed {
				t.Errorf("%s imports %s", imports[0], path)
			}
		}
	}
}

func TestTheDomainDoesNoIO(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		for _, banned := range []string{"net/http", "database/sql", "log/slog", "os/exec"} {
			if path == banned {
				t.Errorf("the domain depends on %s", path)
			}
		}
	}
}
