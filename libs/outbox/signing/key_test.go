package signing

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/seal/sealtest"
)

// newKey makes a key with the secret, or with a new one.
func newKey(t *testing.T, secret string) Key {
	t.Helper()
	k, err := NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// verifies counts the keys with a signature of each scheme in the header, like receivers with one
// key each.
func verifies(t *testing.T, header string, keys []Key, id string, at time.Time, payload []byte) (v1, v1a int) {
	t.Helper()
	for _, k := range keys {
		reference, err := standardwebhooks.NewWebhook(k.Secret())
		if err != nil {
			t.Fatal(err)
		}
		headers := http.Header{}
		headers.Set("webhook-id", id)
		headers.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
		headers.Set("webhook-signature", header)
		if reference.VerifyIgnoringTimestamp(payload, headers) == nil {
			v1++
		}
		public, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(k.PublicKey(), "whpk_"))
		if err != nil || len(public) != ed25519.PublicKeySize {
			t.Fatalf("%s: %d bytes, %v", k.PublicKey(), len(public), err)
		}
		for _, signature := range strings.Split(header, " ") {
			encoded, ok := strings.CutPrefix(signature, "v1a,")
			if !ok {
				continue
			}
			raw, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				t.Fatal(err)
			}
			if ed25519.Verify(public, fmt.Appendf(nil, "%s.%d.%s", id, at.Unix(), payload), raw) {
				v1a++
			}
		}
	}
	return v1, v1a
}

func TestAMessageIsSignedWithEachKeyByTheScheme(t *testing.T) {
	keys := []Key{newKey(t, ""), newKey(t, "")}
	stranger := []Key{newKey(t, "")}
	at, payload := time.Unix(1_800_000_000, 999_000_000), []byte(`{"type":"request.approved"}`)
	tests := map[outbox.SignatureScheme]struct{ v1, v1a int }{
		outbox.SignHMAC:    {2, 0},
		outbox.SignEd25519: {0, 2},
		outbox.SignBoth:    {2, 2},
	}
	for scheme, want := range tests {
		t.Run(string(scheme), func(t *testing.T) {
			header, err := Sign(scheme, keys, "0199", at, payload)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(strings.Split(header, " ")); n != want.v1+want.v1a {
				t.Errorf("%d signatures, want %d", n, want.v1+want.v1a)
			}
			if v1, v1a := verifies(t, header, keys, "0199", at, payload); v1 != want.v1 || v1a != want.v1a {
				t.Errorf("%d verify v1 and %d v1a, want %d and %d", v1, v1a, want.v1, want.v1a)
			}
			for what, found := range map[string]func() (int, int){
				"another key":     func() (int, int) { return verifies(t, header, stranger, "0199", at, payload) },
				"another id":      func() (int, int) { return verifies(t, header, keys, "0198", at, payload) },
				"another time":    func() (int, int) { return verifies(t, header, keys, "0199", at.Add(time.Second), payload) },
				"another payload": func() (int, int) { return verifies(t, header, keys, "0199", at, append(payload, ' ')) },
			} {
				if v1, v1a := found(); v1+v1a != 0 {
					t.Errorf("%s: %d verify v1 and %d v1a", what, v1, v1a)
				}
			}
		})
	}
}

func TestNothingIsSignedWithoutAKeyForIt(t *testing.T) {
	shared, err := parseSecrets(secret("callbacks"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		scheme outbox.SignatureScheme
		keys   []Key
	}{
		"no key":                    {outbox.SignHMAC, nil},
		"a shared secret alone":     {outbox.SignEd25519, shared},
		"a shared secret, for both": {outbox.SignBoth, shared},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if header, err := Sign(tt.scheme, tt.keys, "0199", time.Unix(1, 0), nil); err == nil || header != "" {
				t.Errorf("Sign = %q, %v; want an error", header, err)
			}
		})
	}
}

func TestANewKeyHasTheGivenSecretOrARandomOne(t *testing.T) {
	if got := newKey(t, secret("erp")); got.Secret() != secret("erp") {
		t.Errorf("secret = %s, want the given %s", got.Secret(), secret("erp"))
	}
	a, b := newKey(t, ""), newKey(t, "")
	if a.Secret() == b.Secret() || a.PublicKey() == b.PublicKey() {
		t.Error("two new keys are the same")
	}
	raw, err := parseSecret(a.Secret())
	if err != nil || len(raw) != 32 {
		t.Errorf("secret %s has %d bytes, %v; want 32", a.Secret(), len(raw), err)
	}
	if again := newKey(t, secret("erp")); again.PublicKey() == newKey(t, secret("erp")).PublicKey() {
		t.Error("the Ed25519 key is derived from the secret shared with receivers")
	}
	if _, err := NewKey("whsec_c2hvcnQ="); err == nil || strings.Contains(err.Error(), "c2hvcnQ") {
		t.Errorf("error for a short secret = %v", err)
	}
}

func TestSealedKeyDisclosesOnlyHintAndPublicKey(t *testing.T) {
	keys, k := sealtest.Keys(t, "k1"), newKey(t, secret("erp"))
	sealed, err := Seal(keys, "e1", k)
	if err != nil {
		t.Fatal(err)
	}
	if want := secret("erp")[len(secret("erp"))-4:]; sealed.Hint != want || sealed.PublicKey != k.PublicKey() {
		t.Errorf("hint %q, public key %s; want %q, %s", sealed.Hint, sealed.PublicKey, want, k.PublicKey())
	}
	private := base64.StdEncoding.EncodeToString(k.private.Seed())[:40]
	if strings.Contains(sealed.Sealed, secret("erp")) || strings.Contains(sealed.Sealed, private) {
		t.Errorf("the sealed key shows the key: %s", sealed.Sealed)
	}
	again, err := Seal(keys, "e1", k)
	if err != nil || again.Sealed == sealed.Sealed {
		t.Errorf("sealed twice the same, %v", err)
	}
}

func TestASealedKeyOpensInItsPlaceAlone(t *testing.T) {
	k := newKey(t, "")
	sealed, err := Seal(sealtest.Keys(t, "k1"), "e1", k)
	if err != nil {
		t.Fatal(err)
	}
	changed := sealed
	changed.Sealed = strings.Replace(sealed.Sealed, "k1:", "k2:", 1)
	tests := map[string]struct {
		keys     seal.Keys
		endpoint string
		sealed   outbox.SealedKey
		want     error
	}{
		"its key":                 {sealtest.Keys(t, "k1"), "e1", sealed, nil},
		"its key among others":    {sealtest.Keys(t, "k3", "k2", "k1"), "e1", sealed, nil},
		"another endpoint":        {sealtest.Keys(t, "k1"), "e2", sealed, seal.ErrDamaged},
		"no endpoint":             {sealtest.Keys(t, "k1"), "", sealed, seal.ErrDamaged},
		"another key":             {sealtest.Keys(t, "k2"), "e1", sealed, seal.ErrUnknownKey},
		"no keys":                 {seal.Keys{}, "e1", sealed, seal.ErrUnknownKey},
		"another id for the key":  {sealtest.Keys(t, "k2", "k1"), "e1", changed, seal.ErrDamaged},
		"nothing that was sealed": {sealtest.Keys(t, "k1"), "e1", outbox.SealedKey{}, seal.ErrDamaged},
		"an open secret":          {sealtest.Keys(t, "k1"), "e1", outbox.SealedKey{Sealed: k.Secret()}, seal.ErrDamaged},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Open(tt.keys, tt.endpoint, tt.sealed)
			if !errors.Is(err, tt.want) {
				t.Fatalf("Open = %v, want %v", err, tt.want)
			}
			if tt.want == nil && (got.Secret() != k.Secret() || got.PublicKey() != k.PublicKey() || !got.private.Equal(k.private)) {
				t.Error("the key is another one")
			}
			if err != nil && strings.Contains(err.Error(), strings.TrimPrefix(k.Secret(), "whsec_")) {
				t.Errorf("the error repeats the secret: %v", err)
			}
		})
	}
}

func TestASealedTextThatIsNoKeyOfAnEndpointIsRefused(t *testing.T) {
	keys := sealtest.Keys(t, "k1")
	for _, text := range []string{"", secret("erp"), secret("erp") + " whsk_", secret("erp") + " whsk_AAAA", " whsk_" + strings.Repeat("A", 86) + "=="} {
		sealed, err := keys.Seal([]byte(text), place("e1"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(keys, "e1", outbox.SealedKey{Sealed: sealed}); err == nil {
			t.Errorf("%q was taken for a key", text)
		}
	}
}

func TestResealingMovesAKeyToTheFirstOfTheKeys(t *testing.T) {
	k := newKey(t, "")
	old, err := Seal(sealtest.Keys(t, "k1"), "e1", k)
	if err != nil {
		t.Fatal(err)
	}
	both := sealtest.Keys(t, "k2", "k1")
	moved, err := Reseal(both, "e1", old)
	if err != nil || !both.IsCurrent(moved.Sealed) {
		t.Fatalf("Reseal = %s, %v; want it sealed with k2", moved.Sealed, err)
	}
	if diff := cmp.Diff(outbox.SealedKey{Sealed: moved.Sealed, Hint: old.Hint, PublicKey: old.PublicKey}, moved); diff != "" {
		t.Errorf("the public members have changed (-want +got):\n%s", diff)
	}
	got, err := Open(sealtest.Keys(t, "k2"), "e1", moved)
	if err != nil || got.Secret() != k.Secret() || !got.private.Equal(k.private) {
		t.Errorf("the new key alone does not open it: %v", err)
	}
	for name, tt := range map[string]struct {
		keys   seal.Keys
		id     string
		sealed outbox.SealedKey
		want   error
	}{
		"one that is there already": {both, "e1", moved, nil},
		"none":                      {both, "e1", outbox.SealedKey{}, nil},
		"one of an unknown key":     {sealtest.Keys(t, "k2"), "e1", old, seal.ErrUnknownKey},
		"one of another endpoint":   {both, "e2", old, seal.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			same, err := Reseal(tt.keys, tt.id, tt.sealed)
			if !errors.Is(err, tt.want) {
				t.Errorf("Reseal = %v, want %v", err, tt.want)
			}
			if diff := cmp.Diff(tt.sealed, same); diff != "" {
				t.Errorf("it was changed (-want +got):\n%s", diff)
			}
		})
	}
}
