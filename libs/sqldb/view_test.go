package sqldb_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// countInto returns the query for the number of items.
func countInto(into *int64) sqldb.Stmt {
	return sqldb.Stmt{SQL: "SELECT count(*) FROM items", Into: into}
}

func TestViewReadsOneSnapshot(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		writer := open(t, url, sqldb.Options{})
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{MaxConns: 1}) // one connection: a leaked transaction would show
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for i := range int64(6) {
			var before, during, after int64
			err := db.View(t.Context(), func(tx *sqldb.Tx) error {
				if err := tx.Batch(countInto(&before)); err != nil {
					return err
				}
				do(t, writer, func(tx *sqldb.Tx) error { return tx.Batch(insert(fmt.Sprint(i), i)) })
				if err := tx.Model(&item{}).Count(&during).Error; err != nil {
					return err
				}
				return tx.Batch(countInto(&after))
			})
			if err != nil || before != i || during != i || after != i {
				t.Errorf("view %d: %d, %d and %d items, %v", i, before, during, after, err)
			}
		}
	})
}

func TestAViewWritesNothingAndLeavesNothingOpen(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{MaxConns: 1})
		boom := errors.New("boom")
		for name, fn := range map[string]func(tx *sqldb.Tx) error{
			"a batch":          func(tx *sqldb.Tx) error { return errors.Join(tx.Batch(insert("a", 1)), boom) },
			"a row":            func(tx *sqldb.Tx) error { return errors.Join(tx.Create(&item{ID: "a"}).Error, boom) },
			"an error":         func(tx *sqldb.Tx) error { return errors.Join(tx.Batch(countInto(new(int64))), boom) },
			"an error at once": func(*sqldb.Tx) error { return boom },
			"a wrong query": func(tx *sqldb.Tx) error {
				return tx.Batch(countInto(new(int64)), sqldb.Stmt{SQL: "SELECT 1 FROM nowhere"})
			},
			"a wrong row": func(tx *sqldb.Tx) error { return tx.Batch(sqldb.Stmt{SQL: "SELECT 'x'", Into: new(int64)}) },
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
			_ = db.View(t.Context(), func(tx *sqldb.Tx) error { _ = tx.Batch(countInto(new(int64))); panic(boom) })
			t.Error("a panic is swallowed")
		}()
		do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(insert("b", 1)) }) // the only connection is in no transaction
		if err := db.View(t.Context(), func(*sqldb.Tx) error { return nil }); err != nil {
			t.Errorf("a view of nothing: %v", err)
		}
	})
}

// The race detector finds a reader that looks at the connection of the writer.
func TestReadersAndWritersLoseTheirTransactionsApart(t *testing.T) {
	db := open(t, "sqlite:"+t.TempDir()+"/x.db", sqldb.Options{})
	lost := func(tx *sqldb.Tx) error { return errors.Join(tx.Exec("ROLLBACK").Error, errors.New("lost")) }
	var wait sync.WaitGroup
	for range 200 {
		wait.Go(func() {
			if err := db.View(t.Context(), lost); err == nil {
				t.Error("a lost view ended without an error")
			}
		})
		wait.Go(func() {
			if err := db.Do(t.Context(), lost); err == nil {
				t.Error("a lost transaction ended without an error")
			}
		})
	}
	wait.Wait()
	do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(insert("a", 1)) })
	if n := count(t, db); n != 1 {
		t.Errorf("%d items, want 1", n)
	}
}
