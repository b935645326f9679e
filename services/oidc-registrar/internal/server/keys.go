package server

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// devEncKey is the file of the key that development makes.
const devEncKey = "dev-enc.key"

// rekeyBatch is how many tokens are sealed anew in one transaction.
const rekeyBatch = 1000

// keys are those that seal secrets; none when none are configured. Development makes one.
func (c *Config) keys() (seal.Keys, error) {
	text := string(c.EncKeys)
	if text == "" && c.Dev {
		var err error
		if text, err = c.Keep(devEncKey, func() string { return "dev:" + seal.NewKey() }); err != nil {
			return seal.Keys{}, err
		}
	}
	if text == "" {
		return seal.Keys{}, nil
	}
	keys, err := seal.Parse(text)
	if err != nil {
		err = fmt.Errorf("%sENC_KEYS: %w", prefix, err)
	}
	return keys, err
}

// CheckKeys says what is wrong with keys that Rekey is to use.
func CheckKeys(keys daemon.Secret) error {
	p := daemon.NewProblems(prefix)
	if keys == "" {
		p.Add("ENC_KEYS", "name the new key, then those before it: ID:BASE64,…")
	} else if _, err := seal.Parse(string(keys)); err != nil {
		p.Add("ENC_KEYS", "%w", err)
	}
	return p.Err()
}

// Rekey encrypts what is kept encrypted with the first of the keys, and says how much had
// another, or none; after an error, how much before it.
func Rekey(ctx context.Context, db *sqldb.DB, text daemon.Secret) (done string, err error) {
	keys, err := seal.Parse(string(text))
	if err != nil {
		return "", fmt.Errorf("%sENC_KEYS: %w", prefix, err)
	}
	core := register.New(register.Options{Store: store.New(db), Keys: keys})
	tokens, err := core.Rekey(ctx, rekeyBatch)
	endpoints := 0
	if err == nil {
		endpoints, err = core.RekeyEndpoints(ctx)
	}
	if err != nil {
		err = fmt.Errorf("%sENC_KEYS: %w", prefix, err)
	}
	return fmt.Sprintf("%d registration access tokens and %d webhook endpoints re-encrypted", tokens, endpoints), err
}
