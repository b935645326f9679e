package daemon

import (
	"context"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
)

func TestRekeyValidatesKeysBeforeOpeningTheDatabase(t *testing.T) {
	for name, tt := range map[string]struct{ keys, want string }{
		"none":      {"", "configuration:\nX_ENC_KEYS: name the new key"},
		"a bad one": {"k1:canary", "configuration:\nX_ENC_KEYS: "},
		"good ones": {"k1:" + seal.NewKey(), "X_DATABASE_URL: "}, // that comes next, and is missing
	} {
		c := RekeyCommand{EncKeys: Secret(tt.keys)}
		err := c.Rekey(&Process{Context: t.Context()}, Program{Prefix: "X_"}, func(context.Context, *sqldb.DB, seal.Keys) (string, error) {
			t.Errorf("%s: it works on a database", name)
			return "", nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestOnlyDevelopmentMakesKeysThatEncrypt(t *testing.T) {
	production, development := Settings{Prefix: "X_", DataDir: t.TempDir()}, Settings{Prefix: "X_", DataDir: t.TempDir(), Dev: true}
	if keys, err := production.SealKeys(""); err != nil || !keys.IsEmpty() {
		t.Errorf("production has keys without a setting: %v", err)
	}
	if _, err := production.SealKeys("k1:canary"); err == nil || !strings.HasPrefix(err.Error(), "X_ENC_KEYS: ") ||
		strings.Contains(err.Error(), "canary") {
		t.Errorf("a bad key: %v", err)
	}
	first, err := development.SealKeys("")
	if err != nil {
		t.Fatal(err)
	}
	second, err := development.SealKeys("")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := first.Seal([]byte("text"), "place")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := second.Open(sealed, "place"); err != nil || string(text) != "text" {
		t.Errorf("another start has another key: %q, %v", text, err)
	}
}
