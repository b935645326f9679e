// Package importtest checks what the packages of a module import by a table of what
// each may.
package importtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// repository is the path before every package of the repository.
const repository = "github.com/countersign/countersign/"

// Table says what a package may import besides the standard library: packages of the
// repository, without the repository's path, and the modules of others with all that is
// in them. A package that is not in it may not exist. One whose name ends in "test" is
// for tests, and may import anything.
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
			if !may(allowed, path) {
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

func may(allowed []string, path string) bool {
	if own, ok := strings.CutPrefix(path, repository); ok {
		return slices.Contains(allowed, own)
	}
	host, _, _ := strings.Cut(path, "/")
	standard := !strings.Contains(host, ".")
	return standard || slices.ContainsFunc(allowed, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
}
