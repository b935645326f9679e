package registrar_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/importtest"
)

// The domain imports no package of the service, and a package only those below it.
func TestPackagesImportOnlyAllowedPackages(t *testing.T) {
	const domain, internal = "services/oidc-registrar", "services/oidc-registrar/internal/"
	importtest.Check(t, importtest.Table{
		domain:                         {"libs/envelope", "libs/outbox", "libs/paging", "libs/refusal", "libs/strictjson", "filippo.io/edwards25519", "golang.org/x/text"},
		domain + "/cmd/oidc-registrar": {internal + "server", "libs/daemon", "libs/heartbeat", "libs/sqldb", "github.com/alecthomas/kong"},
		internal + "api":               {domain, internal + "engine", "libs/bearer", "libs/envelope", "libs/limit", "libs/metrics", "libs/oplog", "libs/outbox", "libs/outbox/admin", "libs/refusal", "libs/ui/session", "libs/web", "github.com/danielgtaylor/huma/v2"},
		internal + "idp":               {domain, "libs/egress", "libs/refusal", "libs/strictjson", "github.com/hashicorp/go-retryablehttp", "golang.org/x/oauth2"},
		internal + "approval":          {domain, "libs/egress", "libs/outbox/signing", "github.com/standard-webhooks/standard-webhooks/libraries/go", "golang.org/x/oauth2"},
		internal + "engine":            {domain, internal + "approval", internal + "idp", internal + "store", "libs/metrics", "libs/oplog", "libs/outbox", "libs/outbox/admin", "libs/refusal", "libs/seal", "libs/strictjson", "libs/trace", "github.com/goccy/go-yaml", "github.com/prometheus/client_golang"},
		internal + "jobs":              {domain, internal + "engine", internal + "store", "libs/daemon", "libs/metrics", "libs/outbox/webhooks", "libs/sqldb", "libs/ui/session"},
		internal + "server": { // it assembles the others
			domain, internal + "jobs", internal + "ui", internal + "ui/page", "libs/ui/session", "libs/ui/signin", internal + "api", internal + "approval", internal + "idp", internal + "engine", internal + "store", "libs/bearer", "libs/daemon", "libs/egress", "libs/heartbeat", "libs/limit", "libs/metrics", "libs/outbox/signing", "libs/outbox/webhooks", "libs/refusal", "libs/seal", "libs/sqldb",
			"github.com/sosodev/duration",
		},
		internal + "store": {domain, "libs/heartbeat", "libs/oplog", "libs/outbox", "libs/outbox/outboxdb", "libs/refusal", "libs/sqldb", "libs/trace", "libs/ui/session", "github.com/google/uuid", "gorm.io/gorm"},
		internal + "ui": { // the routes
			internal + "engine", internal + "ui/admin", internal + "ui/clients", internal + "ui/page", internal + "ui/register", internal + "words",
			"libs/bearer", "libs/ui/frame", "libs/ui/session", "libs/ui/signin", "libs/web",
		},
		internal + "ui/page":     {domain, internal + "engine", "libs/bearer", "libs/oplog", "libs/refusal", "libs/ui/frame", "libs/ui/signin", "libs/web"},
		internal + "ui/clients":  {domain, internal + "engine", internal + "ui/page", "libs/refusal", "libs/ui/form", "libs/ui/frame", "libs/ui/session", "libs/ui/signin"},
		internal + "ui/register": {domain, internal + "ui/page", "libs/refusal", "libs/ui/form", "libs/ui/session", "libs/ui/signin"},
		internal + "ui/admin":    {domain, internal + "engine", internal + "ui/page", "libs/refusal", "libs/ui/form", "libs/ui/frame", "libs/ui/session", "libs/ui/signin"},
		internal + "words":       {"libs/ui/i18n"},
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
