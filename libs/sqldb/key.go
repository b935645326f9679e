package sqldb

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"

	"gorm.io/gorm"
)

// ServiceKey returns the named key of 32 random bytes from the table service_key (name, key). The first call
// of any process creates it. It protects data of the same database only: it authenticates cursors and
// pseudonymizes addresses.
func (db *DB) ServiceKey(ctx context.Context, name string) ([]byte, error) {
	return db.serviceKey(db.Read(ctx), name)
}

// serviceKey reads with the connection of q, because a second connection per caller could exhaust the pool.
func (db *DB) serviceKey(q *gorm.DB, name string) ([]byte, error) {
	if key, ok := db.keys.Load(name); ok {
		return key.([]byte), nil
	}
	var stored string
	ctx := q.Statement.Context
	err := q.Session(&gorm.Session{NewDB: true}).
		Table("service_key").Select("key").Where("name = ?", name).Scan(&stored).Error
	if err == nil && stored == "" {
		fresh := make([]byte, 32)
		_, _ = rand.Read(fresh) // never fails
		if db.readOnly {        // the key of this process alone
			key, _ := db.keys.LoadOrStore(name, fresh)
			return key.([]byte), nil
		}
		err = db.Do(ctx, func(tx *Tx) error {
			return tx.Batch(Stmt{
				SQL:  "INSERT INTO service_key (name, key) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET key = service_key.key RETURNING key",
				Args: []any{name, base64.StdEncoding.EncodeToString(fresh)}, Into: &stored,
			})
		})
	}
	key, bad := base64.StdEncoding.DecodeString(stored)
	if err = errors.Join(err, bad); err != nil {
		return nil, fmt.Errorf("load service key %s: %w", name, err)
	}
	db.keys.Store(name, key)
	return key, nil
}
