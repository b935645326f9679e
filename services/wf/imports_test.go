package wf_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/importtest"
)

// A call passes api, engine, domain and store, in this order. Each imports the next one
// and none before it. A library is imported in one place: CEL in condition, JSON Schema
// in schema, gorm in store, huma in api.
var imports = importtest.Table{
	"services/wf":          {"services/wf/approver", "services/wf/policy", "services/wf/audit", "services/wf/identity", "services/wf/quorum", "services/wf/reason", "libs/refusal", "libs/outbox", "libs/paging", "libs/strictjson", "github.com/sosodev/duration"},
	"services/wf/calendar": {},
	"services/wf/reason":   {"libs/refusal"},
	"services/wf/identity": {"libs/envelope"},
	"services/wf/quorum":   {},
	"services/wf/audit":    {"libs/outbox"},
	"services/wf/policy":   {"libs/refusal", "libs/strictjson", "services/wf/audit", "services/wf/calendar", "services/wf/identity", "services/wf/quorum", "services/wf/reason", "github.com/sosodev/duration"},
	"services/wf/approver": {"libs/refusal", "services/wf/identity", "services/wf/policy", "services/wf/quorum", "services/wf/reason"},
	"services/wf/notice":   {"services/wf", "services/wf/audit", "services/wf/identity"},
	"services/wf/cmd/wf":   {"services/wf/internal/cli", "services/wf/internal/server", "libs/daemon", "libs/heartbeat", "libs/sqldb", "github.com/alecthomas/kong"},
	"services/wf/internal/api": {"services/wf/internal/mcp", "services/wf/internal/receipt", "services/wf/internal/trail",
		"services/wf/notice", "services/wf/approver", "services/wf/policy", "services/wf/audit", "services/wf/identity", "services/wf/quorum", "services/wf", "services/wf/reason", "libs/refusal", "services/wf/internal/engine", "services/wf/internal/view", "services/wf/internal/waiting",
		"libs/bearer", "libs/envelope", "libs/limit", "libs/metrics", "libs/oplog", "libs/outbox", "libs/outbox/admin", "libs/strictjson", "libs/trace", "libs/ui/session", "libs/web",
		"github.com/danielgtaylor/huma/v2", "github.com/evanphx/json-patch/v5", "github.com/google/uuid",
	},
	"services/wf/internal/view": {
		"services/wf/approver", "services/wf/policy", "services/wf/identity", "services/wf/quorum", "services/wf",
		"libs/envelope", "libs/web", "github.com/danielgtaylor/huma/v2",
	},
	"services/wf/internal/cli": {
		"services/wf/internal/policyfile", "services/wf/internal/receipt", "services/wf/internal/trail", "services/wf/policy", "libs/bearer", "libs/daemon", "libs/strictjson", "github.com/lestrrat-go/jwx/v2",
	},
	"services/wf/internal/policyfile": {
		"services/wf", "services/wf/approver", "services/wf/identity", "services/wf/policy", "services/wf/reason",
		"services/wf/internal/api", "services/wf/internal/condition", "services/wf/internal/engine", "services/wf/internal/view",
		"libs/refusal", "libs/strictjson", "libs/web", "go.yaml.in/yaml/v3",
	},
	"services/wf/internal/receipt":   {"services/wf", "services/wf/identity", "libs/seal", "github.com/lestrrat-go/jwx/v2"},
	"services/wf/internal/trail":     {"services/wf", "services/wf/audit", "services/wf/internal/receipt", "github.com/lestrrat-go/jwx/v2"},
	"services/wf/internal/condition": {"services/wf/internal/pattern", "libs/nearest", "libs/refusal", "libs/strictjson", "cel.dev/cel-go", "github.com/hashicorp/golang-lru/v2"},
	"services/wf/internal/engine": {"services/wf/internal/receipt",
		"services/wf/notice", "services/wf/approver", "services/wf/policy", "services/wf/audit", "services/wf/identity", "services/wf/quorum", "services/wf", "services/wf/reason", "libs/refusal", "services/wf/internal/condition", "services/wf/internal/schema", "services/wf/internal/store", "services/wf/internal/view",
		"libs/metrics", "libs/outbox", "libs/outbox/admin", "libs/seal", "libs/strictjson", "github.com/google/uuid", "github.com/prometheus/client_golang", "golang.org/x/sync", "golang.org/x/text",
	},
	"services/wf/internal/ui": { // the routes
		"services/wf", "services/wf/identity", "services/wf/policy", "services/wf/reason", "services/wf/internal/engine", "services/wf/internal/words",
		"services/wf/internal/ui/console", "services/wf/internal/ui/page", "services/wf/internal/ui/people",
		"libs/bearer", "libs/refusal", "libs/ui/form", "libs/ui/frame", "libs/ui/session", "libs/ui/signin", "libs/web",
	},
	"services/wf/internal/ui/page": {
		"services/wf", "services/wf/approver", "services/wf/audit", "services/wf/identity", "services/wf/policy", "services/wf/quorum", "services/wf/reason",
		"services/wf/internal/engine", "services/wf/internal/ui/content", "services/wf/internal/words",
		"libs/bearer", "libs/oplog", "libs/refusal", "libs/strictjson", "libs/trace", "libs/ui/form", "libs/ui/frame", "libs/ui/i18n", "libs/ui/session", "libs/ui/signin", "libs/web",
		"github.com/google/uuid",
	},
	"services/wf/internal/ui/content": {"libs/ui/form", "libs/ui/frame"},
	"services/wf/internal/ui/editor":  {"libs/strictjson", "golang.org/x/text"},
	"services/wf/internal/ui/people": {
		"services/wf", "services/wf/approver", "services/wf/identity", "services/wf/notice", "services/wf/policy", "services/wf/reason",
		"services/wf/internal/engine", "services/wf/internal/ui/content", "services/wf/internal/ui/page", "services/wf/internal/words",
		"libs/refusal", "libs/ui/form", "libs/ui/frame", "libs/ui/i18n", "libs/ui/session", "libs/ui/signin", "libs/web",
	},
	"services/wf/internal/ui/console": {
		"services/wf", "services/wf/audit", "services/wf/identity", "services/wf/policy", "services/wf/reason",
		"services/wf/internal/engine", "services/wf/internal/ui/content", "services/wf/internal/ui/editor", "services/wf/internal/ui/page",
		"libs/outbox", "libs/outbox/admin", "libs/refusal", "libs/ui/form", "libs/ui/frame", "libs/ui/session",
	},
	"services/wf/internal/jobs": {
		"services/wf", "services/wf/internal/engine", "services/wf/internal/store", "services/wf/internal/waiting",
		"libs/daemon", "libs/metrics", "libs/outbox", "libs/outbox/outboxdb", "libs/outbox/webhooks", "libs/sqldb", "libs/ui/session",
	},
	"services/wf/internal/notify": {
		"services/wf/audit", "services/wf/notice", "services/wf/policy", "services/wf/identity", "services/wf", "services/wf/reason",
		"services/wf/internal/engine", "services/wf/internal/store", "services/wf/internal/words",
		"libs/metrics", "libs/outbox", "libs/outbox/webhooks", "libs/seal", "libs/ui/i18n", "github.com/prometheus/client_golang", "github.com/wneessen/go-mail",
	},
	"services/wf/internal/mcp":     {"github.com/google/jsonschema-go", "github.com/modelcontextprotocol/go-sdk"},
	"services/wf/internal/pattern": {},
	"services/wf/internal/waiting": {},
	"services/wf/internal/resolve": {
		"services/wf/approver", "services/wf/policy", "services/wf/identity", "services/wf/reason", "libs/refusal", "libs/egress", "libs/metrics", "libs/outbox", "libs/strictjson", "libs/trace",
		"github.com/google/uuid", "github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/golang-lru/v2",
		"github.com/prometheus/client_golang", "github.com/standard-webhooks/standard-webhooks/libraries", "golang.org/x/oauth2",
	},
	"services/wf/internal/schema": {"services/wf/internal/pattern", "libs/refusal", "libs/strictjson", "github.com/hashicorp/golang-lru/v2", "github.com/santhosh-tekuri/jsonschema/v6"},
	"services/wf/internal/server": {"services/wf/internal/receipt", // it assembles the others
		"services/wf/approver", "services/wf/identity", "services/wf", "services/wf/internal/api", "services/wf/internal/condition", "services/wf/internal/engine", "services/wf/internal/ui", "services/wf/internal/ui/page",
		"services/wf/internal/jobs", "services/wf/internal/notify", "services/wf/internal/resolve", "services/wf/internal/store", "services/wf/internal/waiting", "services/wf/internal/words",
		"libs/bearer", "libs/daemon", "libs/web", "libs/egress", "libs/heartbeat", "libs/limit", "libs/metrics", "libs/outbox", "libs/outbox/outboxdb", "libs/outbox/signing", "libs/outbox/webhooks", "libs/seal", "libs/sqldb", "libs/ui/session", "libs/ui/signin",
	},
	"services/wf/internal/store": {"services/wf/internal/receipt", "services/wf/notice", "services/wf/approver", "services/wf/policy", "services/wf/audit", "services/wf/identity", "services/wf/quorum", "services/wf", "services/wf/reason", "libs/refusal", "libs/heartbeat", "libs/oplog", "libs/outbox", "libs/outbox/outboxdb", "libs/sqldb", "libs/strictjson", "libs/ui/session", "github.com/google/uuid", "github.com/hashicorp/golang-lru/v2", "golang.org/x/text", "gorm.io/gorm"},
	"services/wf/internal/words": {"libs/ui/i18n"},
}

func TestPackagesImportOnlyAllowedPackages(t *testing.T) { importtest.Check(t, imports) }

// The domain's times are arguments, so that its decisions are reproducible.
func TestTheDomainReadsNoClock(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := call.X.(*ast.Ident)
			if ok && pkg.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker"}, call.Sel.Name) {
				t.Errorf("%s: time.%s", set.Position(n.Pos()), call.Sel.Name)
			}
			return true
		})
	}
}
