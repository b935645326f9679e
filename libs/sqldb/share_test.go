package sqldb_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// sharing runs the first transaction, and the others, in the order of their names, as parts
// of it: they wait when it ends.
// It returns the errors, that of the first one last, and the ids that were written.
func sharing(t *testing.T, first func(*sqldb.Tx) error, others map[string]func(*sqldb.Tx) error) (failures map[string]error, ids []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db := open(t, "sqlite:"+filepath.Join(t.TempDir(), "shared.db"), sqldb.Options{})
		failures = map[string]error{}
		var mu sync.Mutex
		var group sync.WaitGroup
		share := func(name string, fn func(*sqldb.Tx) error) {
			var failure error
			defer func() {
				if r := recover(); r != nil {
					failure = r.(error)
				}
				mu.Lock()
				defer mu.Unlock()
				failures[name] = failure
			}()
			failure = db.Share(t.Context(), fn)
		}
		share("first", func(tx *sqldb.Tx) error {
			for _, name := range slices.Sorted(maps.Keys(others)) {
				group.Go(func() {
					share(name, func(tx *sqldb.Tx) error {
						if n := count(t, db); n != 0 {
							t.Errorf("%s is not a part of the first: that is committed", name)
						}
						return others[name](tx)
					})
				})
				synctest.Wait()
			}
			return first(tx)
		})
		group.Wait()
		if err := db.Read(t.Context()).Model(&item{}).Order("id").Pluck("id", &ids).Error; err != nil {
			t.Fatal(err)
		}
		if err := db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(insert("next", 99)) }); err != nil {
			t.Errorf("the next transaction: %v", err)
		}
	})
	return failures, ids
}

func writes(id string, n int64) func(*sqldb.Tx) error {
	return func(tx *sqldb.Tx) error { return tx.Batch(insert(id, n)) }
}

func TestTransactionsThatWaitShareACommit(t *testing.T) {
	no := errors.New("no")
	failures, ids := sharing(t, writes("first", 1), map[string]func(*sqldb.Tx) error{
		"writes":   writes("a", 2),
		"and gorm": func(tx *sqldb.Tx) error { return tx.Create(&item{ID: "b", N: 3}).Error },
		"refuses":  func(tx *sqldb.Tx) error { return errors.Join(tx.Batch(insert("c", 4)), no) },
		"panics":   func(tx *sqldb.Tx) error { panic(errors.Join(tx.Batch(insert("d", 5)), no)) },
		"fails":    func(tx *sqldb.Tx) error { return tx.Batch(insert("e", 6), insert("first", 7)) },
		"sees": func(tx *sqldb.Tx) error {
			var n int64
			if err := tx.Model(&item{}).Where("id = 'first'").Count(&n).Error; n != 1 {
				t.Errorf("a part sees %d rows of what was before it (%v)", n, err)
			}
			return nil
		},
	})
	if want := []string{"a", "b", "first"}; !slices.Equal(ids, want) {
		t.Errorf("written are %v, want %v", ids, want)
	}
	for name, err := range failures {
		refused := name == "refuses" || name == "panics"
		if errors.Is(err, no) != refused || (err != nil) != (refused || name == "fails") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPartIsAsGoodAsTheCommit(t *testing.T) {
	no := errors.New("no")
	deferred := func(tx *sqldb.Tx) error {
		if err := tx.Exec("CREATE TABLE of (id TEXT REFERENCES items (id) DEFERRABLE INITIALLY DEFERRED)").Error; err != nil {
			return err
		}
		return errors.Join(tx.Batch(insert("first", 1)), tx.Exec("INSERT INTO of VALUES ('nobody')").Error)
	}
	for name, tt := range map[string]struct {
		first, other func(*sqldb.Tx) error
		mine         error // that the other one ends with
	}{
		"a COMMIT that fails":               {deferred, writes("b", 3), nil},
		"a part that leaves nothing behind": {writes("first", 1), func(tx *sqldb.Tx) error { return errors.Join(tx.Exec("ROLLBACK").Error, no) }, no},
	} {
		failures, ids := sharing(t, tt.first, map[string]func(*sqldb.Tx) error{"a": writes("a", 2), "b": tt.other, "c": writes("c", 4)})
		if slices.Contains(ids, "first") || slices.Contains(ids, "a") {
			t.Errorf("%s: written are %v", name, ids)
		}
		for part, err := range failures {
			if (err == nil) != slices.Contains(ids, part) || part != "b" && errors.Is(err, no) || part == "b" && tt.mine != nil && !errors.Is(err, tt.mine) {
				t.Errorf("%s, %s: %v", name, part, err)
			}
		}
	}
}

func TestAPartWhoseCallerHasLeftIsNotCommitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t, "sqlite:"+filepath.Join(t.TempDir(), "shared.db"), sqldb.Options{})
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		err := db.Share(t.Context(), func(tx *sqldb.Tx) error {
			go func() {
				left <- db.Share(ctx, func(tx *sqldb.Tx) error {
					leave()
					return tx.Batch(insert("left", 2))
				})
			}()
			synctest.Wait()
			return tx.Batch(insert("first", 1))
		})
		if failure := <-left; err != nil || !errors.Is(failure, context.Canceled) || count(t, db) != 1 {
			t.Errorf("%v; who left: %v; %d rows", err, failure, count(t, db))
		}
	})
}

// On PostgreSQL, and alone, a shared transaction is as any other.
func TestAloneShareIsDo(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		no := errors.New("no")
		if err := db.Share(t.Context(), writes("a", 1)); err != nil {
			t.Error(err)
		}
		if err := db.Share(t.Context(), func(tx *sqldb.Tx) error { return errors.Join(tx.Batch(insert("b", 2)), no) }); !errors.Is(err, no) || count(t, db) != 1 {
			t.Errorf("%v, %d rows", err, count(t, db))
		}
	})
}
