// Package importtest checks the imports of a module's packages against a table of permitted imports.
package importtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// repository is the path before every package of the repository.
const repository = "github.com/countersign/countersign/"

// Table lists the permitted imports of each package besides the standard library: packages of the repository,
// without its path, and external modules with all their packages. Every package must be in the table, except
// packages for tests, whose names end in "test".
type Table map[string][]string

// Check compares the module of the test with the table.
func Check(t *testing.T, table Table) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name := strings.TrimPrefix(words[0], repository)
		if strings.HasSuffix(name, "test") {
			continue
		}
		allowed, known := table[name]
		if !known {
			t.Errorf("%s has no line in the table", name)
		}
		found[name] = true
		for _, path := range words[1:] {
			if !isAllowed(allowed, path) {
				t.Errorf("%s may not import %s", name, path)
			}
		}
	}
	for name := range table {
		if !found[name] {
			t.Errorf("%s is in the table, and no package has that path", name)
		}
	}
}

func isAllowed(allowed []string, path string) bool {
	if own, ok := strings.CutPrefix(path, repository); ok {
		return slices.Contains(allowed, own)
	}
	host, _, _ := strings.Cut(path, "/")
	standard := !strings.Contains(host, ".")
	return standard || slices.ContainsFunc(allowed, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
}
