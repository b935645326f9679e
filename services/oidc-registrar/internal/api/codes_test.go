package api

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func TestEveryReasonHasItsCodes(t *testing.T) {
	var reasons []error
	for _, reason := range registrar.Reasons {
		if codes[reason].status == 503 && retryAfter[reason] == 0 {
			t.Errorf("%s lacks Retry-After", reason)
		}
		reasons = append(reasons, reason)
	}
	for _, reason := range slices.Concat(outbox.Reasons, web.Reasons) {
		reasons = append(reasons, reason)
	}
	for _, reason := range reasons {
		row, ok := codes[reason]
		if !ok || row.partner == "" || row.provider == "" || row.status == 0 {
			t.Errorf("%s has no codes: %+v", reason, row)
		}
	}
	if len(codes) != len(reasons) {
		t.Errorf("%d rows for %d reasons", len(codes), len(reasons))
	}
}

// The table under "Errors" in docs/reference.md has the columns partner code, provider
// code, status, when. A sentence below it has the failures of the transport.
func TestReferenceListsTheCodes(t *testing.T) {
	data, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n## Errors\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []row
	for _, cells := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\| (\\d+) \\|").FindAllStringSubmatch(section, -1) {
		status, err := strconv.Atoi(cells[3])
		if err != nil {
			t.Fatal(err)
		}
		documented = append(documented, row{cells[1], cells[2], status})
	}
	want := map[row]bool{}
	for _, r := range codes {
		want[r] = true
	}
	for r := range want {
		transport := r.partner == badParameter && r.status != 200
		if !transport && !slices.Contains(documented, r) {
			t.Errorf("docs/reference.md does not list %+v", r)
		}
	}
	for _, r := range documented {
		if !want[r] {
			t.Errorf("docs/reference.md lists %+v, which is never sent", r)
		}
	}
}
