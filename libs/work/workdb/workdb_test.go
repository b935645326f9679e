package workdb_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/work"
	"github.com/countersign/countersign/libs/work/workdb"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var queue = workdb.Queue{Table: "job", Key: "name", Target: "target"}

type jobRow struct {
	Name   string `gorm:"primaryKey"`
	Target string
	workdb.Columns
}

// fixture is a queue with a clock that the test sets.
type fixture struct {
	*sqldb.DB
	t     *testing.T
	clock *timetest.Clock
}

func each(t *testing.T, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	sqldbtest.Each(t, func(t *testing.T, url string) {
		f := &fixture{t: t, clock: timetest.At(start)}
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{Now: f.clock.Now, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		f.DB = db
		for _, table := range []string{
			"CREATE TABLE job (name text PRIMARY KEY, target text NOT NULL, due_ms bigint NOT NULL," +
				" lease_token text NOT NULL, lease_owner text NOT NULL, leased_ms bigint NOT NULL)",
			"CREATE TABLE process (id text PRIMARY KEY, seen_ms bigint NOT NULL)",
		} {
			f.exec(table)
		}
		fn(t, f)
	})
}

func (f *fixture) exec(query string, args ...any) {
	f.t.Helper()
	if err := f.Read(f.t.Context()).Exec(query, args...).Error; err != nil {
		f.t.Fatal(err)
	}
}

// add adds items named by their target and a letter, "x1 y1 x2", each due a millisecond after the one before.
func (f *fixture) add(names string) {
	f.t.Helper()
	for i, name := range strings.Fields(names) {
		due := start.Add(time.Duration(i) * time.Millisecond)
		row := jobRow{name, name[:1], workdb.ColumnsOf(due, work.Lease{})}
		if err := f.Read(f.t.Context()).Create(&row).Error; err != nil {
			f.t.Fatal(err)
		}
	}
}

// beat records a heartbeat of a process.
func (f *fixture) beat(process string) {
	f.exec("INSERT INTO process VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET seen_ms = excluded.seen_ms", process, f.clock.Now().UnixMilli())
}

// claim claims at most n items, with a number of slots for x and y, and returns their names.
func (f *fixture) claim(process string, x, y, n int) (claimed []workdb.Claimed, names string) {
	f.t.Helper()
	err := f.Do(f.t.Context(), func(tx *sqldb.Tx) (err error) {
		claimed, err = queue.Claim(tx, process, []workdb.Slot{{Target: "x", Slots: x}, {Target: "y", Slots: y}}, n)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return claimed, strings.Join(sqldb.Values(claimed, func(c workdb.Claimed) string { return c.Key }), " ")
}

func (f *fixture) want(what, want string, got string) {
	f.t.Helper()
	if got != want {
		f.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestTargetsAreClaimedInTurn(t *testing.T) {
	const all = "x1 x2 x3 y1 y2 z1"
	for name, tt := range map[string]struct {
		x, y, n int
		after   time.Duration
		want    string
	}{
		"in turn":                  {9, 9, 9, time.Second, "x1 y1 x2 y2 x3"},
		"as many as asked":         {9, 9, 3, time.Second, "x1 y1 x2"},
		"as many as have slots":    {1, 2, 9, time.Second, "x1 y1 y2"},
		"no slots":                 {0, 1, 9, time.Second, "y1"},
		"only those that are due":  {9, 9, 9, time.Millisecond, "x1 x2"},
		"none before the due time": {9, 9, 9, -time.Millisecond, ""},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.add(all)
				f.clock.Set(start.Add(tt.after))
				claimed, names := f.claim("p", tt.x, tt.y, tt.n)
				f.want("claimed", tt.want, names)
				_, again := f.claim("p", tt.x, tt.y, 1)
				if again != "" && slices.Contains(strings.Fields(names), again) {
					t.Errorf("%s was claimed twice", again)
				}
				for _, c := range claimed {
					if c.Before.IsHeld() || c.Lease.Owner != "p" || !c.Lease.Since.Equal(f.clock.Now()) || c.Due.After(f.clock.Now()) {
						t.Errorf("claimed %+v", c)
					}
				}
			})
		})
	}
}

// A lease ends after 60 s, that of a dead process after 20 s; a process is dead 5 s after its last heartbeat.
func TestALeaseEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		owner   string
		beats   bool // of the owner, until the claim
		claimer string
		ends    time.Duration
	}{
		"of a process that lives":        {"p", true, "q", work.LeaseTime},
		"of a process that died":         {"p", false, "q", work.AbandonedAfter},
		"of a process without heartbeat": {"", false, "q", work.LeaseTime},
		"of the claimer itself":          {"p", false, "p", work.LeaseTime},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.add("x1 y1")
				f.beat("p")
				f.clock.Advance(time.Second)
				taken := f.clock.Now()
				first, _ := f.claim(tt.owner, 1, 0, 1)
				targets := func(after time.Duration) (busy, ready int) {
					f.clock.Set(taken.Add(after))
					if tt.beats {
						f.beat("p")
					}
					list, err := queue.Targets(f.Read(t.Context()), tt.claimer, f.clock.Now())
					if err != nil {
						t.Fatal(err)
					}
					for _, target := range list {
						if target.Name == "x" {
							return target.Busy, target.Ready
						}
					}
					return 1, 0
				}
				if busy, ready := targets(tt.ends - time.Millisecond); ready != 0 {
					t.Errorf("before the end %d are busy, %d ready", busy, ready)
				}
				_, names := f.claim(tt.claimer, 1, 0, 1)
				f.want("before the end", "", names)
				if busy, ready := targets(tt.ends); busy != 0 || ready != 1 {
					t.Errorf("at the end %d are busy, %d ready", busy, ready)
				}
				again, names := f.claim(tt.claimer, 1, 0, 1)
				f.want("at the end", "x1", names)
				if len(again) == 1 && again[0].Before != first[0].Lease {
					t.Errorf("the lease before was %+v, want %+v", again[0].Before, first[0].Lease)
				}
			})
		})
	}
}

// Leases of dead processes do not count.
func TestTargetsCountLeases(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.add("y1 x1 x2 x3 x4")
		f.clock.Advance(time.Second)
		f.beat("dead")
		f.claim("dead", 1, 0, 1)
		f.clock.Advance(10 * time.Second)
		f.beat("p")
		f.claim("p", 1, 0, 1)
		list, err := queue.Targets(f.Read(t.Context()), "q", f.clock.Now())
		if want := []workdb.Target{{Name: "y", Ready: 1}, {Name: "x", Busy: 1, Ready: 2}}; err != nil || !slices.Equal(list, want) {
			t.Errorf("targets %+v, want %+v (%v)", list, want, err)
		}
	})
}

func TestOnlyTheHolderEndsALease(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.add("x1 x2 x3")
		f.clock.Advance(time.Second)
		late, _ := f.claim("p", 3, 0, 3)
		f.clock.Advance(work.LeaseTime)
		held, _ := f.claim("q", 3, 0, 3)
		in := func(fn func(tx *sqldb.Tx) error) error { return f.Do(t.Context(), fn) }
		for name, fn := range map[string]func(tx *sqldb.Tx) error{
			"finished": func(tx *sqldb.Tx) error { return queue.Finish(tx.DB, "x1", late[0].Lease.Token) },
			"released": func(tx *sqldb.Tx) error { return queue.Release(tx.DB, "x1", late[0].Lease.Token, tx.Now()) },
			"no lease": func(tx *sqldb.Tx) error { return queue.Finish(tx.DB, "x1", "") },
		} {
			if err := in(fn); !errors.Is(err, workdb.ErrLeaseLost) {
				t.Errorf("%s by another: %v", name, err)
			}
		}
		err := in(func(tx *sqldb.Tx) error {
			if err := queue.Release(tx.DB, "x2", held[1].Lease.Token, tx.Now().Add(time.Minute)); err != nil {
				return err
			}
			got, err := queue.FinishAll(tx, map[string]string{"x1": held[0].Lease.Token, "x2": held[1].Lease.Token, "x3": late[2].Lease.Token})
			if len(got) != 1 || !got["x1"] {
				t.Errorf("finished %v, want x1", got)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(time.Minute - time.Millisecond)
		_, names := f.claim("p", 3, 0, 3)
		f.want("before the new due time, with the abandoned one", "x3", names)
		f.clock.Advance(time.Millisecond)
		claimed, names := f.claim("p", 3, 0, 3)
		f.want("at the new due time", "x2", names)
		if len(claimed) == 1 && claimed[0].Before.IsHeld() {
			t.Errorf("a released item was leased: %+v", claimed[0])
		}
	})
}
