package api

import (
	"cmp"
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

// The table under "Errors" in docs/reference.md has the columns partner codes, provider codes and condition, which
// begins with a status other than 200. A sentence below it has the failures of the transport.
func TestReferenceListsTheCodes(t *testing.T) {
	data, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n## Errors\n")
	section, _, _ = strings.Cut(section, "\nThe transport answers ")
	code := regexp.MustCompile("`([^`]+)`")
	documented := map[row]bool{}
	line := regexp.MustCompile("(?m)^\\| (`[^|]+) \\| ([^|]+) \\| (?:(\\d{3}): )?")
	for _, cells := range line.FindAllStringSubmatch(section, -1) {
		status, _ := strconv.Atoi(cmp.Or(cells[3], "200"))
		for _, partner := range code.FindAllStringSubmatch(cells[1], -1) {
			providers := code.FindAllStringSubmatch(cells[2], -1)
			if cells[2] == "the same" {
				providers = [][]string{partner}
			}
			for _, provider := range providers {
				documented[row{partner[1], provider[1], status}] = true
			}
		}
	}
	want := map[row]bool{}
	for _, r := range codes {
		transport := r.partner == badParameter && r.status != 200
		if want[r] = true; !transport && !documented[r] {
			t.Errorf("docs/reference.md does not list %+v", r)
		}
	}
	for r := range documented {
		if !want[r] {
			t.Errorf("docs/reference.md lists %+v, which is never sent", r)
		}
	}
}
