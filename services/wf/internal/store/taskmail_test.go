package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/services/wf/internal/store"
)

func TestDueTaskMailsAreFoundAmongOthers(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for i := range 600 {
			state := uuid.NewString()
			if i%2 == 0 {
				state = "collecting"
			}
			f.exec("INSERT INTO notice_item (user_id, event_id, kind, request_id, at_ms, digest_id) VALUES (?, ?, 'waits_for_you', ?, ?, ?)",
				fmt.Sprint("u", i%100), uuid.NewString(), uuid.NewString(), 1000+i, state)
		}
		got, err := f.Due.TaskMails(t.Context(), time.UnixMilli(1003), 10)
		if err != nil || strings.Join(got, " ") != "u0 u2" {
			t.Errorf("due are %v, %v", got, err)
		}
	})
}

// A process that takes a mail of an older list finds the tasks that came since, and leaves them.
func TestATakenTaskMailIsNotTakenAgain(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		r, events := withEvents(f, 2)
		add := func(event string, at int64) {
			f.exec("INSERT INTO notice_item (user_id, event_id, kind, request_id, at_ms, digest_id) VALUES ('ana', ?, 'waits_for_you', ?, ?, 'collecting')", event, r.ID, at)
		}
		take := func(delivery string) (m store.TaskMail, due bool) {
			f.do(func(tx *store.Tx) (err error) {
				m, due, err = tx.Notices.TakeTaskMail("ana", time.UnixMilli(1000), delivery)
				return err
			})
			return m, due
		}
		add(events[0].ID, 1000)
		if m, due := take("one"); !due || m.EventID != events[0].ID || m.RequestID != r.ID || m.Seq != events[0].Seq || m.First.RequestID != r.ID {
			t.Errorf("the first is %+v, %t", m, due)
		}
		add(events[1].ID, 1001)
		if m, due := take("two"); due {
			t.Errorf("the second is %+v", m)
		}
	})
}
