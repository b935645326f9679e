package daemon

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
)

// SealKeys are the keys of ENC_KEYS, which encrypt secrets; none when none are configured.
// Development makes one.
func (s *Settings) SealKeys(text Secret) (seal.Keys, error) {
	if text == "" && s.Dev {
		made, err := s.Keep("dev-enc.key", func() string { return "dev:" + seal.NewKey() })
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

// RekeyCommand is what a command has that encrypts again what is kept encrypted. It embeds
// it and calls Rekey.
type RekeyCommand struct {
	DatabaseCommand
	EncKeys Secret `env:"ENC_KEYS" help:"The new key first, then those before it: ID:BASE64,…"`
}

// Rekey is Work with the keys of the command.
func (c *RekeyCommand) Rekey(w *Process, p Program, work func(context.Context, *sqldb.DB, seal.Keys) (done string, err error)) error {
	problems := NewProblems(p.Prefix)
	problems.If(c.EncKeys == "", "ENC_KEYS", "name the new key, then those before it: ID:BASE64,…")
	keys, err := seal.Parse(string(c.EncKeys))
	problems.If(err != nil && c.EncKeys != "", "ENC_KEYS", "%w", err)
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
