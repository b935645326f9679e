// Package importtest checks the imports of a module's packages against a table of restricted imports.
package importtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// repository is the path before every package of the repository.
const repository = "github.com/countersign/countersign/"

// Table lists the permitted importers of restricted imports. Both are paths with all packages below them, of the
// repository without its path. Packages for tests, whose names end in "test", may import everything.
type Table map[string][]string

// Check compares the module of the test with the table.
func Check(t *testing.T, table Table) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(strings.ReplaceAll(line, repository, ""))
		for _, path := range words[1:] {
			for restricted, importers := range table {
				within := func(above string) bool { return isWithin(words[0], above) }
				if isWithin(path, restricted) && !strings.HasSuffix(words[0], "test") && !slices.ContainsFunc(importers, within) {
					t.Errorf("%s may not import %s", words[0], path)
				}
			}
		}
	}
}

func isWithin(path, above string) bool { return path == above || strings.HasPrefix(path, above+"/") }
