package sqldb_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

type person struct {
	Name string `json:"name"`
}

// noteRow has a field of each kind that a column does not hold as it is.
type noteRow struct {
	ID     string `gorm:"primaryKey"`
	N      int64
	By     person            `gorm:"serializer:jsontext"`
	Tags   []string          `gorm:"serializer:jsontext;empty:[]"`
	Labels map[string]string `gorm:"serializer:jsontext;empty:{}"`
	MadeAt time.Time         `gorm:"column:made_ms;serializer:millis"`
	Rev    int64
	Length int64 `gorm:"->"`
}

var noteTable = sqldb.TableOf[noteRow]()

const createNotes = `CREATE TABLE note (id TEXT PRIMARY KEY, n BIGINT NOT NULL, by TEXT NOT NULL, tags TEXT NOT NULL,
	labels TEXT NOT NULL, made_ms BIGINT NOT NULL, rev BIGINT NOT NULL)`

// notes returns an open database with an empty table of notes and one of service keys.
func notes(t *testing.T, url string, o sqldb.Options) *sqldb.DB {
	t.Helper()
	db := open(t, url, o)
	exec(t, db, createNotes)
	exec(t, db, "CREATE TABLE service_key (name TEXT PRIMARY KEY, key TEXT NOT NULL)")
	return db
}

func exec(t *testing.T, db *sqldb.DB, query string, args ...any) {
	t.Helper()
	if err := db.Read(t.Context()).Exec(query, args...).Error; err != nil {
		t.Fatal(err)
	}
}

func do(t *testing.T, db *sqldb.DB, fn func(tx *sqldb.Tx) error) {
	t.Helper()
	if err := db.Do(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// note returns the row with an id.
func note(t *testing.T, db *sqldb.DB, id string) noteRow {
	t.Helper()
	row, err := sqldb.Take[noteRow](db.Read(t.Context()).Select(noteTable.Columns()).Where("id = ?", id), errors.New("none"))
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func full(id string) noteRow {
	return noteRow{
		ID: id, N: 7, By: person{"Zoë <z>"}, Tags: []string{"a\"b", ""}, Labels: map[string]string{"k": "v"},
		MadeAt: time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC), Rev: 1,
	}
}

func TestARowComesBackAsItWasWritten(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		writes := map[string]func(tx *sqldb.Tx, row noteRow) error{
			"gorm":  func(tx *sqldb.Tx, row noteRow) error { return tx.Omit("Length").Create(&row).Error },
			"batch": func(tx *sqldb.Tx, row noteRow) error { return tx.Batch(noteTable.Insert("", row)...) },
		}
		for name, write := range writes {
			want, empty := full(name), noteRow{ID: "no " + name, Tags: []string{}, Labels: map[string]string{}}
			do(t, db, func(tx *sqldb.Tx) error { return errors.Join(write(tx, want), write(tx, noteRow{ID: empty.ID})) })
			if got := note(t, db, want.ID); !reflect.DeepEqual(got, want) {
				t.Errorf("by %s: got  %+v\nwant %+v", name, got, want)
			}
			if got := note(t, db, empty.ID); !reflect.DeepEqual(got, empty) {
				t.Errorf("empty by %s: got  %+v\nwant %+v", name, got, empty)
			}
			var texts struct {
				By, Tags, Labels string
				MadeMS           int64
			}
			if err := db.Read(t.Context()).Raw("SELECT by, tags, labels, made_ms FROM note WHERE id = ?", empty.ID).Scan(&texts).Error; err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(texts) != "{ [] {} 0}" {
				t.Errorf("nothing is stored by %s as %v", name, texts)
			}
			var by string
			if err := db.Read(t.Context()).Raw("SELECT by FROM note WHERE id = ?", want.ID).Scan(&by).Error; err != nil || by != `{"name":"Zoë <z>"}` {
				t.Errorf("JSON is stored by %s as %s, %v", name, by, err)
			}
			var loaded noteRow
			do(t, db, func(tx *sqldb.Tx) error {
				return tx.Batch(sqldb.Stmt{SQL: noteTable.From() + " WHERE id = ?", Args: []any{want.ID}, Into: &loaded})
			})
			if !reflect.DeepEqual(loaded, want) {
				t.Errorf("loaded %+v\nwant   %+v", loaded, want)
			}
		}
	})
}

func TestAColumnThatCannotBeReadIsAnError(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		exec(t, db, "INSERT INTO note VALUES ('a', 0, '{', '[]', '{}', 0, 1)")
		_, err := sqldb.Take[noteRow](db.Read(t.Context()).Select(noteTable.Columns()), nil)
		if err == nil {
			t.Error("half an object was read")
		}
	})
}

func TestTimesAreMillisecondsAndNoneIsZero(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 123_999_999, time.FixedZone("", 3600))
	if got := sqldb.Time(sqldb.Millis(noon)); !got.Equal(noon.Truncate(time.Millisecond)) || got.Location() != time.UTC {
		t.Errorf("%v is read as %v", noon, got)
	}
	if ms := sqldb.Millis(time.Time{}); ms != 0 || !sqldb.Time(0).IsZero() {
		t.Errorf("no time is %d, and 0 is %v", ms, sqldb.Time(0))
	}
}

func TestPutWritesOverTheRevisionThatWasRead(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		overtaken := errors.New("overtaken")
		do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(noteTable.Insert("", full("a"), full("b"))...) })
		put := func(row noteRow, guard ...any) error {
			return db.Do(t.Context(), func(tx *sqldb.Tx) error { return sqldb.Put(tx, &row, overtaken, guard...) })
		}
		second := noteRow{ID: "a", Tags: []string{}, Labels: map[string]string{}, Rev: 2} // zero values are written too
		if err := put(second, "rev = ?", 1); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"an old revision":   put(second, "rev = ?", 1),
			"a missing row":     put(noteRow{ID: "c"}),
			"a row, unguarded":  put(second),
			"deletes two, or 0": db.Do(t.Context(), func(tx *sqldb.Tx) error { return sqldb.One(tx.Delete(&noteRow{}, "id > ''"), overtaken) }),
		} {
			if want := name != "a row, unguarded"; errors.Is(err, overtaken) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := note(t, db, "a"); !reflect.DeepEqual(got, second) {
			t.Errorf("got %+v", got)
		}
		if got := note(t, db, "b"); !reflect.DeepEqual(got, full("b")) {
			t.Errorf("another row was written: %+v", got)
		}
	})
}

func TestTakeReturnsTheErrorForAMissingRow(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		none := errors.New("no such note")
		q := db.Read(t.Context()).Select(noteTable.Columns()).Where("id = 'a'")
		if _, err := sqldb.Take[noteRow](q, none); err != none {
			t.Errorf("error = %v", err)
		}
		if row, err := sqldb.Take[noteRow](q, nil); err != nil || row.ID != "" {
			t.Errorf("%+v, %v", row, err)
		}
		if _, err := sqldb.Take[noteRow](db.Read(t.Context()).Where("nonsense = 1"), nil); err == nil {
			t.Error("a query that fails finds nothing")
		}
	})
}

func TestTableWritesRowsInChunksAndOnlyChangedRows(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		var rows []noteRow
		for i := range sqldb.MaxChunk + 5 {
			rows = append(rows, noteRow{ID: fmt.Sprintf("%03d", i), N: int64(i), Rev: 1})
		}
		stmts := noteTable.Insert("", rows...)
		if len(stmts) != 2 { // 64 and 5
			t.Errorf("%d statements, want 2", len(stmts))
		}
		do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(stmts...) })
		var n int64
		if err := db.Read(t.Context()).Raw("SELECT sum(n) FROM note").Scan(&n).Error; err != nil || n != 68*69/2 {
			t.Errorf("the sum is %d, %v", n, err)
		}
		do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(noteTable.Insert(" ON CONFLICT DO NOTHING", rows[0])...) })

		before, after := flatRow{ID: "001", N: 1, Rev: 1}, flatRow{ID: "001", N: 5, Rev: 2}
		if stmts := flatTable.Update(before, before, "rev = ?", 1); stmts != nil {
			t.Errorf("nothing differs, and this is written: %v", stmts)
		}
		do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(flatTable.Update(before, after, "rev = ?", 1)...) })
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(flatTable.Update(before, after, "rev = ?", 1)...) })
		if !errors.Is(err, sqldb.ErrRowCount) {
			t.Errorf("an old revision: %v", err)
		}
		if got := note(t, db, "001"); got.N != 5 || got.Rev != 2 {
			t.Errorf("got %+v", got)
		}
	})
}

// flatRow is a part of noteRow in columns that can be compared.
type flatRow struct {
	ID     string `gorm:"primaryKey"`
	N, Rev int64
}

func (flatRow) TableName() string { return "note" }

var flatTable = sqldb.TableOf[flatRow]()

// idRow has a key that PostgreSQL compares with uuids.
type idRow struct {
	ID   string `gorm:"primaryKey"`
	Name string
	N    int64
}

func (idRow) TableName() string { return "named" }

func TestUpdateAllWritesSomeColumnsOfRows(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		kind := "UUID"
		if !db.Postgres() {
			kind = "TEXT"
		}
		exec(t, db, "CREATE TABLE named (id "+kind+" PRIMARY KEY, name TEXT NOT NULL, n BIGINT NOT NULL)")
		table := sqldb.TableOf[idRow]()
		a, b := "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"
		do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(table.Insert("", idRow{a, "a", 1}, idRow{b, "b", 2})...) })
		do(t, db, func(tx *sqldb.Tx) error {
			return tx.Batch(table.UpdateAll([]idRow{{a, "x", 8}, {b, "y", 9}}, "name")...)
		})
		var rows []idRow
		if err := db.Read(t.Context()).Order("id").Find(&rows).Error; err != nil || fmt.Sprint(rows) != fmt.Sprint([]idRow{{a, "x", 1}, {b, "y", 2}}) {
			t.Errorf("%v, %v", rows, err)
		}
		missing := "00000000-0000-0000-0000-00000000000c"
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
			return tx.Batch(table.UpdateAll([]idRow{{ID: a}, {ID: missing}}, "n")...)
		})
		if !errors.Is(err, sqldb.ErrRowCount) {
			t.Errorf("a missing row: %v", err)
		}
		do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(table.UpdateAll(nil, "n")...) })
	})
}
