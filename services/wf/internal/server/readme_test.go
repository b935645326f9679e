package server_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/services/wf/internal/server"
)

// settingRow is a row of the table of settings: variable, default, meaning.
var settingRow = regexp.MustCompile("(?m)^\\| `(WF_[A-Z_]+)` \\| (?:`([^`]*)`)? ?\\| (.*) \\|$")

func TestTheReadmeListsEverySettingWithItsDefault(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, known []string
	for _, row := range settingRow.FindAllStringSubmatch(string(readme), -1) {
		listed = append(listed, strings.Join(row[1:], " | "))
	}
	settings, err := server.Program().Describe(&server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		known = append(known, strings.Join([]string{s.Variable, s.Default, s.Help}, " | "))
	}
	if diff := cmp.Diff(known, listed); diff != "" {
		t.Errorf("README.md differs from the settings of Config (-code +README):\n%s", diff)
	}
}
