package wf_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the path before every package of the repository.
const module = "github.com/countersign/countersign/"

// imports says what a package may import besides the standard library: packages of
// the repository, without the module's path, and the modules of others with all that
// is in them. A package that is not in it may not exist.
//
// A call passes api, engine, domain and store, in this order; each knows the next and
// none the one before. What comes from elsewhere is known in one place: CEL in
// condition, JSON Schema in schema, gorm in store, huma in api.
var imports = map[string][]string{
	"services/wf":        {"libs/strictjson", "github.com/sosodev/duration"},
	"services/wf/cmd/wf": {"services/wf/internal/server", "libs/bearer", "libs/daemon", "github.com/alecthomas/kong"},
	"services/wf/internal/api": {
		"services/wf", "services/wf/internal/engine",
		"services/wf/internal/store", // for the filters, pages and keys that engine passes through
		"libs/bearer", "libs/envelope", "libs/strictjson", "libs/web",
		"github.com/danielgtaylor/huma/v2", "github.com/evanphx/json-patch/v5", "github.com/google/uuid",
	},
	"services/wf/internal/condition": {"cel.dev/cel-go", "github.com/hashicorp/golang-lru/v2"},
	"services/wf/internal/engine": {
		"services/wf", "services/wf/internal/condition", "services/wf/internal/schema", "services/wf/internal/signing", "services/wf/internal/store",
		"libs/seal", "libs/strictjson", "github.com/google/uuid", "golang.org/x/sync",
	},
	"services/wf/internal/resolve": {
		"services/wf", "libs/egress", "libs/strictjson",
		"github.com/google/uuid", "github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/golang-lru/v2",
		"github.com/standard-webhooks/standard-webhooks/libraries", "golang.org/x/oauth2",
	},
	"services/wf/internal/schema": {"libs/strictjson", "github.com/hashicorp/golang-lru/v2", "github.com/santhosh-tekuri/jsonschema/v6"},
	"services/wf/internal/server": { // it assembles the others
		"services/wf", "services/wf/internal/api", "services/wf/internal/condition", "services/wf/internal/engine",
		"services/wf/internal/resolve", "services/wf/internal/signing", "services/wf/internal/store", "services/wf/internal/worker",
		"libs/bearer", "libs/daemon", "libs/egress", "libs/seal", "libs/sqldb", "libs/web",
		"github.com/alecthomas/kong", "golang.org/x/sync",
	},
	"services/wf/internal/signing": {
		"services/wf", "libs/seal", "github.com/standard-webhooks/standard-webhooks/libraries",
	},
	"services/wf/internal/store": {"services/wf", "libs/sqldb", "github.com/google/uuid", "github.com/hashicorp/golang-lru/v2", "gorm.io/gorm"},
	"services/wf/internal/worker": {
		"services/wf", "services/wf/internal/signing", "services/wf/internal/store", "libs/egress", "libs/seal",
		"github.com/google/uuid", "github.com/standard-webhooks/standard-webhooks/libraries",
	},
}

// forTests are packages that tests alone import. They may import anything.
var forTests = []string{"services/wf/internal/wftest"}

func TestPackagesImportWhatTheyMay(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name := strings.TrimPrefix(words[0], module)
		if slices.Contains(forTests, name) {
			continue
		}
		allowed, known := imports[name]
		if !known {
			t.Errorf("%s has no line in the table", name)
		}
		found++
		for _, path := range words[1:] {
			own, ours := strings.CutPrefix(path, module)
			host, _, _ := strings.Cut(path, "/")
			switch {
			case !strings.Contains(host, "."): // the standard library
			case ours && slices.Contains(allowed, own):
			case !ours && slices.ContainsFunc(allowed, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") }):
			default:
				t.Errorf("%s may not import %s", name, path)
			}
		}
	}
	if found < 10 {
		t.Errorf("go list found %d packages", found)
	}
}

// The domain's times are arguments: what it decides can be decided again.
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
