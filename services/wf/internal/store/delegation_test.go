package store_test

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func TestADelegationComesBackAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		fill := &filler{t: t}
		var added, changed approver.Delegation
		fill.fill(&added)
		fill.fill(&changed)
		added.ID = newID()
		after := changed
		changed = added // the other arguments are constant
		changed.Started, changed.Ended = after.Started, false
		changed.RevokedBy, changed.RevokedAt, changed.UpdatedAt = after.RevokedBy, after.RevokedAt, after.UpdatedAt
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
		bare := approver.Delegation{ID: newID()} // no time is filled in
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

// The inbox of a delegate has the tasks in scope on which they may act, each once.
func TestTheInboxOfADelegate(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for _, key := range []string{"pay.small", "payroll", "hire"} {
			f.addPolicy(key)
		}
		names := map[string]string{}
		add := func(name string, r wf.Request, change func(*wf.Request)) {
			for i := range r.Stages {
				r.Stages[i].Delegable = true
			}
			change(&r)
			names[f.addRequest(r).Tasks[0].ID] = name
		}
		policyIs := func(key string) func(*wf.Request) { return func(r *wf.Request) { r.PolicyKey = key } }
		person := func(id string) approver.Approver {
			return approver.Approver{User: identity.User{ID: id}, Rules: []int{0}}
		}
		add("payment", withTask(f.newRequest(), "s", "ana"), policyIs("pay.small"))
		add("payroll", withTask(f.newRequest(), "s", "ana"), policyIs("payroll"))
		add("invoice of bo", withTask(f.newRequest(), "s", "bo"), func(r *wf.Request) { r.PolicyKey, r.ArtifactType = "hire", "invoice" })
		add("other stage", withTask(f.newRequest(), "t", "ana"), policyIs("hire"))
		add("not permitted", withTask(f.newRequest(), "s", "ana"), func(r *wf.Request) { r.PolicyKey, r.Stages[0].Delegable = "hire", false })
		add("pool of both", withPool(f.newRequest(), []approver.Approver{person("ana"), person("bo")}, 1, 0), policyIs("hire"))
		add("pool with dee", withPool(f.newRequest(), []approver.Approver{person("ana"), person("dee")}, 1, 0), policyIs("hire"))
		add("requested by dee", withTask(f.newRequest(), "s", "ana"), func(r *wf.Request) { r.PolicyKey, r.Requester.ID = "hire", "dee" })
		add("claimed for cy", withTask(f.newRequest(), "s", "ana"), func(r *wf.Request) {
			other := r.Tasks[0]
			other.ID, other.Seat, other.Assignee = newID(), 2, user("cy")
			r.Tasks = append(r.Tasks, other)
			r.PolicyKey, r.Tasks[1].Status, r.Tasks[1].ClaimedBy = "hire", wf.TaskClaimed, user("dee")
		})
		toDee := func(from string, scope approver.Scope) approver.Delegation {
			return approver.Delegation{User: *user(from), DelegateTo: *user("dee"), Scope: scope}
		}
		for name, tt := range map[string]struct {
			given []approver.Delegation
			want  []string
		}{
			"none":       {nil, nil},
			"all of ana": {[]approver.Delegation{toDee("ana", approver.Scope{})}, []string{"other stage", "payment", "payroll", "pool of both"}},
			"of both": {[]approver.Delegation{toDee("ana", approver.Scope{}), toDee("bo", approver.Scope{})},
				[]string{"invoice of bo", "other stage", "payment", "payroll", "pool of both"}},
			"a prefix":    {[]approver.Delegation{toDee("ana", approver.Scope{PolicyKeys: []string{"pay.*"}})}, []string{"payment"}},
			"two keys":    {[]approver.Delegation{toDee("ana", approver.Scope{PolicyKeys: []string{"payroll", "pay.small"}})}, []string{"payment", "payroll"}},
			"a stage":     {[]approver.Delegation{toDee("ana", approver.Scope{StageKeys: []string{"t"}})}, []string{"other stage"}},
			"an artifact": {[]approver.Delegation{toDee("bo", approver.Scope{ArtifactTypes: []string{"invoice"}})}, []string{"invoice of bo"}},
		} {
			filter := wf.TaskFilter{Inbox: "dee", Role: wf.InboxDelegate, Delegations: tt.given, AsOf: start}
			var listed []string
			for p := (wf.Page{Limit: 2}); ; {
				items, next, err := f.Tasks(t.Context(), filter, p)
				must(t, err)
				for _, item := range items {
					listed = append(listed, names[item.Task.ID])
				}
				if p.Cursor = next; next == "" {
					break
				}
			}
			slices.Sort(listed)
			same(t, name, tt.want, listed, nil)
			counts, _, err := f.TaskStats(t.Context(), filter)
			same(t, name+", counted", int64(len(tt.want)), wf.TotalOf(counts), err)
		}
	})
}
