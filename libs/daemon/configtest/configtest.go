// Package configtest writes the tables of settings in docs/configuration.md and checks them.
package configtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/web/webtest"
)

// Check compares the section of a service in the page with its settings. first are the variables of
// the table for a new installation. With -update it writes the section.
func Check(t *testing.T, page, service string, first []string, settings []daemon.Setting) {
	t.Helper()
	webtest.CheckPart(t, page, "settings of "+service, render(t, first, settings))
}

// render returns the table of the first settings and that of the others.
func render(t *testing.T, first []string, settings []daemon.Setting) string {
	t.Helper()
	var essential, others strings.Builder
	known := 0
	prefix, _, _ := strings.Cut(first[0], "LISTEN")
	shared := map[string]bool{}
	common, err := daemon.Program{Prefix: "WF_"}.Describe(&struct {
		daemon.Settings `embed:"" envprefix:"WF_"`
	}{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range common {
		shared[s.Variable] = true
	}
	for _, s := range settings {
		if name := "WF_" + strings.TrimPrefix(s.Variable, prefix); prefix != "WF_" && shared[name] {
			s.Help = "As `" + name + "`."
		}
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
