package store_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

func TestAnApprovalIsFoundByItsContent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		now := f.clock()
		add := func(change func(*wf.Request)) string {
			r := withTask(f.newRequest(), "s", "ana")
			r.PolicyKey, r.ContextHash, r.SubmittedBy = "p", "sha256:one", identity.User{ID: "sam"}
			change(&r)
			f.addRequest(r)
			return r.ID
		}
		approved := func(r *wf.Request) { r.Status, r.Standing, r.CompletedAt = wf.RequestApproved, wf.StandingInForce, now }
		expect := func(step, id string, count int) {
			t.Helper()
			if got, n, err := f.FindApproval(t.Context(), "sam", "p", "sha256:one"); got != id || n != count || err != nil {
				t.Errorf("%s: %q, %d, %v, want %q, %d", step, got, n, err, id, count)
			}
		}
		expect("none", "", 0)
		add(func(r *wf.Request) { r.SubmittedBy.ID = "tom" })
		add(func(r *wf.Request) { r.ContextHash = "sha256:two" })
		add(func(r *wf.Request) { r.Status, r.CompletedAt = wf.RequestRejected, now })
		add(func(r *wf.Request) { r.ExpiresAt = new(now) })
		add(func(r *wf.Request) { approved(r); r.ValidUntil = now })
		add(func(r *wf.Request) {
			approved(r)
			r.Standing, r.EndedAt, r.EndedBy = wf.StandingConsumed, now, &identity.User{ID: "sam"}
		})
		expect("ended", "", 4)
		force := add(func(r *wf.Request) { approved(r); r.ValidUntil = now.Add(time.Hour) })
		expect("in force", force, 5)
		open := add(func(r *wf.Request) { r.ExpiresAt = new(now.Add(time.Hour)) })
		expect("open", open, 6)
		expect("newest", add(func(r *wf.Request) { approved(r) }), 7)
		changes := add(func(r *wf.Request) { r.Status = wf.RequestChangesRequested })
		expect("changes requested", changes, 8)
	})
}
