package libs_test

import (
	"testing"

	"github.com/countersign/countersign/libs/importtest"
)

// The libraries know no service. What wraps a module of others is the only one to
// import it: jwx is in bearer, echo and huma in web, gorm in sqldb.
func TestPackagesImportWhatTheyMay(t *testing.T) {
	importtest.Check(t, importtest.Table{
		"libs":            {}, // this test alone
		"libs/bearer":     {"libs/egress", "libs/strictjson", "github.com/hashicorp/golang-lru/v2", "github.com/lestrrat-go/jwx/v2", "golang.org/x/sync"},
		"libs/daemon":     {"libs/bearer", "libs/egress", "libs/sqldb", "libs/web", "github.com/alecthomas/kong", "golang.org/x/sync"},
		"libs/egress":     {"code.dny.dev/ssrf", "github.com/hashicorp/go-retryablehttp", "golang.org/x/net"},
		"libs/envelope":   {}, // the wire shape, which needs nobody
		"libs/nearest":    {},
		"libs/seal":       {}, // cryptography of the standard library alone
		"libs/sqldb":      {"github.com/hashicorp/golang-lru/v2", "github.com/jackc/pgx/v5", "github.com/pressly/goose/v3", "gorm.io", "modernc.org/sqlite"},
		"libs/strictjson": {},
		"libs/web":        {"libs/bearer", "libs/nearest", "libs/strictjson", "github.com/danielgtaylor/huma/v2", "github.com/labstack/echo/v4"},
	})
}
