package daemon

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
)

// SealKeys returns the keys of ENC_KEYS, which encrypt secrets, or none if unset. In development mode it
// creates a key.
func (s *Settings) SealKeys(text Secret) (seal.Keys, error) {
	if text == "" && s.Dev {
		made, err := s.DevelopmentSecret("dev-enc.key", func() string { return "dev:" + seal.NewKey() })
		if err != nil {
			return seal.Keys{}, err
		}
		text = Secret(made)
	}
	if text == "" {
		return seal.Keys{}, nil
	}
	keys, err := seal.Parse(string(text))
	if err != nil {
		err = fmt.Errorf("%sENC_KEYS: %w", s.Prefix, err)
	}
	return keys, err
}

// RekeyCommand is embedded by commands that re-encrypt stored secrets with a new key. They call Rekey.
type RekeyCommand struct {
	DatabaseCommand
	EncKeys Secret `env:"ENC_KEYS" help:"The new key first, then those before it: ID:BASE64,…"`
}

// Rekey is Work with the keys of the command.
func (c *RekeyCommand) Rekey(w *Process, p Program, work func(context.Context, *sqldb.DB, seal.Keys) (done string, err error)) error {
	problems := NewProblems(p.Prefix)
	problems.AddIf(c.EncKeys == "", "ENC_KEYS", "name the new key, then those before it: ID:BASE64,…")
	keys, err := seal.Parse(string(c.EncKeys))
	problems.AddIf(err != nil && c.EncKeys != "", "ENC_KEYS", "%w", err)
	if err := problems.Err(); err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		done, err := work(ctx, db, keys)
		if err != nil {
			err = fmt.Errorf("%sENC_KEYS: %w", p.Prefix, err)
		}
		return done, err
	})
}
