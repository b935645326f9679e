package store

import (
	"encoding/json"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
)

// Erase deletes the stored name and address of a person, their settings, notices and sessions, and the stored replies
// that name them. The id stays. It returns the number of rows by table; a dry run only counts them.
func (tx *Tx) Erase(id string, dryRun bool) (map[string]int64, error) {
	if err := sqldb.NoTimeout(tx.DB); err != nil {
		return nil, wrapError(err, "erase a person")
	}
	rows := map[string]int64{}
	id = printable(id)
	for _, of := range []rowsOf{{"person", "id = ?"}, {"notice_setting", "user_id = ?"}, {"notice_item", "user_id = ?"}, {"session", "user_id = ?"}} {
		if err := tx.erase(rows, dryRun, tx.Table(of.table).Where(of.where, id), of.table); err != nil {
			return nil, err
		}
	}
	return rows, tx.eraseReplies(rows, id, dryRun)
}

// EraseReplies deletes the stored replies that name a person.
func (tx *Tx) EraseReplies(id string) error {
	return tx.eraseReplies(map[string]int64{}, printable(id), false)
}

func (tx *Tx) eraseReplies(rows map[string]int64, id string, dryRun bool) error {
	for _, member := range idMembers(id) {
		named := tx.Table("idempotency_key").Where(position(tx.DB, "body")+" > 0", member)
		if err := tx.erase(rows, dryRun, named, "idempotency_key"); err != nil {
			return err
		}
	}
	return nil
}

// erase deletes the rows of a query and adds their number to rows.
func (tx *Tx) erase(rows map[string]int64, dryRun bool, q *gorm.DB, table string) error {
	var n int64
	err := q.Session(&gorm.Session{}).Count(&n).Error
	if err == nil && !dryRun {
		err = q.Delete(nil).Error
	}
	if n > 0 {
		rows[table] += n
	}
	return wrapError(err, "erase a person in %s", table)
}

func marks(n int) string { return "?" + strings.Repeat(", ?", n-1) }

// position returns the SQL expression for the position of a text in a column, 0 if absent.
func position(db *gorm.DB, column string) string {
	if db.Name() == "sqlite" {
		return "instr(" + column + ", ?)"
	}
	return "strpos(" + column + ", ?)"
}

// idMembers returns the JSON members with a person's id, in both escaping styles in use.
func idMembers(id string) []string {
	var c codec
	plain := `"id":` + c.text(id)
	escaped, _ := json.Marshal(id) // cannot fail for a string
	if other := `"id":` + string(escaped); other != plain {
		return []string{plain, other}
	}
	return []string{plain}
}
