package api

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var errorRow = regexp.MustCompile("(?m)^\\| `(WF-0[01]\\d)` \\| (\\d{3}) \\|")

// extensions begin here: the README has them outside its table of the catalogue.
const extensions = "WF-090"

func TestTheReadmeListsEveryCodeWithItsStatus(t *testing.T) {
	readme, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, known []string
	for _, row := range errorRow.FindAllStringSubmatch(string(readme), -1) {
		listed = append(listed, row[1]+" "+row[2])
	}
	for _, row := range wire {
		if row.code >= extensions {
			if !strings.Contains(string(readme), "`"+row.code+"`") {
				t.Errorf("docs/reference.md lacks %s", row.code)
			}
			continue
		}
		known = append(known, fmt.Sprintf("%s %d", row.code, row.status))
	}
	slices.Sort(known)
	slices.Sort(listed)
	if diff := cmp.Diff(slices.Compact(known), listed); diff != "" {
		t.Errorf("docs/reference.md differs from the table of refusals (-code +README):\n%s", diff)
	}
}
