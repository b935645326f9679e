package libs_test

import (
	"testing"

	"github.com/countersign/countersign/libs/importtest"
)

// The libraries do not import a service. Each wrapped module has few importers.
func TestRestrictedImports(t *testing.T) {
	importtest.Check(t, importtest.Table{
		"services":                      {},
		"github.com/lestrrat-go/jwx":    {"libs/bearer"},
		"github.com/labstack/echo":      {"libs/web"},
		"github.com/danielgtaylor/huma": {"libs/web", "libs/outbox/admin"},
		"gorm.io":                       {"libs/sqldb", "libs/outbox/outboxdb", "libs/work/workdb"},
		"github.com/jackc/pgx":          {"libs/sqldb"},
		"modernc.org/sqlite":            {"libs/sqldb"},
		"github.com/pressly/goose":      {"libs/sqldb"},
		"code.dny.dev/ssrf":             {"libs/egress"},
		"github.com/alecthomas/kong":    {"libs/daemon"},
		"github.com/coreos/go-oidc":     {"libs/ui/signin"},
		"github.com/standard-webhooks":  {"libs/outbox/signing", "libs/outbox/webhooks"},
	})
}
