package store_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

// full returns a request with a value in every field.
func full(fill *filler) wf.Request {
	var r wf.Request
	fill.fill(&r)
	r.ListedDue = time.Time{} // in summaries only
	r.ID, r.PolicyKey, r.PolicyVersion, r.Status, r.Priority = newID(), "p", 1, wf.RequestBlocked, wf.PriorityUrgent
	r.Encoded = nil
	for i := range r.Stages {
		run := &r.Stages[i]
		run.ID, run.Status = newID(), wf.StageActive
		task := &r.Tasks[i]
		task.ID, task.RequestID, task.StageKey, task.StageRun = newID(), r.ID, run.Key, run.Run
		task.Kind, task.Status = wf.RescueTask, wf.TaskClaimed
		task.Decision.ID, task.Decision.Action = newID(), wf.ActionAbstain
	}
	return r
}

func TestARequestComesBackAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		fill := &filler{t: t}
		before := full(fill)
		before.Tasks[1].Decision = nil
		before.Standing, before.EndedAt, before.EndedBy, before.EndReason = "", time.Time{}, nil, "" // not approved yet
		f.addRequest(before)

		// All but the ids, the numbers and the first decision, which never change.
		after := full(fill)
		after.ID, after.Status, after.Standing = before.ID, wf.RequestApproved, wf.StandingRevoked
		for i := range after.Stages {
			run, task := &after.Stages[i], &after.Tasks[i]
			run.ID, run.Key, task.ID, task.RequestID = before.Stages[i].ID, before.Stages[i].Key, before.Tasks[i].ID, before.ID
			task.StageKey = run.Key
		}
		after.Tasks[0].Decision = before.Tasks[0].Decision
		more := full(fill)
		more.Tasks[0].RequestID = before.ID
		after.Stages, after.Tasks = append(after.Stages, more.Stages[0]), append(after.Tasks, more.Tasks[0])

		for _, step := range []struct {
			name string
			want wf.Request
		}{{"added", before}, {"changed", after}} {
			if step.name == "changed" {
				f.do(func(tx *store.Tx) error { return tx.PutRequest(before, after, nil, nil, nil) })
			}
			taskID := step.want.Tasks[1].ID
			f.do(func(tx *store.Tx) error {
				got, err := tx.Request(store.ByID(step.want.ID))
				same(t, step.name+", Request", step.want, got, err)
				got, err = tx.Request(store.ByTask(taskID))
				same(t, step.name+", Request by task", step.want, got, err)
				return nil
			})
			got, _, err := f.ReadRequest(t.Context(), store.ByID(step.want.ID))
			same(t, step.name+", ReadRequest", step.want, got, err)
			got, _, err = f.ReadRequest(t.Context(), store.ByTask(taskID))
			same(t, step.name+", ReadRequest by task", step.want, got, err)
		}

		list, _, err := f.Requests(t.Context(), wf.RequestFilter{}, wf.Page{})
		listed := after
		listed.Comment, listed.Attachments, listed.CallbackURL, listed.Context, listed.Chain = "", nil, "", nil, audit.Chain{}
		listed.Stages, listed.Tasks = nil, nil
		same(t, "Requests", []wf.Request{listed}, list, err)
		brief := after
		brief.Context = nil
		items, _, err := f.Tasks(t.Context(), wf.TaskFilter{StageKey: []string{after.Tasks[1].StageKey}}, wf.Page{})
		for i := range items {
			items[i].Now = time.Time{} // of the read
		}
		same(t, "Tasks", []wf.TaskItem{{Task: after.Tasks[1], Run: after.Stages[1], Request: brief}}, items, err)
	})
}

func TestARequestWithNothingOptionalComesBack(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		want := f.addRequest(f.newRequest())
		got, _, err := f.ReadRequest(t.Context(), store.ByID(want.ID))
		same(t, "request", want, got, err)
	})
}

func TestPutRequestWithoutLockIsRefused(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		before := f.addRequest(f.newRequest())
		put := func(title string) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				after := before
				after.Title, after.Rev = title, 2
				chain, e, err := wf.Event{ID: newID(), Type: audit.EventRequestCommented, Comment: &wf.Comment{},
					Request: after.Summary(), Auth: identity.Auth{AMR: []string{}}}.Link(before.Chain)
				if err != nil {
					return err
				}
				after.Chain = chain
				return tx.PutRequest(before, after, []wf.Event{e}, nil, nil)
			}
		}
		f.do(put("first"))
		f.refused(reason.WrongState, put("second"))
		got, _, err := f.ReadRequest(t.Context(), store.ByID(before.ID))
		if err != nil || got.Title != "first" {
			t.Errorf("title = %q (%v)", got.Title, err)
		}
	})
}
