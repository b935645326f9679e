package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// sorted returns the names of the items in alphabetical order; nil when there are none.
func sorted[T any](items []T, name func(T) string) []string {
	var names []string
	for _, item := range items {
		names = append(names, name(item))
	}
	slices.Sort(names)
	return names
}

func TestRequestFilters(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.addPolicy("q")
		names := map[string]string{}
		add := func(name string, change func(*wf.Request)) {
			r := f.newRequest()
			r.CreatedAt = start.Add(time.Duration(len(names)) * time.Minute)
			change(&r)
			f.addRequest(r)
			names[r.ID] = name
		}
		add("a", func(r *wf.Request) { r.Title, r.Labels = "Pay ACME 50%", map[string]string{"team": "red", "x": `"'?`} })
		add("b", func(r *wf.Request) {
			r.PolicyKey, r.Status, r.Labels = "q", wf.RequestBlocked, map[string]string{"team": "blue"}
		})
		add("c", func(r *wf.Request) { r.ArtifactType, r.ArtifactID = "invoice", "INV_7" })
		add("d", func(r *wf.Request) { r.Requester, r.Status = identity.User{ID: "ana"}, wf.RequestApproved })
		add("e", func(r *wf.Request) { *r = withTask(*r, "s", "ana") })
		add("f", func(r *wf.Request) { *r = withPool(*r, []approver.Approver{{User: identity.User{ID: "ana"}}}, 1) })

		all := []string{"a", "b", "c", "d", "e", "f"}
		tests := map[string]struct {
			filter wf.RequestFilter
			want   []string
		}{
			"none":                  {wf.RequestFilter{}, all},
			"status":                {wf.RequestFilter{Status: []wf.RequestStatus{wf.RequestBlocked, wf.RequestApproved}}, []string{"b", "d"}},
			"policy":                {wf.RequestFilter{PolicyKey: []string{"q", "r"}}, []string{"b"}},
			"artifact type":         {wf.RequestFilter{ArtifactType: []string{"invoice"}}, []string{"c"}},
			"artifact":              {wf.RequestFilter{ArtifactID: []string{"INV_7"}}, []string{"c"}},
			"requester":             {wf.RequestFilter{Requester: "ana"}, []string{"d"}},
			"participant":           {wf.RequestFilter{Participant: "ana"}, []string{"d", "e", "f"}},
			"own":                   {wf.RequestFilter{Own: "ana", Status: []wf.RequestStatus{wf.RequestInReview}}, []string{"e", "f"}},
			"own and another's":     {wf.RequestFilter{Own: "ana", Participant: "eve"}, nil},
			"after":                 {wf.RequestFilter{CreatedAfter: start.Add(3 * time.Minute)}, []string{"e", "f"}},
			"between":               {wf.RequestFilter{CreatedAfter: start, CreatedBefore: start.Add(3 * time.Minute)}, []string{"b", "c"}},
			"title, in any case":    {wf.RequestFilter{Q: "acme"}, []string{"a"}},
			"% is a character":      {wf.RequestFilter{Q: "0%"}, []string{"a"}},
			"_ is a character":      {wf.RequestFilter{Q: "v_7"}, []string{"c"}},
			"\\ is a character":     {wf.RequestFilter{Q: `\`}, nil},
			"no match":              {wf.RequestFilter{Q: "_cme"}, nil},
			"NUL matches nothing":   {wf.RequestFilter{Q: "\x00", ArtifactID: []string{"\x00"}, Requester: "\xff"}, nil},
			"label":                 {wf.RequestFilter{Labels: map[string]string{"team": "red"}}, []string{"a"}},
			"label with quotes":     {wf.RequestFilter{Labels: map[string]string{"x": `"'?`, "team": "red"}}, []string{"a"}},
			"labels must all match": {wf.RequestFilter{Labels: map[string]string{"team": "blue", "x": "y"}}, nil},
			"own, by priority":      {wf.RequestFilter{Own: "ana", Sort: "priority"}, []string{"d", "e", "f"}},
			"own, by due date":      {wf.RequestFilter{Own: "ana", Sort: "due_at"}, []string{"d", "e", "f"}},
			"status of a requester": {wf.RequestFilter{Requester: "rita", Status: []wf.RequestStatus{wf.RequestInReview}}, []string{"a", "c", "e", "f"}},
			"own and owned, status": {
				wf.RequestFilter{Own: "ana", Owned: []string{"q"}, Status: []wf.RequestStatus{wf.RequestApproved}}, []string{"d"},
			},
		}
		for _, ids := range []int{100, 2, 0} {
			rows, before := store.LimitReads(2, ids)
			for name, tt := range tests {
				var got []wf.Request
				for page := (wf.Page{Limit: 1}); ; {
					list, next, err := f.Requests(t.Context(), tt.filter, page)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if got = append(got, list...); next == "" {
						break
					}
					page.Cursor = next
				}
				same(t, name, tt.want, sorted(got, func(r wf.Request) string { return names[r.ID] }), nil)
			}
			store.LimitReads(rows, before)
		}
	})
}

func TestRequestsAreSortedByPriorityAndByDueDate(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		names := map[string]string{}
		for i, row := range []struct {
			name     string
			priority wf.Priority
			due      time.Duration // 0 for none
		}{
			{"low, in 2 h", wf.PriorityLow, 2 * time.Hour}, {"urgent", wf.PriorityUrgent, 0},
			{"normal, in 1 h", wf.PriorityNormal, time.Hour}, {"low", wf.PriorityLow, 0},
			{"high, in 2 h", wf.PriorityHigh, 2 * time.Hour}, {"normal", wf.PriorityNormal, 0},
		} {
			r := withTask(f.newRequest(), "s", "ana")
			r.Priority, r.CreatedAt = row.priority, f.clock().Add(time.Duration(i)*time.Second)
			if row.due > 0 {
				r.Stages[0].DueAt = f.clock().Add(row.due)
			}
			names[f.addRequest(r).ID] = row.name
		}
		due := []string{"normal, in 1 h", "low, in 2 h", "high, in 2 h"}
		for sort, want := range map[string][]string{
			"priority": {"urgent", "high, in 2 h", "normal, in 1 h", "normal", "low, in 2 h", "low"},
			"due_at":   append(slices.Clone(due), "urgent", "low", "normal"),
		} {
			for who, filter := range map[string]wf.RequestFilter{
				"all": {}, "status": {Status: []wf.RequestStatus{wf.RequestInReview}}, "participant": {Participant: "ana"},
				"requester": {Requester: "rita"}, "own": {Own: "ana"}, "owner": {Own: "eve", Owned: []string{"p"}},
			} {
				filter.Sort = sort
				for _, limits := range [][3]int{{1, 100, 100}, {2, 3, 0}, {4, 100, 0}, {6, 3, 100}} {
					rows, few := store.LimitReads(limits[1], limits[2])
					var got []string
					for page := (wf.Page{Limit: limits[0]}); ; {
						list, next, err := f.Requests(t.Context(), filter, page)
						must(t, err)
						for _, r := range list {
							got = append(got, names[r.ID])
						}
						if page.Cursor = next; next == "" {
							break
						}
					}
					store.LimitReads(rows, few)
					same(t, fmt.Sprintf("%s, %s, %v", sort, who, limits), want, got, nil)
				}
			}
		}
		rows, few := store.LimitReads(3, 0) // any number of requests may precede those of a requester
		for _, sort := range []string{"priority", "due_at"} {
			list, next, err := f.Requests(t.Context(), wf.RequestFilter{Requester: "ana", Sort: sort}, wf.Page{Limit: 1})
			if len(list) != 0 || next == "" || err != nil {
				t.Errorf("a page of three rows by %s: %v, %q, %v", sort, list, next, err)
			}
		}
		store.LimitReads(rows, few)
		before := wf.RequestFilter{Sort: "due_at", Due: wf.DueFilter{Before: f.clock().Add(time.Hour + time.Minute)}}
		list, _, err := f.Requests(t.Context(), before, wf.Page{})
		same(t, "due before", due[:1], sorted(list, func(r wf.Request) string { return names[r.ID] }), err)
		list, _, err = f.Requests(t.Context(), wf.RequestFilter{Own: "rita", Owned: []string{"p"}}, wf.Page{})
		same(t, "own and owned, each once", len(names), len(list), err)
	})
}

func TestTheListOfAUserHasTheRequestsInWhichTheyParticipate(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		before := withTask(f.newRequest(), "s", "ana")
		before.Title = "The title"
		f.addRequest(before)
		for _, next := range []string{"bo", "cy", "ana"} {
			after := before
			after.Tasks = []wf.Task{before.Tasks[0]}
			after.Tasks[0].Assignee = user(next)
			after.Stages = slices.Clone(before.Stages)
			after.Stages[0].Former = append(slices.Clone(before.Stages[0].Former), before.Tasks[0].Assignee.ID)
			after.Rev++
			f.do(func(tx *store.Tx) error { return tx.PutRequest(before, after, nil, nil, nil) })
			before = after
		}
		for id, want := range map[string]int{"rita": 1, "ana": 1, "bo": 0, "cy": 0} { // ana lost the task and got it back
			for name, filter := range map[string]wf.RequestFilter{
				"participant": {Participant: id}, "own": {Own: id}, "own, by priority": {Own: id, Sort: "priority"},
				"own and owned": {Own: id, Owned: []string{"other"}}, "own, by title": {Own: id, Q: "title"},
			} {
				list, _, err := f.Requests(t.Context(), filter, wf.Page{})
				same(t, id+", "+name, want, len(list), err)
			}
			asked, err := f.WasAsked(t.Context(), id)
			same(t, id+" was asked", id != "rita", asked, err)
		}
	})
}

func TestTaskFiltersOfAPerson(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		names, requestOf := map[string]string{}, map[string]string{}
		add := func(name string, r wf.Request) {
			f.addRequest(r)
			names[r.Tasks[0].ID], requestOf[name] = name, r.ID
		}
		add("held", withTask(f.newRequest(), "s", "ana"))
		candidates := []approver.Approver{{User: *user("ana"), Rules: []int{0}}, {User: *user("bo"), Rules: []int{0}}}
		add("pool", withPool(f.newRequest(), candidates, 1, 0))
		delegated := withTask(f.newRequest(), "s", "bo")
		delegated.Stages[0].Delegable = true
		add("delegated", delegated)
		toAna := []approver.Delegation{{User: *user("bo"), DelegateTo: *user("ana")}}
		overdue, past := withTask(f.newRequest(), "s", "ana"), f.clock()
		overdue.ExpiresAt = &past
		add("overdue", overdue)
		lost := withTask(f.newRequest(), "s", "eve")
		lost.Tasks[0].Status, lost.Tasks[0].CloseReason = wf.TaskSkipped, wf.ClosedApproverLost
		add("lost", lost)
		for name, tt := range map[string]struct {
			filter wf.TaskFilter
			want   []string
		}{
			"request and assignee":         {wf.TaskFilter{RequestID: requestOf["held"], Assignee: "ana"}, []string{"held"}},
			"request of another assignee":  {wf.TaskFilter{RequestID: requestOf["held"], Assignee: "bo"}, nil},
			"assignee without a part":      {wf.TaskFilter{Assignee: "eve", Own: "eve"}, nil},
			"assignee for a viewer":        {wf.TaskFilter{Assignee: "eve"}, []string{"lost"}},
			"candidate":                    {wf.TaskFilter{Candidate: "ana"}, []string{"pool"}},
			"candidate and assignee":       {wf.TaskFilter{Candidate: "ana", Assignee: "ana"}, nil},
			"request and candidate":        {wf.TaskFilter{RequestID: requestOf["pool"], Candidate: "bo"}, []string{"pool"}},
			"request of another candidate": {wf.TaskFilter{RequestID: requestOf["pool"], Candidate: "cy"}, nil},
			"request with a holder":        {wf.TaskFilter{RequestID: requestOf["held"], Candidate: "ana"}, nil},
			"inbox":                        {wf.TaskFilter{Inbox: "ana"}, []string{"held", "pool"}},
			"inbox with delegations":       {wf.TaskFilter{Inbox: "ana", Delegations: toAna}, []string{"delegated", "held", "pool"}},
			"inbox and assignee":           {wf.TaskFilter{Inbox: "ana", Assignee: "bo"}, nil},
			"inbox and candidate":          {wf.TaskFilter{Inbox: "bo", Candidate: "ana"}, []string{"pool"}},
			"role and assignee": {
				wf.TaskFilter{Inbox: "ana", Delegations: toAna, Role: wf.InboxDelegate, Assignee: "bo"}, []string{"delegated"},
			},
			"request and inbox with delegations": {
				wf.TaskFilter{RequestID: requestOf["delegated"], Inbox: "ana", Delegations: toAna}, []string{"delegated"},
			},
			"request and inbox":         {wf.TaskFilter{RequestID: requestOf["held"], Inbox: "ana"}, []string{"held"}},
			"overdue request and inbox": {wf.TaskFilter{RequestID: requestOf["overdue"], Inbox: "ana"}, nil},
			"overdue request":           {wf.TaskFilter{RequestID: requestOf["overdue"]}, []string{"overdue"}},
			"overdue request and open": {
				wf.TaskFilter{RequestID: requestOf["overdue"], Status: []wf.TaskStatus{wf.TaskOpen}}, nil,
			},
			"overdue request and cancelled": {
				wf.TaskFilter{RequestID: requestOf["overdue"], Status: []wf.TaskStatus{wf.TaskCancelled}}, []string{"overdue"},
			},
		} {
			items, _, err := f.Tasks(t.Context(), tt.filter, wf.Page{})
			same(t, name, tt.want, sorted(items, func(i wf.TaskItem) string { return names[i.Task.ID] }), err)
		}
	})
}

func TestAnOverdueRequestIsListedAsExpired(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		names := map[string]string{}
		past := f.clock()
		for name, status := range map[string]wf.RequestStatus{
			"review": wf.RequestInReview, "overdue": wf.RequestInReview, "approved": wf.RequestApproved, "expired": wf.RequestExpired,
		} {
			r := f.newRequest()
			r.Title = "Pay"
			if r.Status = status; name != "review" {
				r.ExpiresAt = &past
			}
			names[f.addRequest(r).ID] = name
		}
		for _, ids := range []int{100, 0} {
			rows, before := store.LimitReads(100, ids)
			for path, filter := range map[string]wf.RequestFilter{
				"all": {}, "by priority": {Sort: "priority"}, "by due date": {Sort: "due_at"},
				"of a requester": {Requester: "rita"}, "with a text": {Q: "pay"},
				"of a requester, by priority": {Requester: "rita", Sort: "priority"}, "of a policy": {PolicyKey: []string{"p"}},
			} {
				for want, status := range map[string][]wf.RequestStatus{
					"review": {wf.RequestInReview}, "expired overdue": {wf.RequestExpired},
					"approved review": {wf.RequestInReview, wf.RequestApproved}, "approved": {wf.RequestApproved},
					"expired overdue review": {wf.RequestExpired, wf.RequestInReview},
				} {
					filter.Status = status
					list, _, err := f.Requests(t.Context(), filter, wf.Page{})
					got := strings.Join(sorted(list, func(r wf.Request) string { return names[r.ID] }), " ")
					same(t, fmt.Sprintf("%s %v, %d ids", path, status, ids), want, got, err)
				}
			}
			store.LimitReads(rows, before)
		}
	})
}

func TestAnApprovalIsListedByItsStandingAtATime(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		names, now := map[string]string{}, f.clock()
		for name, change := range map[string]func(*wf.Request){
			"open":    func(r *wf.Request) { r.Status, r.Standing = wf.RequestInReview, "" },
			"revoked": func(r *wf.Request) { r.Standing, r.ValidUntil = wf.StandingRevoked, now },
			"forever": func(*wf.Request) {},
			"begun":   func(r *wf.Request) { r.ValidFrom, r.ValidUntil = now, now.Add(1e6) },
			"early":   func(r *wf.Request) { r.ValidFrom, r.Standing = now.Add(1e6), wf.StandingPending },
			"late":    func(r *wf.Request) { r.ValidUntil = now },
		} {
			r := f.newRequest()
			r.Status, r.Standing = wf.RequestApproved, wf.StandingInForce
			change(&r)
			names[f.addRequest(r).ID] = name
		}
		for want, standing := range map[string][]wf.Standing{
			"begun forever": {wf.StandingInForce}, "early": {wf.StandingPending}, "late": {wf.StandingLapsed},
			"revoked": {wf.StandingRevoked}, "early late": {wf.StandingPending, wf.StandingLapsed},
		} {
			list, _, err := f.Requests(t.Context(), wf.RequestFilter{Standing: standing}, wf.Page{})
			same(t, want, want, strings.Join(sorted(list, func(r wf.Request) string { return names[r.ID] }), " "), err)
		}
	})
}
