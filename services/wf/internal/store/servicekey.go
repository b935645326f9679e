package store

import (
	"context"
	"crypto/rand"
	"encoding/base64"

	"github.com/countersign/countersign/libs/sqldb"
)

// ServiceKey returns the key of 32 random bytes with this name. The first caller of
// all processes makes it. It protects nothing that the database does not hold as well:
// it authenticates cursors and turns addresses into pseudonyms.
func (s *Store) ServiceKey(ctx context.Context, name string) ([]byte, error) {
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	var stored string
	err := s.Do(ctx, func(tx *Tx) error {
		return tx.Load(
			sqldb.Select{SQL: "INSERT INTO service_key (name, key) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET key = service_key.key RETURNING key",
				Args: []any{name, base64.StdEncoding.EncodeToString(fresh)}, Into: &stored},
		)
	})
	if err != nil {
		return nil, failed(err, "load service key %s", name)
	}
	key, err := base64.StdEncoding.DecodeString(stored)
	return key, failed(err, "read service key %s", name)
}
