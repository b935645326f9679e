package engine_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf"
)

// program finds a program of PostgreSQL, and skips the test where there is none.
func program(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	must(t, err)
	if len(found) == 0 {
		t.Skipf("there is no %s here", name)
	}
	return slices.Max(found)
}

// restored is a second service on a copy of the database, taken by the documented procedure.
func (s *service) restored() *service {
	s.t.Helper()
	if !s.db.Postgres() {
		path := filepath.Join(s.t.TempDir(), "copy.db")
		_, err := s.db.Backup(s.t.Context(), path)
		must(s.t, err)
		return connect(s.t, "sqlite:"+path)
	}
	dump, restore := program(s.t, "pg_dump"), program(s.t, "pg_restore")
	copied, file := sqldbtest.Postgres(s.t), filepath.Join(s.t.TempDir(), "copy.dump")
	for _, command := range [][]string{
		{dump, "--format=custom", "--no-owner", "--file=" + file, s.url},
		{restore, "--exit-on-error", "--no-owner", "--dbname=" + copied, file},
	} {
		out, err := exec.CommandContext(s.t.Context(), command[0], command[1:]...).CombinedOutput() // #nosec G204 -- a program of the distribution
		if err != nil {
			s.t.Fatalf("%s: %v\n%s", command[0], err, out)
		}
	}
	return connect(s.t, copied)
}

func TestABackupUnderLoadRestoresToASoundState(t *testing.T) {
	gone(t, func(t *testing.T, s *service) {
		if s.db.Postgres() {
			program(t, "pg_dump")
		}
		key := s.toldOfAll("ledger")
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		var made atomic.Int64
		for range 4 {
			work.Go(func() {
				for ctx.Err() == nil {
					reply, err := s.Requests.CreateRequest(t.Context(), rita, input(key), keyOf(rita, "k"+strconv.FormatInt(made.Add(1), 10), "f"))
					if err == nil && made.Load()%3 != 0 {
						err = s.approve(reply.Case.Request.Tasks[0].ID, "ana")
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for made.Load() < 20 && !t.Failed() {
			must(t, s.store.Ping(t.Context()))
		}
		copied := s.restored()
		stop()
		work.Wait()

		copied.clock = s.clock
		must(t, copied.store.Migrate(t.Context())) // it finds nothing to do
		copied.holds()
		copied.sound()
		if v, err := copied.Audit.VerifyAll(t.Context()); err != nil || v.Events < 40 {
			t.Errorf("the copy has %+v, %v", v, err)
		}
		// It continues at the same state.
		open := copied.rows("SELECT id FROM task WHERE status = 'open' LIMIT 1")
		if len(open) == 1 {
			must(t, copied.act(open[0], "ana", wf.ActionApprove))
		}
		copied.delivered()
		copied.holds()
	})
}
