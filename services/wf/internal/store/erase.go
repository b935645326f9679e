package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/reason"
)

// names lists the columns with names and addresses of people. Event bodies contain only ids,
// because their hashes must not change.
var names = []struct {
	table   string
	key     []string // the primary key
	first   []any    // sorts before every key
	columns []string // JSON
	free    []string // free-text members, left unchanged
}{
	{"delegation", []string{"id"}, []any{noID}, []string{"delegator", "delegate", "created_by", "revoked_by"}, nil},
	{"policy_version", []string{"policy_key", "number"}, []any{"", 0}, []string{"created_by", "updated_by", "activated_by", "retired_by"}, nil},
	{"endpoint", []string{"id"}, []any{noID}, []string{"created_by"}, nil},
	{"message", []string{"event_id"}, []any{noID}, []string{"payload"}, nil},
	{"idempotency_key", []string{"principal", "method", "route", "value"}, []any{"", "", "", ""}, []string{"body"}, nil},
}

const noID = "00000000-0000-0000-0000-000000000000"

// erasedAtOnce is the number of rows per page.
var erasedAtOnce = 500

// Names finds the rows with the name or the address of a person and passes them to use, page by
// page. Rows can be erased in use. Names takes no lock.
func (s *Store) Names(ctx context.Context, id string, use func(Named) error) error {
	for i := range names {
		for last := names[i].first; last != nil; {
			found := Named{place: i, Table: names[i].table}
			err := s.db.Snapshot(ctx, func(db *gorm.DB) (err error) {
				last, err = found.read(db, id, last)
				return err
			})
			if err == nil && len(found.rows) > 0 {
				err = use(found)
			}
			if err != nil {
				return wrapError(err, "look for names in %s", found.Table)
			}
		}
	}
	return nil
}

// Named holds rows of a table that contain names of a person.
type Named struct {
	Table string
	place int
	rows  []namedRow
}

// Len returns the number of rows.
func (n Named) Len() int { return len(n.rows) }

// namedRow is the key of a row with the present and the erased column values.
type namedRow struct {
	key, old, bare []any
}

// read appends the next page of rows after a key. It returns the key to continue from, or nil at
// the end of the table.
func (n *Named) read(db *gorm.DB, id string, after []any) (last []any, err error) {
	if err := sqldb.NoTimeout(db); err != nil {
		return nil, err
	}
	p := names[n.place]
	args := slices.Clone(after)
	var selected, either []string
	for _, column := range p.key {
		selected = append(selected, "CAST("+column+" AS text) AS "+column)
	}
	for _, column := range p.columns {
		for _, needle := range idMembers(id) {
			either, args = append(either, position(db, column)+" > 0"), append(args, needle)
		}
	}
	where := "(" + strings.Join(p.key, ", ") + ") > (" + marks(len(p.key)) + ") AND (" + strings.Join(either, " OR ") + ")"
	order := p.table + "." + strings.Join(p.key, ", "+p.table+".") // qualified: the columns of the result are text
	var rows []map[string]any
	err = db.Table(p.table).Select(append(selected, p.columns...)).Where(where, args...).Order(order).Limit(erasedAtOnce).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		var r namedRow
		for _, column := range p.key {
			r.key = append(r.key, row[column])
		}
		last = r.key
		for _, column := range p.columns {
			text, _ := row[column].(string)
			bare, err := removeNames(text, id, p.free)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", column, err)
			}
			r.old, r.bare = append(r.old, text), append(r.bare, bare)
		}
		if !slices.Equal(r.old, r.bare) {
			n.rows = append(n.rows, r)
		}
	}
	if len(rows) < erasedAtOnce {
		last = nil
	}
	return last, nil
}

// Erase removes the names from the rows that Names found. If a row has changed since, Erase fails
// with wf.WrongState.
func (tx *Tx) Erase(n Named) error {
	p := names[n.place]
	where := strings.Join(slices.Concat(p.key, p.columns), " = ? AND ") + " = ?"
	changed := refusal.New(reason.WrongState, "a row of %s has just been changed: erase again", p.table)
	for _, row := range n.rows {
		values := map[string]any{}
		for i, column := range p.columns {
			values[column] = row.bare[i]
		}
		err := sqldb.One(tx.Table(p.table).Where(where, slices.Concat(row.key, row.old)...).Updates(values), changed)
		if err != nil {
			return wrapError(err, "erase names in %s", p.table)
		}
	}
	return nil
}

// KnowsPerson reports whether the database has a row for the person.
func (s *Store) KnowsPerson(ctx context.Context, id string) (bool, error) {
	var n int64
	err := s.db.Read(ctx).Model(&personRow{}).Where("id = ?", printable(id)).Count(&n).Error
	return n > 0, wrapError(err, "look for a person")
}

// EraseName removes the name and the address of a person from their row.
func (tx *Tx) EraseName(id string) error {
	const erase = "UPDATE person SET username = '', name = '', email = '', folded_username = '', folded_name = '' WHERE id = ?"
	return wrapError(tx.Exec(erase, printable(id)).Error, "erase a name")
}

// Forget deletes the row of a person, their notification settings and items, and their sessions, whose
// tokens contain names.
func (tx *Tx) Forget(id string) error {
	err := tx.deleteAll([]string{printable(id)},
		rowsOf{"person", "id IN ?"}, rowsOf{"notice_setting", "user_id IN ?"}, rowsOf{"notice_item", "user_id IN ?"}, rowsOf{"session", "user_id IN ?"})
	return wrapError(err, "forget a person")
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

// removeNames removes the names of a person from JSON text and keeps their id. Free-text members and
// all other bytes are unchanged, except white space between values; stored JSON has none.
func removeNames(text, id string, free []string) (string, error) {
	if text == "" {
		return "", nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	var whole json.RawMessage
	if err := d.Decode(&whole); err != nil {
		return "", err
	}
	return eraser{id, free}.value(whole) + text[d.InputOffset():], nil
}

// eraser processes a validated document, so its decoding steps cannot fail.
type eraser struct {
	id   string
	free []string
}

// value returns a value without the names of the person.
func (e eraser) value(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "{" + strings.Join(e.members(raw), ",") + "}"
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items)
		return "[" + strings.Join(sqldb.Values(items, e.value), ",") + "]"
	default:
		return string(raw)
	}
}

// members returns the members of an object, without names if its id is the person's.
func (e eraser) members(raw json.RawMessage) (all []string) {
	var bare []string
	theirs := false
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token() // opening brace
	for d.More() {
		start := d.InputOffset()
		token, _ := d.Token()
		name, key := token.(string), strings.TrimLeft(string(raw[start:d.InputOffset()]), " \t\r\n,")
		var value json.RawMessage
		_ = d.Decode(&value)
		member := key + ":" + string(value)
		if !slices.Contains(e.free, name) {
			member = key + ":" + e.value(value)
		}
		all = append(all, member)
		if value[0] != '"' || !slices.Contains([]string{"username", "name", "email"}, name) {
			bare = append(bare, member)
		}
		var said string
		theirs = theirs || name == "id" && json.Unmarshal(value, &said) == nil && said == e.id
	}
	if theirs {
		return bare
	}
	return all
}
