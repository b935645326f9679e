package signing

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
)

// The message of the examples of Standard Webhooks, signed by its other libraries.
func TestTheSignatureIsThatOfOtherLibraries(t *testing.T) {
	keys, err := parseSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Sign(outbox.SignHMAC, keys, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("signature = %s, %v; want %s", got, err, want)
	}
}

func TestASecretHasItsForm(t *testing.T) {
	of := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	tests := map[string]struct {
		text string
		want string // part of the error; empty when the secret is good
	}{
		"shortest":           {of(24), ""},
		"longest":            {of(64), ""},
		"two":                {of(24) + " " + of(32), ""},
		"too short":          {of(23), "has 23 bytes"},
		"too long":           {of(65), "has 65 bytes"},
		"a good and a bad":   {of(24) + " " + of(1), "has 1 bytes"},
		"nothing":            {"", "is empty"},
		"blanks":             {"  ", "is empty"},
		"no prefix":          {strings.TrimPrefix(of(32), "whsec_"), "is not whsec_"},
		"another prefix":     {"whsk_" + strings.TrimPrefix(of(32), "whsec_"), "is not whsec_"},
		"not base64":         {"whsec_!" + strings.Repeat("A", 31), "is not whsec_"},
		"no padding":         {strings.TrimRight(of(32), "="), "is not whsec_"},
		"base64 of URLs":     {"whsec_" + strings.Repeat("-_", 22), "is not whsec_"},
		"bits that are lost": {strings.TrimSuffix(of(32), "A=") + "B=", "is not whsec_"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := NewSecrets(map[string]string{"erp": tt.text}, nil)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), `"erp": `+tt.want)) {
				t.Fatalf("error = %v, want %q", err, tt.want)
			}
			if secret := strings.TrimPrefix(tt.text, "whsec_"); err != nil && len(secret) > 5 && strings.Contains(err.Error(), secret) {
				t.Errorf("the error repeats the secret: %v", err)
			}
		})
	}
}

func TestEveryBadSecretIsNamed(t *testing.T) {
	_, err := NewSecrets(map[string]string{"a": "x"}, map[string]string{"b.example": "", "https://c.example": secret("c"), "d.example:443": secret("d")})
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{`secret of "a"`, `host "b.example"`, `host "https://c.example"`, `host "d.example:443"`} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error does not name %s: %v", name, err)
		}
	}
}

func TestACallbackIsKnownByItsHost(t *testing.T) {
	s, err := NewSecrets(map[string]string{"erp": secret("erp")}, map[string]string{"Orders.example": secret("orders")})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		target outbox.Target
		want   bool
	}{
		"named":                        {outbox.Target{Endpoint: "erp"}, true},
		"another name":                 {outbox.Target{Endpoint: "crm"}, false},
		"a name, host of a callback":   {outbox.Target{Endpoint: "orders.example"}, false},
		"a name with a callback's URL": {outbox.Target{Endpoint: "crm", URL: "https://orders.example/"}, false},
		"host":                         {outbox.Target{URL: "https://orders.example/a?b"}, true},
		"host in capitals, port":       {outbox.Target{URL: "https://ORDERS.example:8443/"}, true},
		"below the host":               {outbox.Target{URL: "https://x.orders.example/"}, false},
		"another host":                 {outbox.Target{URL: "https://orders.example.org/"}, false},
		"host as user":                 {outbox.Target{URL: "https://orders.example@evil.example/"}, false},
		"not a URL":                    {outbox.Target{URL: "https://orders.example:x/"}, false},
		"nothing":                      {outbox.Target{}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := s.Has(tt.target); got != tt.want {
				t.Errorf("Has = %t, want %t", got, tt.want)
			}
		})
	}
	if (Secrets{}).Has(outbox.Target{Endpoint: "erp"}) {
		t.Error("the zero value has a secret")
	}
}

// secret returns a secret that is different for every name.
func secret(name string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%032s", name))
}
