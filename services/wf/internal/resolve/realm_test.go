package resolve_test

import (
	"bytes"
	"cmp"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/keycloaktest"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/resolve"
	"github.com/countersign/countersign/services/wf/policy"
)

// local lets the resolver call servers of the tests.
var local = egress.Policy{AllowHTTP: true, AnyPort: true, RetryWait: time.Nanosecond, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

// realm is an empty realm of the double.
func realm(t *testing.T) *keycloaktest.Keycloak {
	k := keycloaktest.New()
	t.Cleanup(k.Close)
	return k
}

// sample is the realm of deploy/keycloak: a real one when KEYCLOAK_URL names it,
// else the double's. A real one may be on a machine that has much else to do.
func sample(t *testing.T) *resolve.Resolver {
	if url := os.Getenv("KEYCLOAK_URL"); url != "" {
		return resolve.New(resolve.Options{Outbound: local, Timeout: time.Minute, Keycloak: &resolve.Keycloak{
			URL: url, Realm: cmp.Or(os.Getenv("KEYCLOAK_REALM"), "countersign"),
			ClientID:     cmp.Or(os.Getenv("KEYCLOAK_CLIENT_ID"), "wf-directory"),
			ClientSecret: cmp.Or(os.Getenv("KEYCLOAK_CLIENT_SECRET"), "directory-secret"),
		}})
	}
	k := realm(t)
	if err := k.Load("../../../../deploy/keycloak/realm.json"); err != nil {
		t.Fatal(err)
	}
	return over(k, resolve.Options{})
}

// over returns a resolver that queries a double.
func over(k *keycloaktest.Keycloak, o resolve.Options) *resolve.Resolver {
	o.Keycloak = &resolve.Keycloak{URL: k.URL + "/", Realm: k.Realm, ClientID: k.ClientID, ClientSecret: k.ClientSecret}
	o.Outbound, o.Timeout = local, cmp.Or(o.Timeout, time.Hour)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return resolve.New(o)
}

// usernames are those of the people, sorted.
func usernames(people []identity.User) []string {
	names := []string{}
	for _, u := range people {
		names = append(names, u.Username)
	}
	slices.Sort(names)
	return names
}

func role(name string) approver.Question {
	return approver.Question{Rule: policy.Rule{Type: policy.RuleRole, Role: name}}
}

// noon is when a test begins whose clock it moves.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// logs returns a logger and its output.
func logs() (*slog.Logger, *bytes.Buffer) {
	var text bytes.Buffer
	return slog.New(slog.NewTextHandler(&text, nil)), &text
}
