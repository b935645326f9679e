// Package configtest writes the tables of settings in docs/configuration.md and checks them.
package configtest

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
)

var update = flag.Bool("update", false, "write docs/configuration.md")

// Check compares the section of a service in the page with its settings. first are the variables of
// the table for a new installation. With -update it writes the section.
func Check(t *testing.T, page, service string, first []string, settings []daemon.Setting) {
	t.Helper()
	content, err := os.ReadFile(page) // #nosec G304 -- a page of the repository
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- settings of "+service+" -->\n", "<!-- end of "+service+" -->\n"
	before, rest, found := strings.Cut(string(content), begin)
	section, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s lacks the markers of %s", page, service)
	}
	want := render(t, first, settings)
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil { // #nosec G306 G703 -- a page of the repository
			t.Fatal(err)
		}
		return
	}
	if section != want {
		t.Errorf("%s differs from the settings of %s; run make openapi", page, service)
	}
}

// render returns the table of the first settings and that of the others.
func render(t *testing.T, first []string, settings []daemon.Setting) string {
	t.Helper()
	var essential, others strings.Builder
	known := 0
	for _, s := range settings {
		row := fmt.Sprintf("| `%s` |  | %s |\n", s.Variable, s.Help)
		if s.Default != "" {
			row = fmt.Sprintf("| `%s` | `%s` | %s |\n", s.Variable, s.Default, s.Help)
		}
		if slices.Contains(first, s.Variable) {
			essential.WriteString(row)
			known++
		} else {
			others.WriteString(row)
		}
	}
	if known != len(first) {
		t.Errorf("%d of the %d first settings exist", known, len(first))
	}
	const head = "| Variable | Default | Meaning |\n|---|---|---|\n"
	return "\n### First\n\n" + head + essential.String() + "\n### Other\n\n" + head + others.String() + "\n"
}
