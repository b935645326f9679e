package sqldb_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// countInto returns the query for the number of items.
func countInto(into *int64) sqldb.Select {
	return sqldb.Select{SQL: "SELECT count(*) FROM items", Into: into}
}

func TestViewReadsOneSnapshot(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		writer := open(t, url, sqldb.Options{})
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{MaxConns: 1}) // one connection: a leaked transaction would show
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for i := range int64(6) { // every other time the end travels with the last query
			var before, during, after int64
			err := db.View(t.Context(), func(tx *sqldb.Tx) error {
				if err := tx.Load(countInto(&before)); err != nil {
					return err
				}
				do(t, writer, func(tx *sqldb.Tx) error { return tx.Batch(insert(fmt.Sprint(i), i)) })
				if err := tx.Model(&item{}).Count(&during).Error; err != nil {
					return err
				}
				if i%2 == 0 {
					tx.Last()
				}
				return tx.Load(countInto(&after))
			})
			if err != nil || before != i || during != i || after != i {
				t.Errorf("view %d: %d, %d and %d items, %v", i, before, during, after, err)
			}
		}
	})
}

func TestAViewHasTheTimeAtWhichItBegan(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		var before, later int64
		do(t, db, func(tx *sqldb.Tx) error { before = tx.Now().UnixMilli(); return nil })
		err := db.View(t.Context(), func(tx *sqldb.Tx) error {
			tx.Last()
			err := tx.Load(sqldb.Select{SQL: "SELECT ? - ?", Args: []any{sqldb.Clock(5e9), sqldb.Clock(0)}, Into: &later})
			if now := tx.Now().UnixMilli(); now < before {
				t.Errorf("now is %d, and was %d", now, before)
			}
			return err
		})
		if err != nil || later != 5000 {
			t.Errorf("five seconds are %d ms, %v", later, err)
		}
	})
}

func TestAViewWritesNothingAndLeavesNothingOpen(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{MaxConns: 1})
		boom := errors.New("boom")
		for name, fn := range map[string]func(tx *sqldb.Tx) error{
			"a batch":          func(tx *sqldb.Tx) error { return tx.Batch(insert("a", 1)) },
			"a row":            func(tx *sqldb.Tx) error { return errors.Join(tx.Create(&item{ID: "a"}).Error, boom) },
			"an error":         func(tx *sqldb.Tx) error { return errors.Join(tx.Load(countInto(new(int64))), boom) },
			"an error at once": func(*sqldb.Tx) error { return boom },
			"a wrong query": func(tx *sqldb.Tx) error {
				return tx.Load(countInto(new(int64)), sqldb.Select{SQL: "SELECT 1 FROM nowhere"})
			},
			"a wrong query, last": func(tx *sqldb.Tx) error { tx.Last(); return tx.Load(sqldb.Select{SQL: "SELECT 1 FROM nowhere"}) },
			"a wrong row":         func(tx *sqldb.Tx) error { tx.Last(); return tx.Load(sqldb.Select{SQL: "SELECT 'x'", Into: new(int64)}) },
		} {
			if err := db.View(t.Context(), fn); err == nil {
				t.Errorf("%s: no error", name)
			}
			if n := count(t, db); n != 0 {
				t.Fatalf("%s: %d items", name, n)
			}
		}
		func() {
			defer func() { recover() }()
			_ = db.View(t.Context(), func(tx *sqldb.Tx) error { _ = tx.Load(countInto(new(int64))); panic(boom) })
			t.Error("a panic is swallowed")
		}()
		do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(insert("b", 1)) }) // the only connection is in no transaction
		if err := db.View(t.Context(), func(*sqldb.Tx) error { return nil }); err != nil {
			t.Errorf("a view of nothing: %v", err)
		}
	})
}
