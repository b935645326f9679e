package waiting_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/countersign/countersign/services/wf/internal/waiting"
)

func TestACallWaitsForAnotherRevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		revs := map[string]int64{"a": 1, "b": 1}
		w := waiting.New(func(_ context.Context, ids []string) (map[string]int64, error) {
			asked = slices.Sorted(slices.Values(ids))
			return revs, nil
		})
		ended := make(chan string, 10)
		wait := func(name, id string, rev int64) {
			go func() {
				w.Wait(t.Context(), id, rev)
				ended <- name
			}()
			synctest.Wait() // it is waiting
		}
		ends := func(step string, want ...string) {
			t.Helper()
			synctest.Wait()
			var got []string
			for len(ended) > 0 {
				got = append(got, <-ended)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %v end, want %v", step, got, want)
			}
		}
		poll := func() {
			t.Helper()
			if err := w.Poll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		poll()
		if asked != nil {
			t.Error("a query without waiting calls")
		}
		wait("a1", "a", 1)
		wait("a2", "a", 1)
		wait("b1", "b", 1)
		ends("no change")
		poll()
		ends("a poll without a change")
		if !slices.Equal(asked, []string{"a", "b"}) {
			t.Errorf("the query has %v", asked)
		}
		w.Notify("a", 1)
		ends("a notice of the known revision")
		w.Notify("a", 2)
		ends("a notice of another revision", "a1", "a2")
		revs["b"] = 2
		poll()
		ends("a poll with a change", "b1")
		wait("late", "b", 1)
		poll()
		ends("a call that read before the change", "late")
		wait("purged", "c", 1)
		poll()
		ends("a purged request", "purged")
		asked = nil
		poll()
		if asked != nil {
			t.Error("a query after the end of the calls")
		}
	})
}

func TestTheEndOfTheContextEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := waiting.New(func(context.Context, []string) (map[string]int64, error) { return nil, errors.New("down") })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		w.Wait(ctx, "a", 1)
		if took := time.Since(start); took != time.Second {
			t.Errorf("after %v", took)
		}
		if err := w.Poll(t.Context()); err != nil {
			t.Errorf("a call remains: %v", err)
		}
		go w.Wait(t.Context(), "a", 1)
		synctest.Wait()
		if w.Poll(t.Context()) == nil {
			t.Error("the error of the query is lost")
		}
		w.Notify("a", 2)
	})
}
