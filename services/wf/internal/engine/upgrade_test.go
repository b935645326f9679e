package engine_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// upgraded is a service on a database that the version at commit 92daf8b has written and
// this version has migrated. The clock is at the end of what was written.
func upgraded(t *testing.T, url string) *service {
	t.Helper()
	kind, _, _ := strings.Cut(url, ":")
	if kind != "sqlite" {
		kind = "postgres"
	}
	before := fstest.MapFS{}
	all := os.DirFS("../store/migrations")
	for _, name := range []string{"0001_init.sql", "0002_resolving.sql", "0003_endpoints.sql"} {
		text, err := fs.ReadFile(all, path.Join(kind, name))
		must(t, err)
		before[path.Join("migrations", kind, name)] = &fstest.MapFile{Data: text}
	}
	rows, err := os.ReadFile("testdata/upgrade/" + kind + ".sql")
	must(t, err)

	s := connect(t, url)
	s.setClock(time.Date(2026, 3, 2, 15, 30, 2, 0, time.UTC))
	must(t, s.db.Migrate(t.Context(), before))
	if err := s.db.Read(t.Context()).Exec(string(rows)).Error; err != nil {
		text := err.Error() // it quotes all rows
		t.Fatalf("load the rows: %s", text[max(0, len(text)-300):])
	}
	must(t, s.store.Migrate(t.Context()))
	return s.with(func(o *engine.Options) {
		o.Directory = true
		o.Resolve = func(_ context.Context, q wf.Question) ([]wf.User, error) {
			ids := q.Rule.IDs
			if q.Rule.Type == wf.RuleRole {
				ids = []string{"olga", "otto"}
			}
			var people []wf.User
			for _, id := range ids {
				people = append(people, wf.User{ID: id, Username: id + ".name"})
			}
			return people, nil
		}
	})
}

// titled returns the requests by their titles.
func (s *service) titled() map[string]wf.Request {
	s.t.Helper()
	found := map[string]wf.Request{}
	for _, id := range s.rows("SELECT id FROM request ORDER BY id") {
		r := s.read(id)
		found[r.Title] = r
	}
	return found
}

func TestADatabaseOfAnOlderVersionIsReadAsItIs(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		s := upgraded(t, url)
		ctx := t.Context()
		for title, r := range s.titled() {
			c, err := s.Request(ctx, root, r.ID)
			must(t, err)
			if diff := describe(c.Request); diff != describe(r) {
				t.Errorf("%s is read as %s", title, diff)
			}
			bad, n, err := s.VerifyEvents(ctx, r.ID)
			if err != nil || bad != 0 || n != r.Chain.Seq {
				t.Errorf("%s: event %d of %d is bad, %v", title, bad, n, err)
			}
			for _, task := range r.Tasks {
				_, err := s.Task(ctx, root, task.ID)
				must(t, err)
			}
		}
		all, err := s.VerifyAll(ctx)
		if must(t, err); len(all.Bad) != 0 {
			t.Errorf("chains %+v", all)
		}
		for who, want := range map[string]string{
			"ana": "each claimed, each open, with a key", "dora": "each delegated, each delegated and claimed, each delegated while open, pool delegated, pool delegated and claimed, second stage",
			"zoe": "", "dana": "each shared, pool shared", "yan": "each shared, pool shared",
			"fay": "fallback in use, pool with fallback in use",
			"hal": "blocked, rescued and open, each reassigned, pool blocked, rescued and open, pool reassigned outside, pool rescued, rescued",
		} {
			items, _, err := s.Tasks(ctx, person(who), wf.TaskFilter{Inbox: who}, wf.Page{Limit: 200})
			must(t, err)
			var titles []string
			for _, item := range items {
				titles = append(titles, item.Request.Title)
			}
			slices.Sort(titles)
			if got := strings.Join(slices.Compact(titles), ", "); who != "ana" && got != want || who == "ana" && !strings.Contains(got, "each claimed") {
				t.Errorf("inbox of %s: %s\nwant %s", who, got, want)
			}
			_, err = s.Me(ctx, person(who))
			must(t, err)
			_, _, err = s.TaskStats(ctx, person(who), wf.TaskFilter{})
			must(t, err)
		}
		_, _, err = s.Requests(ctx, root, wf.RequestFilter{}, wf.Page{Limit: 200})
		must(t, err)
		_, _, err = s.Delegations(ctx, root, wf.DelegationFilter{}, wf.Page{Limit: 200})
		must(t, err)
		deliveries, _, err := s.Deliveries(ctx, outbox.DeliveryFilter{}, wf.Page{Limit: 200})
		if must(t, err); len(deliveries) == 0 {
			t.Error("there are no deliveries")
		}
		events, _, err := s.AuditEvents(ctx, wf.AuditFilter{}, wf.Page{Limit: 200})
		if must(t, err); len(events) != 200 {
			t.Errorf("%d events", len(events))
		}
		again, err := s.CreateRequest(ctx, rita, input("pair"), repeatable(rita, "k1", "body"))
		if must(t, err); !again.Replayed {
			t.Error("a call of the version before is not replayed")
		}
	})
}

func TestEveryRequestOfAnOlderVersionIsFinished(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		s := upgraded(t, url)
		ctx := t.Context()
		for {
			n, err := s.TurnPools(ctx, 5)
			if must(t, err); n == 0 {
				break
			}
		}
		equal(t, "pools to turn", s.rows("SELECT id FROM stage_run WHERE need > 0 AND wanted IS NULL AND status IN ('active', 'blocked')"), nil)
		for _, r := range s.titled() {
			for _, run := range r.Stages {
				c, err := s.Request(ctx, root, r.ID)
				must(t, err)
				if problem := accuse(c.Definition, r, run); run.Pool && problem != "" {
					t.Errorf("%s: %s: %s", r.Title, problem, describe(r))
				}
			}
		}
		open := func(title string, want ...string) {
			t.Helper()
			equal(t, title, holders(s.titled()[title]), want)
		}
		open("pool open", "-", "-")
		open("pool claimed", "-", "cy")
		open("pool half decided", "-")
		open("pool reassigned inside", "dan", "-")
		open("pool reassigned outside", "hal", "-")
		open("pool delegated and claimed", "dora")
		open("pool blocked by an abstention", "-", "-")
		open("pool with wait_for_all and required", "-", "-")
		open("pool ruled, the wrong one is taken", "-", "cy")
		same(t, "the needless rescue", s.titled()["pool blocked by an abstention"].Status, wf.RequestInReview)
		same(t, "the rescue that is needed", s.titled()["pool blocked by decisions"].Status, wf.RequestBlocked)
		items, _, err := s.Tasks(ctx, person("zoe"), wf.TaskFilter{Inbox: "zoe"}, wf.Page{})
		if must(t, err); len(items) != 1 || items[0].Request.Title != "pool delegated" {
			t.Errorf("zoe, for whom dora may act, is shown %+v", items)
		}
		for by, want := range map[string]wf.Reason{"dan": wf.WrongState, "stan": wf.Forbidden} {
			r := s.titled()["pool ruled, the wrong one is taken"]
			refused(t, by+" takes the place that is kept for others", s.claim(takes(r, "", "ana"), by), want)
		}

		s.finishAll()
	})
}

func TestInboxesOfAnOlderVersionAreWrittenAnew(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		s := upgraded(t, url)
		ctx := t.Context()
		relist := func() (n int) {
			for {
				looked, err := s.RelistRequests(ctx, 5)
				if must(t, err); looked == 0 {
					return n
				}
				n += looked
			}
		}
		right := func(when string) {
			t.Helper()
			for title, r := range s.titled() {
				var want []string
				for _, e := range r.Inbox() {
					want = append(want, fmt.Sprint(e.UserID, " ", e.Role, " ", e.Task.Status, " ", e.Task.ID))
				}
				slices.Sort(want)
				equal(t, when+", "+title, s.rows(listed, r.ID), want)
			}
		}
		if n := relist(); n == 0 {
			t.Error("no pool of an older version is listed anew")
		}
		right("after the migration")

		// What a process of the version before does, which knows of no inbox.
		s.exec("UPDATE task SET status = 'skipped' WHERE request_id = ?", s.titled()["each open"].ID)
		s.exec("UPDATE request SET status = 'cancelled', rev = rev + 1 WHERE id = ?", s.titled()["each open"].ID)
		s.exec("UPDATE request SET rev = rev + 1 WHERE id = ?", s.titled()["pool open"].ID)
		s.exec("DELETE FROM inbox WHERE request_id = ?", s.titled()["pool open"].ID)
		if n := relist(); n != 2 {
			t.Errorf("%d requests are listed anew, want 2", n)
		}
		right("after the version before has written")

		s.exec("UPDATE request SET rev = rev + 1 WHERE id = ?", s.titled()["pool claimed"].ID)
		s.exec("DELETE FROM inbox WHERE request_id = ?", s.titled()["pool claimed"].ID)
		must(t, s.cancel(s.titled()["pool claimed"].ID, root))
		right("after this version has written what the version before wrote")
		if n := relist(); n != 0 {
			t.Errorf("%d requests are listed anew, want 0", n)
		}
	})
}

// While a process of the version before still runs, or before the pools are turned, people
// may go on as well.
func TestAPoolOfAnOlderVersionIsTurnedByWhoeverTouchesIt(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		upgraded(t, url).finishAll()
	})
}

// finishAll finishes every request, and looks how they ended.
func (s *service) finishAll() {
	t := s.t
	t.Helper()
	s.advance(time.Minute)
	_, err := s.SettleDelegations(t.Context(), s.now(), 100)
	must(t, err)
	_, err = s.RetryStages(t.Context(), s.now(), 100)
	must(t, err)
	must(t, s.Sweep(t.Context()))
	for round := 0; s.rows("SELECT count(*) FROM request WHERE status IN ('in_review', 'blocked', 'changes_requested')")[0] != "0"; round++ {
		if round > 5 {
			t.Fatal("some requests are not over")
		}
		for _, r := range s.titled() {
			s.finish(r)
		}
	}
	for title, r := range s.titled() {
		want := map[string]wf.RequestStatus{"rejected": wf.RequestRejected, "cancelled": wf.RequestCancelled, "expired": wf.RequestExpired}[title]
		if want == "" {
			want = wf.RequestApproved
		}
		if r.Status != want {
			t.Errorf("%s: %s, want %s", title, describe(r), want)
		}
	}
	s.sound()
}

// finish does for a request what people would: the requester resubmits, an admin finds
// approvers, and those who may approve.
func (s *service) finish(r wf.Request) {
	s.t.Helper()
	if r.Status == wf.RequestChangesRequested {
		_, err := s.ResubmitRequest(s.t.Context(), rita, r.ID, nil, "", "", "", once())
		must(s.t, err)
	}
	for i, t := range s.read(r.ID).Tasks {
		if t.Kind == wf.RescueTask && isLive(t) && t.Assignee == nil {
			must(s.t, s.reassign(t.ID, fmt.Sprint("helper-", i), root))
		}
	}
	for done := true; done; {
		done = false
		r = s.read(r.ID)
		for _, t := range r.Tasks {
			for _, who := range deciders(r, t) {
				if err := s.approve(t.ID, who); err == nil {
					done = true
					break
				}
			}
			if done {
				break
			}
		}
	}
}

// deciders are the people who may decide a task, as the service shows them.
func deciders(r wf.Request, t wf.Task) (ids []string) {
	switch {
	case !isLive(t) || t.Kind != wf.ApproverTask:
	case t.Assignee != nil:
		ids = append(ids, t.Assignee.ID)
	default:
		for _, taker := range r.Run(t).Takers(r.Tasks) {
			ids = append(ids, taker.ID)
		}
	}
	return ids
}
