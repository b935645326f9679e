package store

import (
	"context"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/services/wf"
)

// savedFilterRow is a filter that a user keeps for the worklist.
type savedFilterRow struct {
	UserID    string `gorm:"primaryKey"`
	Name      string `gorm:"primaryKey"`
	Query     string
	CreatedMS int64
}

// SavedFilters returns the filters of a user by name, at most wf.MaxSavedFilters.
func (s *Store) SavedFilters(ctx context.Context, user string) (filters []wf.SavedFilter, err error) {
	err = s.db.Read(ctx).Model(&savedFilterRow{}).Select("name", "query").Where("user_id = ?", printable(user)).
		Order("name").Limit(wf.MaxSavedFilters).Find(&filters).Error
	return filters, wrapError(err, "load the saved filters of a user")
}

// SaveFilter stores a filter of a user, in place of one with its name.
func (tx *Tx) SaveFilter(user string, f wf.SavedFilter) error {
	row := savedFilterRow{UserID: printable(user), Name: f.Name, Query: f.Query, CreatedMS: ms(tx.Now())}
	err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
	return wrapError(err, "save a filter")
}

// DeleteFilter deletes a filter of a user.
func (s *Store) DeleteFilter(ctx context.Context, user, name string) error {
	return wrapError(s.Do(ctx, func(tx *Tx) error {
		return tx.Where("user_id = ? AND name = ?", printable(user), printable(name)).Delete(&savedFilterRow{}).Error
	}), "delete a filter")
}
