package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func delegation(from, to string, starts, ends time.Duration) approver.Delegation {
	return approver.Delegation{
		ID: newID(), User: identity.User{ID: from}, DelegateTo: identity.User{ID: to}, Mode: approver.DelegationReplace,
		StartsAt: start.Add(starts), EndsAt: start.Add(ends), CreatedAt: start,
	}
}

func TestADelegationComesBackAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		fill := &filler{t: t}
		var added, changed approver.Delegation
		fill.fill(&added)
		fill.fill(&changed)
		added.ID, added.Mode = newID(), approver.DelegationShare
		after := changed
		changed = added // the other arguments are constant
		changed.StartsAt, changed.Started, changed.RoutedOpenTasks, changed.Warnings = after.StartsAt, after.Started, after.RoutedOpenTasks, after.Warnings
		changed.RevokedBy, changed.RevokedAt, changed.UpdatedAt, changed.Closed = after.RevokedBy, after.RevokedAt, after.UpdatedAt, false
		f.do(func(tx *store.Tx) error {
			if err := tx.Delegations.Add(added); err != nil {
				return err
			}
			got, err := tx.Delegations.Lock(added.ID)
			same(t, "added", added, got, err)
			return tx.Delegations.Put(changed)
		})
		got, err := f.Delegations.Delegation(t.Context(), added.ID)
		same(t, "changed", changed, got, err)
		bare := approver.Delegation{ID: newID(), Mode: approver.DelegationReplace} // no time is filled in
		f.do(func(tx *store.Tx) error { return tx.Delegations.Add(bare) })
		got, err = f.Delegations.Delegation(t.Context(), bare.ID)
		same(t, "bare", bare, got, err)
		missing := changed
		missing.ID = newID()
		if err := f.Do(t.Context(), func(tx *store.Tx) error { return tx.Delegations.Put(missing) }); err == nil {
			t.Error("a delegation that was never added is written")
		}
	})
}

func TestDelegationsAreFollowedHopByHop(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		revoked := delegation("ana", "eve", -time.Hour, time.Hour)
		revoked.RevokedAt = start
		var all []approver.Delegation
		for _, d := range []approver.Delegation{
			delegation("ana", "bo", -time.Hour, time.Hour),
			delegation("bo", "cy", 0, time.Hour),
			delegation("cy", "ana", -time.Hour, time.Millisecond),
			delegation("cy", "dan", -time.Hour, time.Hour),
			delegation("ana", "late", time.Millisecond, time.Hour),
			delegation("ana", "early", -time.Hour, 0),
			revoked,
		} {
			f.do(func(tx *store.Tx) error { return tx.Delegations.Add(d) })
			all = append(all, d)
		}
		tests := []struct {
			users []string
			hops  int
			want  []int
		}{
			{[]string{"nobody"}, 3, nil},
			{nil, 3, nil},
			{[]string{"ana"}, 0, nil},
			{[]string{"ana"}, 1, []int{0}},
			{[]string{"ana"}, 2, []int{0, 1}},
			{[]string{"ana"}, 3, []int{0, 1, 2, 3}},
			{[]string{"ana", "cy", `"`}, 1, []int{0, 2, 3}},
		}
		for _, tt := range tests {
			f.do(func(tx *store.Tx) error {
				got, err := tx.Delegations.Of(tt.users, tt.hops)
				var want []approver.Delegation
				for _, i := range tt.want {
					want = append(want, all[i])
				}
				same(t, fmt.Sprintf("%v, %d hops", tt.users, tt.hops), want, got, err)
				return nil
			})
		}
	})
}

func TestDueDelegationsAreToStartOrToClose(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		tests := []struct {
			name   string
			change func(*approver.Delegation)
			due    bool
		}{
			{"in force, not started", func(d *approver.Delegation) {}, true},
			{"in force, started", func(d *approver.Delegation) { d.Started = true }, false},
			{"scheduled", func(d *approver.Delegation) { d.StartsAt = start.Add(time.Minute) }, false},
			{"over, not closed", func(d *approver.Delegation) { d.EndsAt, d.Started = start, true }, true},
			{"over, never started", func(d *approver.Delegation) { d.EndsAt = start }, true},
			{"over, closed", func(d *approver.Delegation) { d.EndsAt, d.Closed = start, true }, false},
			{"revoked, not closed", func(d *approver.Delegation) { d.RevokedAt, d.Started = start, true }, true},
			{"revoked before it started, closed", func(d *approver.Delegation) { d.RevokedAt, d.Closed = start, true }, false},
		}
		var want []string
		for _, tt := range tests {
			d := delegation("ana", "bo", -time.Hour, time.Hour)
			tt.change(&d)
			f.do(func(tx *store.Tx) error { return tx.Delegations.Add(d) })
			if tt.due {
				want = append(want, d.ID)
			}
		}
		got, err := f.Due.Delegations(t.Context(), start, 10)
		same(t, "due", want, got, err)
		got, err = f.Due.Delegations(t.Context(), start, 2)
		same(t, "the first two", want[:2], got, err)
	})
}

func TestDelegationFilters(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		revoked := delegation("cy", "ana", -time.Hour, time.Hour)
		revoked.RevokedAt = start
		names := map[string]string{}
		for name, d := range map[string]approver.Delegation{
			"active": delegation("ana", "bo", -time.Hour, time.Hour), "scheduled": delegation("ana", "cy", time.Hour, 2*time.Hour),
			"ended": delegation("bo", "cy", -time.Hour, 0), "revoked": revoked,
		} {
			f.do(func(tx *store.Tx) error { return tx.Delegations.Add(d) })
			names[d.ID] = name
		}
		tests := map[string]struct {
			filter wf.DelegationFilter
			want   []string
		}{
			"all":            {wf.DelegationFilter{}, []string{"active", "ended", "revoked", "scheduled"}},
			"of one":         {wf.DelegationFilter{User: "ana"}, []string{"active", "scheduled"}},
			"to one":         {wf.DelegationFilter{DelegateTo: "cy"}, []string{"ended", "scheduled"}},
			"own":            {wf.DelegationFilter{Own: "ana"}, []string{"active", "revoked", "scheduled"}},
			"own and of one": {wf.DelegationFilter{Own: "ana", User: "bo"}, nil},
			"by status": {wf.DelegationFilter{Status: []approver.DelegationStatus{approver.DelegationEnded, approver.DelegationRevoked}},
				[]string{"ended", "revoked"}},
			"active":    {wf.DelegationFilter{Status: []approver.DelegationStatus{approver.DelegationActive}}, []string{"active"}},
			"scheduled": {wf.DelegationFilter{Status: []approver.DelegationStatus{approver.DelegationScheduled}}, []string{"scheduled"}},
		}
		for name, tt := range tests {
			list, _, err := f.Delegations.List(t.Context(), tt.filter, wf.Page{})
			same(t, name, tt.want, sorted(list, func(d approver.Delegation) string { return names[d.ID] }), err)
		}
	})
}

// standing is a member of a pool with a delegate.
func standing(id, delegate, delegation string) approver.Approver {
	return approver.Approver{User: identity.User{ID: id}, Rules: []int{0}, Delegate: user(delegate), DelegationID: delegation}
}

func TestTheRequestsInWhichADelegatorHasSomethingToDoAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		d := delegation("ana", "bo", -time.Hour, time.Hour)
		f.do(func(tx *store.Tx) error { return tx.Delegations.Add(d) })
		plain := func(id string) approver.Approver {
			return approver.Approver{User: identity.User{ID: id}, Rules: []int{0}}
		}
		var want []string
		for _, tt := range []struct {
			name   string
			change func(*wf.Task)
			listed bool
		}{
			{"open", func(*wf.Task) {}, true},
			{"claimed", func(t *wf.Task) { t.Status = wf.TaskClaimed }, true},
			{"held for another", func(t *wf.Task) { t.OnBehalfOf = user("dan") }, true},
			{"shared with them", func(t *wf.Task) { t.Assignee, t.SharedWith = user("dan"), user("ana") }, true},
			{"done", func(t *wf.Task) { t.Status = wf.TaskCompleted }, false},
			{"another's", func(t *wf.Task) { t.Assignee = user("cy") }, false},
		} {
			r := withTask(withTask(f.newRequest(), "one", "ana"), "two", "ana")
			tt.change(&r.Tasks[0])
			tt.change(&r.Tasks[1])
			if f.addRequest(r); tt.listed {
				want = append(want, r.ID)
			}
		}
		want = append(want, f.addRequest(withPool(f.newRequest(), []approver.Approver{plain("ana")}, 1, 0)).ID)
		want = append(want, f.addRequest(withPool(f.newRequest(), []approver.Approver{standing("cy", "ana", "")}, 1, 0)).ID)
		f.addRequest(withPool(f.newRequest(), []approver.Approver{plain("cy")}, 1, 0))
		over := withPool(f.newRequest(), []approver.Approver{plain("ana")}, 1, 0)
		over.Stages[0].Status = wf.StageApproved
		f.addRequest(over)
		f.do(func(tx *store.Tx) error {
			got, err := tx.Delegations.RequestsToRoute(d, "", 100)
			same(t, "RequestsToRoute", want, got, err)
			for i, id := range want[1:] {
				got, err = tx.Delegations.RequestsToRoute(d, want[i], 1)
				same(t, "RequestsToRoute, the next one", []string{id}, got, err)
			}
			got, err = tx.Delegations.RequestsToRoute(approver.Delegation{}, "", 100)
			same(t, "RequestsToRoute of nobody", []string(nil), got, err)
			return nil
		})
	})
}
