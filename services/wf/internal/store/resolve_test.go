package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func TestTheRequestsWithAStageToLookAtNowAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		waiting := func(status wf.StageStatus, after ...time.Duration) string {
			r := f.newRequest()
			for i, d := range after {
				r.Stages = append(r.Stages, wf.StageRun{ID: newID(), Key: string(rune('a' + i)), Run: 1, Status: status, RetryAt: start.Add(d)})
			}
			return f.addRequest(r).ID
		}
		second := waiting(wf.StageResolving, time.Second)
		first := waiting(wf.StageBlocked, 2*time.Second, 0)
		later := waiting(wf.StageBlocked, 3*time.Second)
		waiting(wf.StageActive, 0)
		waiting(wf.StageCancelled, 0)
		decided := f.newRequest()
		decided.Stages = []wf.StageRun{{ID: newID(), Key: "a", Run: 1, Status: wf.StageBlocked}} // only its rescue can continue it
		f.addRequest(decided)
		f.addRequest(withTask(f.newRequest(), "s", "ana"))
		for _, tt := range []struct {
			at    time.Duration
			limit int
			want  []string
		}{
			{-time.Millisecond, 9, nil}, {0, 9, []string{first}}, {2 * time.Second, 9, []string{first, second}},
			{2 * time.Second, 1, []string{first}}, {time.Hour, 9, []string{first, second, later}},
		} {
			got, err := f.Due.Stages(t.Context(), start.Add(tt.at), tt.limit)
			same(t, tt.at.String(), tt.want, got, err)
		}
	})
}

func TestTheRequestsToSweepAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.addPolicy("q")
		add := func(r wf.Request, key string, status wf.RequestStatus) string {
			r.PolicyKey, r.Status = key, status
			return f.addRequest(r).ID
		}
		inReview, blocked := add(f.newRequest(), "p", wf.RequestInReview), add(f.newRequest(), "p", wf.RequestBlocked)
		add(f.newRequest(), "q", wf.RequestChangesRequested)
		held := add(withTask(f.newRequest(), "s", "ana"), "q", wf.RequestInReview)
		offered := add(withPool(f.newRequest(), []approver.Approver{{User: identity.User{ID: "bo"}, Rules: []int{0}}}, 1, 0), "q", wf.RequestInReview)
		taken := withPool(f.newRequest(), []approver.Approver{{User: identity.User{ID: "dee"}, Rules: []int{0}}}, 1, 0)
		taken.Tasks[0].Status, taken.Tasks[0].Assignee = wf.TaskClaimed, user("eli")
		claimed := add(taken, "q", wf.RequestInReview)
		for _, status := range []wf.RequestStatus{wf.RequestApproved, wf.RequestRejected, wf.RequestCancelled, wf.RequestExpired} {
			add(f.newRequest(), "p", status)
		}
		p, q := store.VersionID{PolicyKey: "p", Number: 1}, store.VersionID{PolicyKey: "q", Number: 1}

		versions, err := f.Policies.VersionsInUse(t.Context())
		slices.SortFunc(versions, func(a, b store.VersionID) int { return strings.Compare(a.PolicyKey, b.PolicyKey) })
		same(t, "VersionsInUse", []store.VersionID{p, q}, versions, err)

		before, after := store.VersionID{PolicyKey: "p"}, store.VersionID{PolicyKey: "p", Number: 2}
		for _, tt := range []struct {
			name     string
			versions []store.VersionID
			people   []string
			after    string
			limit    int
			want     []string
		}{
			{"blocked", nil, nil, "", 9, []string{blocked}},
			{"of other versions", []store.VersionID{before, after}, []string{"zoe"}, "", 9, []string{blocked}},
			{"of a version", []store.VersionID{after, p}, nil, "", 9, []string{inReview, blocked}},
			{"of a version with changes requested", []store.VersionID{q}, nil, "", 9, []string{blocked, held, offered, claimed}},
			{"of a task holder", nil, []string{"ana"}, "", 9, []string{blocked, held}},
			{"of a candidate", nil, []string{"zoe", "bo"}, "", 9, []string{blocked, offered}},
			{"of a candidate of a task claimed by another", nil, []string{"dee"}, "", 9, []string{blocked, claimed}},
			{"the first", []store.VersionID{p, q}, []string{"ana", "bo"}, "", 2, []string{inReview, blocked}},
			{"the next", []store.VersionID{p, q}, []string{"ana", "bo"}, blocked, 9, []string{held, offered, claimed}},
			{"no more", []store.VersionID{p, q}, []string{"ana", "bo"}, claimed, 9, nil},
		} {
			got, err := f.Due.Sweep(t.Context(), tt.versions, tt.people, tt.after, tt.limit)
			same(t, tt.name, tt.want, got, err)
		}
	})
}

func TestThoseWithSomethingToDoAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.addRequest(withTask(withTask(f.newRequest(), "s", "bo"), "s2", "ana"))
		claimed := withTask(f.newRequest(), "s", "bo")
		claimed.Tasks[0].Status = wf.TaskClaimed
		f.addRequest(claimed)
		over := withTask(f.newRequest(), "s", "cy")
		over.Tasks[0].Status = wf.TaskCompleted
		f.addRequest(over)
		gone := approver.Approver{User: identity.User{ID: "fay"}, Rules: []int{0}}
		gone.Ineligible = true
		f.addRequest(withPool(f.newRequest(), []approver.Approver{{User: identity.User{ID: "dee"}, Rules: []int{0}}, gone}, 1, 0))
		ended := withPool(f.newRequest(), []approver.Approver{{User: identity.User{ID: "hal"}, Rules: []int{0}}}, 0)
		ended.Stages[0].Status = wf.StageApproved
		f.addRequest(ended)

		for _, tt := range []struct {
			after string
			limit int
			want  []string
		}{{"", 9, []string{"ana", "bo", "dee"}}, {"", 1, []string{"ana"}}, {"ana", 2, []string{"bo", "dee"}}, {"dee", 9, nil}} {
			got, err := f.LivePeople(t.Context(), tt.after, tt.limit)
			same(t, "LivePeople after "+tt.after, tt.want, got, err)
		}
	})
}
