package approval_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"

	"github.com/countersign/countersign/libs/egress"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/approval"
)

// A token of the development issuer ends before the service does.
func TestEveryCallHasTheTokenOfItsTime(t *testing.T) {
	var got []string
	wf := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusNotFound)
	}))
	defer wf.Close()
	n := 0
	service, err := approval.New(approval.Options{
		URL: wf.URL, WebhookSecret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", // 24 bytes without an owner
		Token:  func() (string, error) { n++; return fmt.Sprint("token-", n), nil },
		Egress: egress.Policy{AllowHTTP: true, AnyPort: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, _ = service.Verdict(t.Context(), registrar.Approval{RequestID: "r"})
	}
	if want := []string{"Bearer token-1", "Bearer token-2"}; !slices.Equal(got, want) {
		t.Errorf("wf got %q, want %q", got, want)
	}
}
