package libs_test

import (
	"testing"

	"github.com/countersign/countersign/libs/importtest"
)

// The libraries do not import a service. Packages with metrics may import the client of Prometheus. Each wrapped module has one
// importer: jwx is in bearer, echo and huma in web, gorm in sqldb.
func TestPackagesImportOnlyAllowedPackages(t *testing.T) {
	importtest.Check(t, importtest.Table{
		"libs":           {}, // this test alone
		"libs/bearer":    {"libs/egress", "libs/seal", "libs/oplog", "libs/strictjson", "github.com/hashicorp/golang-lru/v2", "github.com/lestrrat-go/jwx/v2", "golang.org/x/sync"},
		"libs/daemon":    {"libs/bearer", "libs/egress", "libs/limit", "libs/metrics", "libs/nearest", "libs/oplog", "libs/seal", "libs/sqldb", "libs/trace/otlp", "libs/web", "github.com/alecthomas/kong", "golang.org/x/sync"},
		"libs/egress":    {"libs/trace", "code.dny.dev/ssrf", "github.com/hashicorp/go-retryablehttp", "golang.org/x/net"},
		"libs/envelope":  {}, // the wire shape, without dependencies
		"libs/heartbeat": {"libs/daemon", "libs/metrics", "libs/oplog", "libs/seal", "libs/sqldb", "github.com/google/uuid"},
		"libs/limit":     {"github.com/hashicorp/golang-lru/v2", "golang.org/x/time"},
		"libs/metrics":   {"github.com/prometheus/client_golang"},
		"libs/nearest":   {},
		"libs/oplog":     {"libs/trace", "github.com/lmittmann/tint", "github.com/mattn/go-isatty"},

		"libs/outbox":          {"libs/refusal"},
		"libs/outbox/admin":    {"libs/envelope", "libs/metrics", "libs/outbox", "libs/outbox/outboxdb", "libs/outbox/signing", "libs/paging", "libs/refusal", "libs/seal", "libs/web", "github.com/danielgtaylor/huma/v2", "github.com/google/uuid"},
		"libs/outbox/outboxdb": {"libs/heartbeat", "libs/outbox", "libs/paging", "libs/refusal", "libs/sqldb", "github.com/google/uuid", "github.com/hashicorp/golang-lru/v2", "gorm.io/gorm"},
		"libs/outbox/signing":  {"libs/outbox", "libs/seal", "github.com/standard-webhooks/standard-webhooks/libraries"},
		"libs/outbox/webhooks": {
			"libs/daemon", "libs/egress", "libs/metrics", "libs/outbox", "libs/outbox/outboxdb", "libs/outbox/signing", "libs/oplog", "libs/seal", "libs/trace",
			"github.com/prometheus/client_golang", "github.com/standard-webhooks/standard-webhooks/libraries",
		},

		"libs/paging":     {},
		"libs/refusal":    {},
		"libs/seal":       {}, // cryptography of the standard library alone
		"libs/sqldb":      {"libs/metrics", "libs/oplog", "libs/paging", "libs/seal", "libs/trace", "github.com/google/uuid", "github.com/hashicorp/golang-lru/v2", "github.com/jackc/pgx/v5", "github.com/pressly/goose/v3", "github.com/prometheus/client_golang", "gorm.io", "modernc.org/sqlite"},
		"libs/strictjson": {},
		"libs/trace":      {"go.opentelemetry.io/otel"},
		"libs/trace/otlp": {"libs/oplog", "libs/trace", "github.com/go-logr/logr", "go.opentelemetry.io/otel"},
		"libs/ui/form":    {"libs/strictjson", "libs/ui/i18n"},
		"libs/ui/frame":   {"libs/oplog", "libs/ui/form", "libs/ui/i18n", "golang.org/x/text"},
		"libs/ui/i18n":    {},
		"libs/ui/session": {"libs/seal", "libs/sqldb", "libs/ui/form"},
		"libs/ui/signin":  {"libs/bearer", "libs/ui/form", "libs/ui/frame", "libs/ui/session", "github.com/coreos/go-oidc/v3", "golang.org/x/oauth2"},
		"libs/web":        {"libs/bearer", "libs/limit", "libs/metrics", "libs/nearest", "libs/oplog", "libs/refusal", "libs/strictjson", "libs/trace", "github.com/danielgtaylor/huma/v2", "github.com/labstack/echo/v4", "github.com/prometheus/client_golang", "golang.org/x/sync"},
	})
}
