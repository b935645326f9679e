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
		if err := tx.erase(rows, dryRun, tx.Table(of.table).Where(of.where, id), of.table, nil); err != nil {
			return nil, err
		}
	}
	for _, column := range []string{"delegator", "delegate", "created_by", "revoked_by"} {
		for _, member := range idMembers(id) {
			named := tx.Table("delegation").Where(position(tx.DB, column)+" = 1", "{"+member+",")
			if err := tx.erase(rows, dryRun, named, "delegation", map[string]any{column: "{" + member + "}"}); err != nil {
				return nil, err
			}
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
		if err := tx.erase(rows, dryRun, named, "idempotency_key", nil); err != nil {
			return err
		}
	}
	return nil
}

// erase deletes the rows of a query, or sets columns of them, and adds their number to rows.
func (tx *Tx) erase(rows map[string]int64, dryRun bool, q *gorm.DB, table string, set map[string]any) error {
	var n int64
	var err error
	switch {
	case dryRun:
		err = q.Count(&n).Error
	case set == nil:
		done := q.Delete(nil)
		n, err = done.RowsAffected, done.Error
	default:
		done := q.Updates(set)
		n, err = done.RowsAffected, done.Error
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
