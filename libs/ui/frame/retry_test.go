package frame_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/i18n"
)

// Only a form of these pages is shown again after a failure: a button on the page sends it.
func TestAFailedFormOfAnotherSiteIsNotShownAgain(t *testing.T) {
	shown := ""
	site := frame.New(frame.Options{Root: "/inbox", Texts: i18n.Catalogue{}, Languages: []string{"en"}, Now: time.Now,
		Show: func(_ *frame.Request, _ int, p frame.Page) error {
			shown = p.Name
			return nil
		}})
	for _, tt := range []struct {
		method, from, body string
		status             int
		page               string
	}{
		{"POST", "same-origin", "comment=x", 503, "retry"}, {"POST", "same-origin", "comment=x", 500, "retry"},
		{"POST", "cross-site", "comment=x", 503, "status"}, {"POST", "same-site", "comment=x", 503, "status"},
		{"POST", "same-origin", "comment=x", 404, "status"}, {"POST", "same-origin", "", 503, "status"},
		{"POST", "same-origin", "comment=%00", 503, "status"}, {"POST", "same-origin", "comment=" + strings.Repeat("x", 1<<20), 503, "status"},
		{"GET", "same-origin", "", 503, "status"},
	} {
		r := httptest.NewRequest(tt.method, "/inbox/new", strings.NewReader(tt.body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", tt.from)
		site.ServeStatus(httptest.NewRecorder(), r, tt.status)
		if shown != tt.page {
			t.Errorf("%s from %s with %d bytes, %d: page %s, want %s", tt.method, tt.from, len(tt.body), tt.status, shown, tt.page)
		}
	}
}
