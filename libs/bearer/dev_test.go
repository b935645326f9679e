package bearer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestADevelopmentTokenIsAccepted(t *testing.T) {
	d, err := OpenDevIssuer(filepath.Join(t.TempDir(), "data", "dev-issuer.jwk"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := d.Issue(DevToken{
		Issuer: testIssuer, Subject: "ana", Audience: testAudience,
		Roles: []string{"WF_VIEWER", "WF_ADMIN"}, Scopes: []string{"a", "b"},
		Claims: map[string]any{"acr": "gold"}, TTL: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := New(Config{Issuer: testIssuer, Audience: testAudience, Keys: d.JWKS()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.Verify(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	if got.Subject != "ana" || got.ID == "" || got.ACR != "gold" || got.ExpiresAt.Sub(got.IssuedAt) != time.Minute {
		t.Errorf("token = %+v", got)
	}
	if roles := got.Roles("/realm_access/roles"); !reflect.DeepEqual(roles, []string{"WF_VIEWER", "WF_ADMIN"}) {
		t.Errorf("roles = %v", roles)
	}
	if scopes := got.Scopes(); !reflect.DeepEqual(scopes, []string{"a", "b"}) {
		t.Errorf("scopes = %v", scopes)
	}
}

func TestADevelopmentClaimReplacesTheIssuersOwn(t *testing.T) {
	d, err := OpenDevIssuer(filepath.Join(t.TempDir(), "dev-issuer.jwk"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := d.Issue(DevToken{Issuer: testIssuer, Subject: "ana", Audience: testAudience, Claims: map[string]any{"iat": 1, "exp": 2}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := New(Config{Issuer: testIssuer, Audience: testAudience, Keys: d.JWKS()})
	if err != nil {
		t.Fatal(err)
	}
	wantVerify(t, v, raw, ErrInvalid)
}

func TestTheDevelopmentKeyIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dev-issuer.jwk")
	sets := make([]string, 16)
	var openers sync.WaitGroup
	for i := range sets {
		openers.Go(func() {
			d, err := OpenDevIssuer(path)
			if err != nil {
				t.Error(err)
				return
			}
			sets[i] = string(d.JWKS())
		})
	}
	openers.Wait()
	for _, set := range sets {
		if set != sets[0] {
			t.Fatalf("two keys: %s and %s", set, sets[0])
		}
	}
	if strings.Contains(sets[0], `"d"`) {
		t.Error("the key set has the private key")
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(names) != 0 {
		t.Errorf("left over: %v, %v", names, err)
	}
}

func TestABadDevelopmentKeyIsReportedNotReplaced(t *testing.T) {
	for name, content := range map[string]string{
		"empty":         ``,
		"another kind":  `{"kty":"RSA","n":"AQAB"}`,
		"another curve": `{"kty":"EC","crv":"P-384","d":"AQAB"}`,
		"no secret":     `{"kty":"EC","crv":"P-256"}`,
		"zero":          `{"kty":"EC","crv":"P-256","d":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`,
		"not base64url": `{"kty":"EC","crv":"P-256","d":"*"}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "dev-issuer.jwk")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenDevIssuer(path); err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("OpenDevIssuer = %v, want an error about the file", err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != content {
				t.Errorf("the file became %q, %v", got, err)
			}
		})
	}
}
