package store

import (
	"context"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/receipt"
)

// signingKeyRow is the public part of a key of receipts.
type signingKeyRow struct {
	KID          string `gorm:"column:kid;primaryKey"`
	Public       string
	SinceMS      int64
	DistrustedMS int64
}

// AddSigningKeys stores public keys that are not stored yet. It returns the keys with the stored ids, distrusted ones
// apart.
func (s *Store) AddSigningKeys(ctx context.Context, keys []receipt.PublicKey) (trusted, distrusted []receipt.PublicKey, err error) {
	var rows []signingKeyRow
	err = s.Do(ctx, func(tx *Tx) error {
		var added []signingKeyRow
		var ids []string
		for _, k := range keys {
			added = append(added, signingKeyRow{KID: k.ID, Public: k.Value, SinceMS: ms(tx.Now())})
			ids = append(ids, k.ID)
		}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&added).Error; err != nil {
			return err
		}
		return tx.Find(&rows, "kid IN ?", ids).Error
	})
	trusted, distrusted = partition(rows)
	return trusted, distrusted, wrapError(err, "store the keys of receipts")
}

// SigningKeys returns every key that was not distrusted, the newest first.
func (s *Store) SigningKeys(ctx context.Context) ([]receipt.PublicKey, error) {
	var rows []signingKeyRow
	err := s.db.Read(ctx).Order("since_ms DESC, kid").Find(&rows, "distrusted_ms = 0").Error
	trusted, _ := partition(rows)
	return trusted, wrapError(err, "list the keys of receipts")
}

func partition(rows []signingKeyRow) (trusted, distrusted []receipt.PublicKey) {
	for _, row := range rows {
		if k := (receipt.PublicKey{ID: row.KID, Value: row.Public}); row.DistrustedMS == 0 {
			trusted = append(trusted, k)
		} else {
			distrusted = append(distrusted, k)
		}
	}
	return trusted, distrusted
}

// DistrustSigningKey removes a key from the published ones and reports whether it was there.
func (s *Store) DistrustSigningKey(ctx context.Context, id string) (bool, error) {
	var found int64
	err := s.Do(ctx, func(tx *Tx) error {
		update := tx.Model(&signingKeyRow{}).Where("kid = ? AND distrusted_ms = 0", id).Update("distrusted_ms", ms(tx.Now()))
		found = update.RowsAffected
		return update.Error
	})
	return found > 0, wrapError(err, "distrust the key %s", id)
}

// Approval returns the event request.approved of a request and the hash of its policy version; zero without one.
func (s *Store) Approval(ctx context.Context, id string) (approved receipt.Link, policyHash string, err error) {
	var row struct {
		Seq               int64
		Hash, ContentHash string
	}
	if !isID(id) {
		return approved, "", nil
	}
	err = s.db.Read(ctx).Table("event AS e").Select("e.seq, e.hash, v.content_hash").
		Joins("JOIN request r ON r.id = ?", id).
		Joins("JOIN policy_version v ON v.policy_key = r.policy_key AND v.number = r.policy_version").
		Where("e.chain = ? AND e.type = ?", chainOf(id), audit.EventRequestApproved).Limit(1).Scan(&row).Error
	return receipt.Link{Seq: row.Seq, Hash: row.Hash}, row.ContentHash, wrapError(err, "find the approval of request %s", id)
}
