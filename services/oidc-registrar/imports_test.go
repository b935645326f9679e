package registrar_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/importtest"
)

// The domain imports no package of the service, and a package only those below it.
func TestRestrictedImports(t *testing.T) {
	const internal, cmd = "services/oidc-registrar/internal", "services/oidc-registrar/cmd"
	importtest.Check(t, importtest.Table{
		internal:               {internal, cmd},
		internal + "/store":    {internal + "/engine", internal + "/jobs", internal + "/server"},
		internal + "/engine":   {internal + "/api", internal + "/jobs", internal + "/server", internal + "/ui"},
		internal + "/idp":      {internal + "/engine", internal + "/server"},
		internal + "/approval": {internal + "/engine", internal + "/server"},
		internal + "/api":      {internal + "/server"},
		internal + "/server":   {cmd},

		"services/wf":                   {},
		"gorm.io":                       {internal + "/store"},
		"github.com/danielgtaylor/huma": {internal + "/api"},
		"github.com/labstack/echo":      {},
	})
}

func TestTheDomainDoesNoIO(t *testing.T) {
	for list, banned := range map[string][]string{
		`{{join .Imports " "}}`: {"os"},
		`{{join .Deps " "}}`:    {"log/slog", "net/http", "os/exec", "database/sql"},
	} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-f", list, ".").Output()
		if err != nil {
			t.Fatal(err)
		}
		for path := range strings.FieldsSeq(string(out)) {
			if slices.Contains(banned, path) {
				t.Errorf("the domain depends on %s", path)
			}
		}
	}
}
