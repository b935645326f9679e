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

// A call passes api, engine, domain and store, in this order. Each imports the next one and none before it.
func TestRestrictedImports(t *testing.T) {
	const internal, cmd = "services/wf/internal", "services/wf/cmd"
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, internal+"/"+name)
		}
		return paths
	}
	importtest.Check(t, importtest.Table{
		internal:              {internal, cmd, "services/wf/policy"}, // not by the domain
		internal + "/store":   in("engine", "jobs", "notify", "server"),
		internal + "/engine":  in("api", "jobs", "notify", "policyfile", "server", "ui"),
		internal + "/api":     in("policyfile", "server"),
		internal + "/ui":      in("ui", "server"),
		internal + "/server":  {cmd},
		internal + "/resolve": in("server"),
		internal + "/notify":  in("server"),

		"services/oidc-registrar": {},
		"libs/sqldb":              append(in("store", "jobs", "server"), cmd),
		"libs/web":                in("api", "view", "policyfile", "server", "ui"),
		"libs/egress":             in("resolve", "server"),
		"libs/daemon":             append(in("cli", "jobs", "server"), cmd),

		"gorm.io":                                in("store"),
		"cel.dev/cel-go":                         in("condition"),
		"github.com/santhosh-tekuri/jsonschema":  in("schema"),
		"github.com/danielgtaylor/huma":          in("api", "view"),
		"github.com/labstack/echo":               {},
		"github.com/modelcontextprotocol/go-sdk": in("mcp"),

		// The domain does no I/O.
		"os": {internal, cmd}, "net/http": {internal, cmd}, "database/sql": {internal, cmd}, "log/slog": {internal, cmd},
	})
}

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
			if ok && pkg.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "Tick",
				"NewTimer", "NewTicker"}, call.Sel.Name) {
				t.Errorf("%s: time.%s", set.Position(n.Pos()), call.Sel.Name)
			}
			return true
		})
	}
}
