package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func delegation(from, to string, starts, ends time.Duration) wf.Delegation {
	return wf.Delegation{
		ID: newID(), User: wf.User{ID: from}, DelegateTo: wf.User{ID: to}, Mode: wf.Replace,
		StartsAt: start.Add(starts), EndsAt: start.Add(ends), CreatedAt: start,
	}
}

func TestADelegationComesBackAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		fill := &filler{t: t}
		var added, changed wf.Delegation
		fill.fill(&added)
		fill.fill(&changed)
		added.ID, added.Mode = newID(), wf.Share
		changed.ID, changed.Mode, changed.Closed = added.ID, wf.Replace, false
		f.do(func(tx *store.Tx) error {
			if err := tx.AddDelegation(added); err != nil {
				return err
			}
			got, err := tx.Delegation(added.ID)
			same(t, "added", added, got, err)
			return tx.PutDelegation(changed)
		})
		got, err := f.ReadDelegation(t.Context(), added.ID)
		same(t, "changed", changed, got, err)
		missing := changed
		missing.ID = newID()
		if err := f.Do(t.Context(), func(tx *store.Tx) error { return tx.PutDelegation(missing) }); err == nil {
			t.Error("a delegation that was never added is written")
		}
	})
}

func TestDelegationsAreFollowedHopByHop(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		revoked := delegation("ana", "eve", -time.Hour, time.Hour)
		revoked.RevokedAt = start
		var all []wf.Delegation
		for _, d := range []wf.Delegation{
			delegation("ana", "bo", -time.Hour, time.Hour),
			delegation("bo", "cy", 0, time.Hour),
			delegation("cy", "ana", -time.Hour, time.Millisecond),
			delegation("cy", "dan", -time.Hour, time.Hour),
			delegation("ana", "late", time.Millisecond, time.Hour),
			delegation("ana", "early", -time.Hour, 0),
			revoked,
		} {
			f.do(func(tx *store.Tx) error { return tx.AddDelegation(d) })
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
				got, err := tx.DelegationsOf(tt.users, tt.hops)
				var want []wf.Delegation
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
			change func(*wf.Delegation)
			due    bool
		}{
			{"in force, not started", func(d *wf.Delegation) {}, true},
			{"in force, started", func(d *wf.Delegation) { d.Started = true }, false},
			{"scheduled", func(d *wf.Delegation) { d.StartsAt = start.Add(time.Minute) }, false},
			{"over, not closed", func(d *wf.Delegation) { d.EndsAt, d.Started = start, true }, true},
			{"over, never started", func(d *wf.Delegation) { d.EndsAt = start }, true},
			{"over, closed", func(d *wf.Delegation) { d.EndsAt, d.Closed = start, true }, false},
			{"revoked, not closed", func(d *wf.Delegation) { d.RevokedAt, d.Started = start, true }, true},
			{"revoked before it started, closed", func(d *wf.Delegation) { d.RevokedAt, d.Closed = start, true }, false},
		}
		var want []string
		for _, tt := range tests {
			d := delegation("ana", "bo", -time.Hour, time.Hour)
			tt.change(&d)
			f.do(func(tx *store.Tx) error { return tx.AddDelegation(d) })
			if tt.due {
				want = append(want, d.ID)
			}
		}
		got, err := f.DueDelegations(t.Context(), start, 10)
		same(t, "due", want, got, err)
		got, err = f.DueDelegations(t.Context(), start, 2)
		same(t, "the first two", want[:2], got, err)
	})
}

func TestDelegationFilters(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		revoked := delegation("cy", "ana", -time.Hour, time.Hour)
		revoked.RevokedAt = start
		names := map[string]string{}
		for name, d := range map[string]wf.Delegation{
			"active": delegation("ana", "bo", -time.Hour, time.Hour), "scheduled": delegation("ana", "cy", time.Hour, 2*time.Hour),
			"ended": delegation("bo", "cy", -time.Hour, 0), "revoked": revoked,
		} {
			f.do(func(tx *store.Tx) error { return tx.AddDelegation(d) })
			names[d.ID] = name
		}
		tests := map[string]struct {
			filter store.DelegationFilter
			want   []string
		}{
			"all":            {store.DelegationFilter{}, []string{"active", "ended", "revoked", "scheduled"}},
			"of one":         {store.DelegationFilter{User: "ana"}, []string{"active", "scheduled"}},
			"to one":         {store.DelegationFilter{DelegateTo: "cy"}, []string{"ended", "scheduled"}},
			"own":            {store.DelegationFilter{Own: "ana"}, []string{"active", "revoked", "scheduled"}},
			"own and of one": {store.DelegationFilter{Own: "ana", User: "bo"}, nil},
			"by status": {store.DelegationFilter{Status: []wf.DelegationStatus{wf.DelegationEnded, wf.DelegationRevoked}},
				[]string{"ended", "revoked"}},
			"active":    {store.DelegationFilter{Status: []wf.DelegationStatus{wf.DelegationActive}}, []string{"active"}},
			"scheduled": {store.DelegationFilter{Status: []wf.DelegationStatus{wf.DelegationScheduled}}, []string{"scheduled"}},
		}
		for name, tt := range tests {
			list, _, err := f.Delegations(t.Context(), tt.filter, store.Page{})
			same(t, name, tt.want, sorted(list, func(d wf.Delegation) string { return names[d.ID] }), err)
		}
	})
}

func TestTasksThatADelegationMoves(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		d := delegation("ana", "bo", -time.Hour, time.Hour)
		f.do(func(tx *store.Tx) error { return tx.AddDelegation(d) })
		tests := []struct {
			name         string
			change       func(*wf.Task)
			open, routed bool
		}{
			{"hers", func(t *wf.Task) {}, true, false},
			{"another's", func(t *wf.Task) { t.Assignee = user("cy") }, false, false},
			{"claimed", func(t *wf.Task) { t.Status = wf.TaskClaimed }, false, false},
			{"held for another", func(t *wf.Task) { t.OnBehalfOf = user("dan") }, false, false},
			{"shared", func(t *wf.Task) { t.SharedWith, t.DelegationID = user("bo"), d.ID }, false, true},
			{"routed", func(t *wf.Task) { t.Assignee, t.OnBehalfOf, t.DelegationID = user("bo"), user("ana"), d.ID }, false, true},
			{"routed and claimed", func(t *wf.Task) { t.Assignee, t.DelegationID, t.Status = user("bo"), d.ID, wf.TaskClaimed }, false, false},
		}
		var open, routed []string
		for _, tt := range tests {
			r := withTask(withTask(f.newRequest(), "one", "ana"), "two", "ana")
			tt.change(&r.Tasks[0])
			tt.change(&r.Tasks[1])
			f.addRequest(r)
			if tt.open {
				open = append(open, r.ID)
			}
			if tt.routed {
				routed = append(routed, r.ID)
			}
		}
		for name, standIn := range map[string]wf.Approver{
			"routed":    {User: wf.User{ID: "bo"}, Rules: []int{0}, OnBehalfOf: user("ana"), DelegationID: d.ID},
			"his own":   {User: wf.User{ID: "bo"}, Rules: []int{0}},
			"another's": {User: wf.User{ID: "eve"}, Rules: []int{0}, OnBehalfOf: user("ana")},
		} {
			r := f.addRequest(withPool(f.newRequest(), []wf.Approver{standIn}, -1))
			if name == "routed" {
				routed = append(routed, r.ID)
			}
		}
		f.do(func(tx *store.Tx) error {
			got, err := tx.OpenTasksOf("ana")
			same(t, "OpenTasksOf", open, got, err)
			got, err = tx.TasksRouted(d.ID)
			same(t, "TasksRouted", routed, got, err)
			got, err = tx.OpenTasksOf("")
			same(t, "OpenTasksOf nobody", []string{}, got, err)
			return nil
		})
	})
}
