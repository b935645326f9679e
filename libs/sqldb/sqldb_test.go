package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

type itemState string

// item has a table whose name is not that of the type.
func (item) TableName() string { return "items" }

type item struct {
	ID    string
	State itemState
	N     int64
	Doc   *string
}

const createItems = `CREATE TABLE items (id TEXT PRIMARY KEY, state TEXT NOT NULL, n BIGINT NOT NULL, doc TEXT, UNIQUE (state, n))`

// open returns an open database with an empty table items.
func open(t *testing.T, url string, o sqldb.Options) *sqldb.DB {
	t.Helper()
	o.Logger = slog.New(slog.DiscardHandler)
	db, err := sqldb.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Read(t.Context()).Exec(createItems).Error; err != nil {
		t.Fatal(err)
	}
	return db
}

func count(t *testing.T, db *sqldb.DB) (n int64) {
	t.Helper()
	if err := db.Read(context.WithoutCancel(t.Context())).Model(&item{}).Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

func insert(id string, n int64) sqldb.Stmt {
	return sqldb.Stmt{SQL: "INSERT INTO items (id, state, n) VALUES (?, ?, ?)", Args: []any{id, itemState("open"), n}}
}

func TestDoCommitsOnlyWhenTheFunctionSucceeds(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{MaxConns: 1}) // one connection: a leaked transaction would show
		boom := errors.New("boom")

		tests := []struct {
			name string
			fn   func(cancel func(), tx *sqldb.Tx) error
			ok   bool
		}{
			{"an error", func(_ func(), tx *sqldb.Tx) error { return errors.Join(tx.Create(&item{ID: "x"}).Error, boom) }, false},
			{"a panic", func(_ func(), tx *sqldb.Tx) error { tx.Create(&item{ID: "x"}); panic(boom) }, false},
			{"a context that ends", func(cancel func(), tx *sqldb.Tx) error { err := tx.Create(&item{ID: "x"}).Error; cancel(); return err }, false},
			{"rows left open", func(_ func(), tx *sqldb.Tx) error {
				_, err := tx.Raw("SELECT 1 UNION SELECT 2").Rows() //nolint:rowserrcheck,sqlclosecheck // the mistake under test
				return errors.Join(err, boom)
			}, false},
			{"success", func(_ func(), tx *sqldb.Tx) error { return tx.Create(&item{ID: "x"}).Error }, true},
		}
		for _, tt := range tests {
			ctx, cancel := context.WithCancel(t.Context())
			err := func() (err error) {
				defer func() {
					if p := recover(); p != nil {
						err = p.(error)
					}
				}()
				return db.Do(ctx, func(tx *sqldb.Tx) error { return tt.fn(cancel, tx) })
			}()
			cancel()
			if (err == nil) != tt.ok {
				t.Errorf("after %s: error = %v", tt.name, err)
			}
			if got := count(t, db); (got == 1) != tt.ok {
				t.Errorf("after %s there are %d rows", tt.name, got)
			}
		}
	})
}

func TestASpoiltTransactionIsNotReportedAsCommitted(t *testing.T) {
	db := open(t, sqldbtest.Postgres(t), sqldb.Options{})
	err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
		tx.Create(&item{ID: "x"})
		_ = tx.Exec("SELECT no_such_column FROM items").Error // swallowed
		return nil
	})
	if err == nil || count(t, db) != 0 {
		t.Errorf("error = %v with %d rows", err, count(t, db))
	}
}

func TestATransactionInsideATransactionIsRefused(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Begin().Error })
		if err == nil {
			t.Error("Begin inside Do succeeded")
		}
	})
}

// Two handles share no lock of this package, like two processes.
func TestConcurrentReadModifyWriteLosesNothing(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		first := open(t, url, sqldb.Options{})
		second, err := sqldb.Open(t.Context(), url, sqldb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer second.Close()
		if err := first.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(insert("counter", 0)) }); err != nil {
			t.Fatal(err)
		}
		const writers, each = 10, 5
		var wg sync.WaitGroup
		for _, db := range slices.Repeat([]*sqldb.DB{first, second}, writers) {
			wg.Go(func() {
				for range each {
					err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
						var row item
						if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&row, "id = ?", "counter").Error; err != nil {
							return err
						}
						return tx.Model(&row).Update("n", row.N+1).Error
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		var row item
		if err := first.Read(t.Context()).Take(&row).Error; err != nil || row.N != 2*writers*each {
			t.Errorf("n = %d (%v), want %d", row.N, err, 2*writers*each)
		}
	})
}

func TestADeadlockIsRetried(t *testing.T) {
	db := open(t, sqldbtest.Postgres(t)+"&deadlock_timeout=10ms", sqldb.Options{})
	if err := db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(insert("a", 1), insert("b", 2)) }); err != nil {
		t.Fatal(err)
	}
	var meet sync.WaitGroup // both hold one row before either requests the other
	meet.Add(2)
	var runs int
	var mu sync.Mutex
	touch := func(first, second string) func(*sqldb.Tx) error {
		once := sync.OnceFunc(func() { meet.Done(); meet.Wait() })
		return func(tx *sqldb.Tx) error {
			mu.Lock()
			runs++
			mu.Unlock()
			if err := tx.Exec("UPDATE items SET n = n + 10 WHERE id = ?", first).Error; err != nil {
				return err
			}
			once()
			return tx.Exec("UPDATE items SET n = n + 10 WHERE id = ?", second).Error
		}
	}
	var wg sync.WaitGroup
	for _, fn := range []func(*sqldb.Tx) error{touch("a", "b"), touch("b", "a")} {
		wg.Go(func() {
			if err := db.Do(t.Context(), fn); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var sum int64
	if err := db.Read(t.Context()).Raw("SELECT sum(n) FROM items").Scan(&sum).Error; err != nil || sum != 43 {
		t.Errorf("sum = %d (%v), want 43", sum, err)
	}
	if runs < 3 {
		t.Errorf("%d runs: there was no deadlock to retry", runs)
	}
}

func TestNowIsOneClockInUTCMilliseconds(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		before := time.Now().Add(-2 * time.Millisecond)
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
			if tx.Now().Location() != time.UTC || tx.Now().Nanosecond()%1e6 != 0 || tx.Now().Before(before) || time.Until(tx.Now()) > 2*time.Millisecond {
				t.Errorf("Tx.Now() = %v", tx.Now())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if now, err := db.Now(t.Context()); err != nil || now.Before(before) || now.Location() != time.UTC {
			t.Errorf("DB.Now = %v (%v)", now, err)
		}
	})
	sqldbtest.Each(t, func(t *testing.T, url string) {
		fixed := time.Date(2030, 1, 2, 3, 4, 5, 678999999, time.FixedZone("", 3600))
		want := time.Date(2030, 1, 2, 2, 4, 5, 678000000, time.UTC)
		db := open(t, url, sqldb.Options{Now: func() time.Time { return fixed }})
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
			if tx.Now() != want {
				t.Errorf("Tx.Now() = %v, want %v", tx.Now(), want)
			}
			return nil
		})
		if now, nowErr := db.Now(t.Context()); err != nil || nowErr != nil || now != want {
			t.Errorf("DB.Now = %v (%v, %v), want %v", now, err, nowErr, want)
		}
	})
}

func TestBatch(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{MaxConns: 1})
		update := sqldb.Stmt{SQL: "UPDATE items SET n = n + 1, doc = '?''s' WHERE id = ? AND n = ?", Args: []any{"a", 1}, One: true}
		tests := []struct {
			name  string
			stmts []sqldb.Stmt
			error string // part of the error; "" for none
			rows  int64
		}{
			{"nothing is a success", nil, "", 0},
			{"an error in the middle names its statement", []sqldb.Stmt{insert("x", 8), insert("x", 9), insert("y", 9)}, "batch statement 1 of", 0},
			{"so does one that cannot be prepared", []sqldb.Stmt{insert("x", 8), {SQL: "DELETE FROM no_such_table"}}, "batch statement 1 of", 0},
			{"all are written", []sqldb.Stmt{insert("a", 1), insert("b", 5), update}, "", 2},
			{"a conditional update that finds nothing fails", []sqldb.Stmt{insert("c", 3), update}, "unexpected number of rows: ", 2},
		}
		for _, tt := range tests {
			err := db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(tt.stmts...) })
			if tt.error == "" && err != nil || tt.error != "" && (err == nil || !strings.Contains(err.Error(), tt.error)) {
				t.Errorf("%s: error = %v, want %q", tt.name, err, tt.error)
			}
			if got := count(t, db); got != tt.rows {
				t.Errorf("%s: %d rows, want %d", tt.name, got, tt.rows)
			}
		}
		var row item
		if err := db.Read(t.Context()).Take(&row, "id = ?", "a").Error; err != nil || row.N != 2 || *row.Doc != "?'s" {
			t.Errorf("row = %+v (%v)", row, err)
		}
	})
}

func TestBatchSharesTheTransactionOfGorm(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		boom := errors.New("boom")
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
			if err := tx.Create(&item{ID: "a", N: 1}).Error; err != nil {
				return err
			}
			if err := tx.Batch(insert("b", 2)); err != nil {
				return err
			}
			var n int64
			if err := tx.Model(&item{}).Count(&n).Error; err != nil || n != 2 {
				t.Errorf("inside the transaction: %d rows (%v), want 2", n, err)
			}
			if got := count(t, db); got != 0 {
				t.Errorf("outside the transaction: %d rows, want 0", got)
			}
			return boom
		})
		if !errors.Is(err, boom) || count(t, db) != 0 {
			t.Errorf("after the roll back: %v, %d rows", err, count(t, db))
		}
	})
}

func TestABatchFillsSeveralResults(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
			doc := insert("b", 2)
			doc.SQL = "INSERT INTO items (id, state, n, doc) VALUES (?, ?, ?, '{}')"
			if err := tx.Batch(insert("a", 1), doc); err != nil {
				return err
			}
			var one, none item
			many := []item{{ID: "left over"}}
			var n int64
			err := tx.Batch(
				sqldb.Stmt{SQL: "SELECT * FROM items WHERE id = ?" + tx.RowLock("FOR UPDATE"), Args: []any{"a"}, Into: &one},
				sqldb.Stmt{SQL: "SELECT * FROM items i ORDER BY id" + tx.RowLock("FOR NO KEY UPDATE OF i SKIP LOCKED"), Into: &many},
				sqldb.Stmt{SQL: "SELECT * FROM items WHERE id = ?", Args: []any{"z"}, Into: &none},
				sqldb.Stmt{SQL: "SELECT count(*) FROM items", Into: &n},
			)
			if err != nil {
				return err
			}
			if one.ID != "a" || one.State != "open" || one.Doc != nil || none != (item{}) || n != 2 {
				t.Errorf("one = %+v, none = %+v, n = %d", one, none, n)
			}
			if len(many) != 2 || many[0].ID != "a" || many[1].N != 2 || many[1].Doc == nil || *many[1].Doc != "{}" {
				t.Errorf("many = %+v", many)
			}
			return tx.Batch(sqldb.Stmt{SQL: "SELECT 1", Into: &n}, sqldb.Stmt{SQL: "SELECT nothing FROM items", Into: &n})
		})
		if err == nil || !strings.Contains(err.Error(), "batch statement 1 of 2") {
			t.Errorf("error = %v, want it to name statement 1", err)
		}
	})
}

func TestErrorsAreClassified(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		seed := func(tx *sqldb.Tx) error { return tx.Batch(insert("a", 1)) }
		if err := db.Do(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
		names := map[string]string{"primary": "items.id", "pair": "items.state, items.n"}
		if db.Postgres() {
			names = map[string]string{"primary": "items_pkey", "pair": "items_state_n_key"}
		}
		for stmt, want := range map[*sqldb.Stmt]string{
			{SQL: insert("a", 9).SQL, Args: insert("a", 9).Args}: names["primary"],
			{SQL: insert("b", 1).SQL, Args: insert("b", 1).Args}: names["pair"],
		} {
			err := db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(*stmt) })
			if got, ok := sqldb.IsUnique(err); !ok || got != want {
				t.Errorf("IsUnique(%v) = %q, %v; want %q", err, got, ok, want)
			}
			err = db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Exec(stmt.SQL, stmt.Args...).Error })
			if got, ok := sqldb.IsUnique(err); !ok || got != want || sqldb.IsUnavailable(err) {
				t.Errorf("through gorm: IsUnique(%v) = %q, %v; want %q", err, got, ok, want)
			}
		}
		notNull := db.Read(t.Context()).Exec("INSERT INTO items (id) VALUES ('n')").Error
		if _, ok := sqldb.IsUnique(notNull); ok || notNull == nil {
			t.Errorf("IsUnique(%v) is true", notNull)
		}

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := db.Do(ctx, seed); !errors.Is(err, context.Canceled) || sqldb.IsUnavailable(err) {
			t.Errorf("with a cancelled context: %v, unavailable = %v", err, sqldb.IsUnavailable(err))
		}

		db.Close()
		for what, err := range map[string]error{
			"Do":   db.Do(t.Context(), seed),
			"Ping": db.Ping(t.Context()),
			"Read": db.Read(t.Context()).Take(&item{}).Error,
		} {
			if !sqldb.IsUnavailable(err) {
				t.Errorf("%s on a closed database: IsUnavailable(%v) is false", what, err)
			}
		}
	})
}

func TestALostConnectionIsUnavailableAndReplaced(t *testing.T) {
	db := open(t, sqldbtest.Postgres(t), sqldb.Options{})
	err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
		var pid int
		if err := tx.Raw("SELECT pg_backend_pid()").Scan(&pid).Error; err != nil {
			return err
		}
		if err := db.Read(t.Context()).Exec("SELECT pg_terminate_backend(?, 5000)", pid).Error; err != nil {
			t.Error(err)
		}
		return tx.Batch(insert("a", 1))
	})
	if !sqldb.IsUnavailable(err) {
		t.Errorf("IsUnavailable(%v) is false", err)
	}
	if err := db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(insert("a", 1)) }); err != nil {
		t.Errorf("the next transaction: %v", err)
	}
}

func TestRefusedConnectionIsUnavailable(t *testing.T) {
	_, err := sqldb.Open(t.Context(), "postgres://u:secret@127.0.0.1:1/db", sqldb.Options{})
	if !sqldb.IsUnavailable(err) || strings.Contains(err.Error(), "secret") {
		t.Errorf("error = %v", err)
	}
}

func TestAReadOnlyServerAnswersAndTakesNoWrites(t *testing.T) {
	url := sqldbtest.Postgres(t)
	db := open(t, url, sqldb.Options{})
	if err := db.Read(t.Context()).Exec("CREATE TABLE write_probe (id TEXT PRIMARY KEY, filler TEXT NOT NULL)").Error; err != nil {
		t.Fatal(err)
	}
	standby, err := sqldb.Open(t.Context(), url+"&default_transaction_read_only=on", sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer standby.Close()
	if err := standby.Writable(); err != nil {
		t.Errorf("before the first query: %v", err)
	}
	if err := standby.Ping(t.Context()); err != nil || !sqldb.TakesNoWrites(standby.Writable()) {
		t.Errorf("Ping: %v, and then Writable: %v", err, standby.Writable())
	}
	for what, err := range map[string]error{
		"Do":       standby.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(insert("a", 1)) }),
		"TryWrite": standby.TryWrite(t.Context()),
	} {
		if !sqldb.TakesNoWrites(err) || !sqldb.IsUnavailable(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := standby.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Exec("SELECT * FROM items").Error }); err != nil {
		t.Errorf("reading: %v", err)
	}
	if n := count(t, db); n != 0 {
		t.Errorf("%d rows were written", n)
	}
}

func TestFullDiskIsReportedAndRecovers(t *testing.T) {
	url := sqldbtest.SQLite(t)
	sqldbtest.Limit(t, url, 12)
	db := open(t, url, sqldb.Options{})
	if err := db.Read(t.Context()).Exec("CREATE TABLE write_probe (id TEXT PRIMARY KEY, filler TEXT NOT NULL)").Error; err != nil {
		t.Fatal(err)
	}
	if err := db.TryWrite(t.Context()); err != nil || db.Writable() != nil {
		t.Errorf("with room: %v, %v", err, db.Writable())
	}
	large := sqldb.Stmt{SQL: "INSERT INTO items (id, state, n, doc) VALUES (?, 'open', ?, ?)", Args: []any{"a", 1, strings.Repeat("x", 16<<10)}}
	if err := db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(large) }); err != nil {
		t.Errorf("with room: %v", err)
	}
	large.Args[0], large.Args[1] = "b", 2
	refuse := func() {
		t.Helper()
		if err := db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(large) }); !sqldb.TakesNoWrites(err) || !sqldb.IsUnavailable(err) {
			t.Errorf("Do: %v", err)
		}
		if err := db.Writable(); !sqldb.TakesNoWrites(err) {
			t.Errorf("Writable: %v", err)
		}
	}
	refuse()
	if err := db.TryWrite(t.Context()); !sqldb.TakesNoWrites(err) {
		t.Errorf("TryWrite: %v", err)
	}
	if err := db.Ping(t.Context()); err != nil || count(t, db) != 1 {
		t.Errorf("reading: %v", err)
	}
	if err := db.Read(t.Context()).Exec("DELETE FROM items").Error; err != nil {
		t.Fatal(err)
	}
	large.Args[2] = strings.Repeat("x", 1<<20) // for which there is no room even now
	try := func(when string, writable bool) {
		t.Helper()
		if err := db.TryWrite(t.Context()); err != nil || (db.Writable() == nil) != writable {
			t.Errorf("%s: %v, %v", when, err, db.Writable())
		}
	}
	try("the first that goes well", false)
	refuse()
	try("the first after another failure", false)
	try("the second", true)
	var left int64
	if err := db.Read(t.Context()).Raw("SELECT count(*) FROM write_probe").Scan(&left).Error; err != nil || left != 0 {
		t.Errorf("%d rows are left behind, %v", left, err)
	}
}

func TestEachCodeOfPostgreSQLIsOfOneKind(t *testing.T) {
	db := open(t, sqldbtest.Postgres(t), sqldb.Options{})
	r := metrics.New("x", "1")
	db.Measure(r, "things")
	for code, want := range map[string]struct{ unavailable, noWrites bool }{
		"08006": {true, false}, "53100": {true, true}, "53200": {true, false}, "53300": {true, false}, "57P01": {true, false}, "57P05": {true, false},
		"57014": {false, false}, "58030": {true, true}, "25P03": {true, false}, "25P04": {true, false}, "25006": {true, true}, "0A000": {true, false},
		"55P03": {false, false}, "23505": {false, false}, "42501": {false, false}, "22P02": {false, false}, "XX001": {false, false},
	} {
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
			return tx.Exec("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '" + code + "'; END $$").Error
		})
		if sqldb.IsStatementTimeout(err) != (code == "57014") {
			t.Errorf("%v: a statement timeout is %t", err, sqldb.IsStatementTimeout(err))
		}
		if err == nil || sqldb.IsUnavailable(err) != want.unavailable || sqldb.TakesNoWrites(err) != want.noWrites {
			t.Errorf("%v: unavailable %t, takes no writes %t", err, sqldb.IsUnavailable(err), sqldb.TakesNoWrites(err))
		}
	}
	slow := db.Do(t.Context(), func(tx *sqldb.Tx) error {
		return errors.Join(tx.Exec("SET LOCAL statement_timeout = 10").Error, tx.Exec("SELECT pg_sleep(60)").Error)
	})
	if !sqldb.IsStatementTimeout(slow) || !sqldb.IsTemporary(slow) || sqldb.IsUnavailable(slow) {
		t.Errorf("a statement timeout: %v", slow)
	}
	metricstest.Want(t, r, map[string]float64{
		`x_db_errors_total{kind="statement_timeout"}`: 2, `x_db_errors_total{kind="unavailable"}`: 11,
	})
	for _, code := range []string{"40001", "40P01"} {
		tries := 0
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
			tries++
			return tx.Exec("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '" + code + "'; END $$").Error
		})
		if tries != 4 || !sqldb.IsContended(err) || sqldb.IsUnavailable(err) {
			t.Errorf("%s: %v after %d tries", code, err, tries)
		}
	}
}

func TestLockTimeoutIsReported(t *testing.T) {
	db := open(t, sqldbtest.Postgres(t)+"&lock_timeout=20ms", sqldb.Options{})
	err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
		if err := tx.Exec("LOCK TABLE items").Error; err != nil {
			return err
		}
		return db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(sqldb.Stmt{SQL: "SELECT 1"}, insert("a", 1)) })
	})
	if batch, ok := errors.AsType[*sqldb.BatchError](err); !sqldb.IsLockTimeout(err) || !ok || batch.Statement != 1 {
		t.Errorf("IsLockTimeout(%v) is false, or it is not the second statement", err)
	}
}

func TestSettingsHoldOnEveryConnection(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		want := map[string]string{
			"PRAGMA journal_mode": "wal", "PRAGMA synchronous": "2", "PRAGMA foreign_keys": "1", "PRAGMA busy_timeout": "10000",
		}
		if db.Postgres() {
			want = map[string]string{
				"SHOW statement_timeout": "5s", "SHOW lock_timeout": "4s", "SHOW idle_in_transaction_session_timeout": "10s",
				"SHOW timezone": "UTC", "SHOW application_name": "countersign", "SHOW jit": "off",
			}
		}
		err := db.Do(t.Context(), func(tx *sqldb.Tx) error { // two connections at once
			for query, value := range want {
				var inside, outside string
				if err := errors.Join(tx.Raw(query).Row().Scan(&inside), db.Read(t.Context()).Raw(query).Row().Scan(&outside)); err != nil {
					return err
				}
				if inside != value || outside != value {
					t.Errorf("%s = %q in a transaction and %q outside, want %q", query, inside, outside, value)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestTheSQLiteFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "odd %23 #name.db")
	open(t, "sqlite:"+path, sqldb.Options{})
	for name, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v (%v), want %v", name, info, err, want)
		}
	}
}

func TestBadURLsAreRefused(t *testing.T) {
	for _, url := range []string{"", "sqlite:", "sqlite::memory:", "sqlite:x.db?mode=ro", "mysql://h/d",
		"postgres://u:secret@h:x/d", "postgres://u:secret@h/d?sslmode=maybe"} {
		_, err := sqldb.Open(t.Context(), url, sqldb.Options{})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("Open(%q): error = %v", url, err)
		}
	}
}

func migrations(names ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, folder := range []string{"sqlite", "postgres"} {
		for _, name := range names {
			table := strings.TrimSuffix(name, ".sql")[6:]
			files["migrations/"+folder+"/"+name] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE " + table + " (id TEXT PRIMARY KEY);\n")}
		}
	}
	return files
}

func TestMigrateRunsOnceHoweverManyStart(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		files := migrations("00001_one.sql", "00002_two.sql", "00003_three.sql", "00004_four.sql", "00005_five.sql")
		var handles []*sqldb.DB // each like a process of its own
		for range 4 {
			db, err := sqldb.Open(t.Context(), url, sqldb.Options{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			handles = append(handles, db)
		}
		var wg sync.WaitGroup
		for _, db := range handles {
			wg.Go(func() {
				if err := db.Migrate(t.Context(), files); err != nil {
					t.Error(err)
				}
				if err := db.Read(t.Context()).Exec("SELECT id FROM five").Error; err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestMigrateRefusesANewerDatabase(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		if err := db.Migrate(t.Context(), migrations("00001_one.sql", "00002_two.sql")); err != nil {
			t.Fatal(err)
		}
		err := db.Migrate(t.Context(), migrations("00001_one.sql"))
		if err == nil || !strings.Contains(err.Error(), "version 2 is newer than version 1") {
			t.Errorf("error = %v", err)
		}
	})
}

// A migration that needs a lock of a caller gives way to it, and ends when the caller has.
func TestAMigrationRetriesAfterALockTimeout(t *testing.T) {
	url := sqldbtest.Postgres(t)
	caller := open(t, url, sqldb.Options{})
	var log logtest.Log
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{Logger: log.Logger()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	file := &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE early (id text);\nALTER TABLE items ADD COLUMN more text;\n")}
	done := make(chan error, 1)
	err = caller.Do(t.Context(), func(tx *sqldb.Tx) error {
		if err := tx.Exec("LOCK TABLE items IN SHARE MODE").Error; err != nil {
			return err
		}
		go func() { done <- db.Migrate(t.Context(), fstest.MapFS{"migrations/postgres/00001_more.sql": file}) }()
		for !strings.Contains(log.String(), "rolled back after a lock conflict") { // the first attempt was rolled back
			if err := caller.Read(t.Context()).Exec("SELECT pg_sleep(0.05)").Error; err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if err := db.Read(t.Context()).Exec("SELECT more FROM items, early").Error; err != nil {
		t.Error(err)
	}
	if text := log.String(); strings.Contains(text, "cannot be reached") {
		t.Errorf("logged %s", text)
	}
}

func TestAFailedMigrationLeavesNothingAndNamesItsFile(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		bad := &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE half (id TEXT);\nSELECT nonsense;\n")}
		err := db.Migrate(t.Context(), fstest.MapFS{"migrations/sqlite/00001_bad.sql": bad, "migrations/postgres/00001_bad.sql": bad})
		if err == nil || !strings.Contains(err.Error(), "00001_bad.sql") {
			t.Errorf("error = %v", err)
		}
		if err := db.Read(t.Context()).Exec("SELECT * FROM half").Error; err == nil {
			t.Error("half of the migration was kept")
		}
	})
}

func TestTheWaitForTheWriterLockEndsWithTheContext(t *testing.T) {
	db := open(t, sqldbtest.SQLite(t), sqldb.Options{})
	err := db.Do(t.Context(), func(*sqldb.Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		return db.Do(ctx, func(*sqldb.Tx) error { return nil })
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want the context's", err)
	}
}

func TestTheWriterLockAdmitsInOrder(t *testing.T) {
	url := sqldbtest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var waiting sync.WaitGroup
		var order []int
		const waiters = 20
		err = db.Do(t.Context(), func(*sqldb.Tx) error {
			for i := range waiters {
				waiting.Go(func() {
					err := db.Do(t.Context(), func(*sqldb.Tx) error { order = append(order, i); return nil })
					if err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
			}
			return nil
		})
		waiting.Wait()
		if err != nil || len(order) != waiters || !slices.IsSorted(order) {
			t.Errorf("order = %v (%v)", order, err)
		}
	})
}

func TestTheTransactionIsUnusableAfterwards(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		var kept *sqldb.Tx
		if err := db.Do(t.Context(), func(tx *sqldb.Tx) error { kept = tx; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := kept.Batch(insert("a", 1)); !errors.Is(err, sql.ErrConnDone) && !errors.Is(err, context.Canceled) {
			t.Errorf("Batch after the end: %v", err)
		}
	})
}

func TestOneProcessServesAFileOfSQLite(t *testing.T) {
	url := sqldbtest.SQLite(t)
	open := func() *sqldb.DB {
		t.Helper()
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	first, second := open(), open()
	unlock, err := first.LockServing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.LockServing(t.Context()); !errors.Is(err, sqldb.ErrServed) || sqldb.IsUnavailable(err) {
		t.Errorf("a second process: %v", err)
	}
	if _, err := second.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")); err != nil {
		t.Errorf("backup beside it: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = second.LockServing(t.Context())
	if err != nil {
		t.Fatalf("after the first: %v", err)
	}
	_ = unlock()
}
