package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// names are where the names and addresses of people are stored beside their ids. The
// bytes of events have ids alone, or could not change.
var names = []struct {
	table   string
	key     []string // the primary key
	first   []any    // comes before every key
	columns []string // JSON
	free    []string // members that are free text, and stay as they are
}{
	{"request", []string{"id"}, []any{noID}, []string{"requester", "submitted_by"}, nil},
	{"stage_run", []string{"id"}, []any{noID}, []string{"people", "excluded", "observers"}, nil},
	{"task", []string{"id"}, []any{noID}, []string{"assignee", "owner", "on_behalf_of", "shared_with", "reassigned_from"}, nil},
	{"decision", []string{"id"}, []any{noID}, []string{"body"}, []string{"data"}},
	{"delegation", []string{"id"}, []any{noID}, []string{"delegator", "delegate", "created_by", "revoked_by"}, nil},
	{"policy_version", []string{"policy_key", "number"}, []any{"", 0}, []string{"created_by", "updated_by", "activated_by", "retired_by"}, nil},
	{"endpoint", []string{"id"}, []any{noID}, []string{"created_by"}, nil},
	{"message", []string{"event_id"}, []any{noID}, []string{"payload"}, nil},
	{"idempotency_key", []string{"principal", "method", "route", "value"}, []any{"", "", "", ""}, []string{"body"}, nil},
}

const noID = "00000000-0000-0000-0000-000000000000"

// erasedAtOnce is how many rows are held at a time.
var erasedAtOnce = 500

// Names finds the rows with the names or the address of a person, a page at a time, and
// gives them to use, in which they may be erased. It locks nothing.
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
				return failed(err, "look for names in %s", found.Table)
			}
		}
	}
	return nil
}

// Named are rows of a table that name a person.
type Named struct {
	Table string
	place int
	rows  []namedRow
}

// Len is how many rows there are.
func (n Named) Len() int { return len(n.rows) }

// namedRow is a row by its key, with its columns as they are and as they shall be.
type namedRow struct {
	key, old, bare []any
}

// read finds the next rows after a key. It returns where to go on, and nil when there are
// no more.
func (n *Named) read(db *gorm.DB, id string, after []any) (last []any, err error) {
	if err := sqldb.TakeTime(db); err != nil {
		return nil, err
	}
	p := names[n.place]
	args := slices.Clone(after)
	var selected, either []string
	for _, column := range p.key {
		selected = append(selected, "CAST("+column+" AS text) AS "+column)
	}
	for _, column := range p.columns {
		for _, needle := range needles(id) {
			either, args = append(either, position(db, column)+" > 0"), append(args, needle)
		}
	}
	query := "SELECT " + strings.Join(append(selected, p.columns...), ", ") + " FROM " + p.table +
		" WHERE (" + strings.Join(p.key, ", ") + ") > (" + marks(len(p.key)) + ") AND (" + strings.Join(either, " OR ") + ")" +
		" ORDER BY " + columnsOf(p.table, p.key) + // not those of the query, which are text
		" LIMIT " + strconv.Itoa(erasedAtOnce)
	var rows []map[string]any
	if err := db.Raw(query, args...).Scan(&rows).Error; err != nil {
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
			bare, err := nameless(text, id, p.free)
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

// Erase takes the names out of rows that Names has found. If one of them has changed since,
// it is refused with wf.WrongState.
func (tx *Tx) Erase(n Named) error {
	p := names[n.place]
	which := slices.Concat(p.key, p.columns)
	statement := "UPDATE " + p.table + " SET " + strings.Join(p.columns, " = ?, ") + " = ? WHERE " + strings.Join(which, " = ? AND ") + " = ?"
	changed := wf.Refuse(wf.WrongState, "a row of %s has just been changed: erase again", p.table)
	for _, row := range n.rows {
		err := sqldb.One(tx.Exec(statement, slices.Concat(row.bare, row.key, row.old)...), changed)
		if err != nil {
			return failed(err, "erase names in %s", p.table)
		}
	}
	return nil
}

// KnowsPerson reports whether something is known of a person beside their id.
func (s *Store) KnowsPerson(ctx context.Context, id string) (bool, error) {
	var n int64
	err := s.db.Read(ctx).Model(&personRow{}).Where("id = ?", printable(id)).Count(&n).Error
	return n > 0, failed(err, "look for a person")
}

// Forget deletes what is known of a person beside their id, with how and of what they are
// told, and their sessions, whose tokens have names.
func (tx *Tx) Forget(id string) error {
	err := tx.all([]string{printable(id)},
		"DELETE FROM person WHERE id IN ?",
		"DELETE FROM notice_setting WHERE user_id IN ?",
		"DELETE FROM notice_item WHERE user_id IN ?",
		"DELETE FROM session WHERE user_id IN ?")
	return failed(err, "forget a person")
}

func marks(n int) string { return "?" + strings.Repeat(", ?", n-1) }

// position is where a column has a text; 0 when it has not.
func position(db *gorm.DB, column string) string {
	if db.Name() == "sqlite" {
		return "instr(" + column + ", ?)"
	}
	return "strpos(" + column + ", ?)"
}

// needles are what JSON has of a person's id, as it is escaped in one place or another.
func needles(id string) []string {
	var c codec
	plain := `"id":` + c.text(id)
	escaped, _ := json.Marshal(id) // no text fails
	if other := `"id":` + string(escaped); other != plain {
		return []string{plain, other}
	}
	return []string{plain}
}

// nameless is a text of JSON without what its objects say of the person with an id, but
// for the id. Everything else is as it was, byte for byte, but for white space between
// values, which nothing that is stored has. Members that are free stay whole.
func nameless(text, id string, free []string) (string, error) {
	if text == "" {
		return "", nil
	}
	e := eraser{Decoder: json.NewDecoder(strings.NewReader(text)), text: text, id: id, free: free}
	bare, err := e.value()
	if err != nil {
		return "", err
	}
	return bare + text[e.InputOffset():], nil
}

// eraser goes along a text of JSON.
type eraser struct {
	*json.Decoder
	text, id string
	free     []string
}

// since is what was read from an offset on, without what parts it from what was before.
func (e eraser) since(offset int64) string {
	return strings.TrimLeft(e.text[offset:e.InputOffset()], " \t\r\n:,")
}

// value reads the next value and returns it without names.
func (e eraser) value() (string, error) {
	start := e.InputOffset()
	token, err := e.Token()
	if err != nil {
		return "", err
	}
	var parts []string
	switch token {
	case json.Delim('{'):
		if parts, err = e.members(); err == nil {
			_, err = e.Token()
		}
		return "{" + strings.Join(parts, ",") + "}", err
	case json.Delim('['):
		for e.More() {
			part, err := e.value()
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
		_, err = e.Token()
		return "[" + strings.Join(parts, ",") + "]", err
	default:
		return e.since(start), nil
	}
}

// members reads the members of an object, and leaves out names if it is the person.
func (e eraser) members() (all []string, err error) {
	var bare []string
	theirs := false
	for e.More() {
		start := e.InputOffset()
		key, err := e.Token()
		if err != nil {
			return nil, err
		}
		name, raw := key.(string), e.since(start)
		start = e.InputOffset()
		value, isText := "", false
		if slices.Contains(e.free, name) {
			var whole json.RawMessage
			err = e.Decode(&whole)
			value = e.since(start)
		} else {
			value, err = e.value()
			isText = strings.HasPrefix(value, `"`)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, raw+":"+value)
		if !isText || !slices.Contains([]string{"username", "name", "email"}, name) {
			bare = append(bare, raw+":"+value)
		}
		var said string
		theirs = theirs || name == "id" && isText && json.Unmarshal([]byte(value), &said) == nil && said == e.id
	}
	if theirs {
		return bare, nil
	}
	return all, nil
}
