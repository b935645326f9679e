package engine

import (
	"context"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// Tasks has the use cases of tasks.
type Tasks struct{ *core }

// ClaimTask claims a task. behalf selects a delegator of the caller; empty for any.
func (e *Tasks) ClaimTask(ctx context.Context, by identity.Actor, id, behalf, ifMatch string) (Reply, error) {
	return e.change(ctx, onTask(by, id, ifMatch, nil), wf.Claim(id, behalf))
}

// UnclaimTask releases a claimed task.
func (e *Tasks) UnclaimTask(ctx context.Context, by identity.Actor, id, ifMatch string) (Reply, error) {
	return e.change(ctx, onTask(by, id, ifMatch, nil), wf.Unclaim(id))
}

// DecideTask records a decision and its consequences.
func (e *Tasks) DecideTask(
	ctx context.Context, by identity.Actor, id string, in wf.DecisionInput, ifMatch string, key *IdempotencyKey,
) (Reply, error) {
	in.ID = newID()
	return e.change(ctx, onDecision(by, id, ifMatch, key), wf.Decide(id, in))
}

// WithdrawTask takes the caller's decision on a task back.
func (e *Tasks) WithdrawTask(
	ctx context.Context, by identity.Actor, id, why, ifMatch string, key *IdempotencyKey,
) (Reply, error) {
	return e.change(ctx, onDecision(by, id, ifMatch, key), wf.Withdraw(id, why))
}

// onDecision is a call on a task whose reply is a decision.
func onDecision(by identity.Actor, id, ifMatch string, key *IdempotencyKey) call {
	c := onTask(by, id, ifMatch, key)
	c.show = func(by identity.Actor, c wf.Case) (shown any, etag string, err error) {
		v := view.NewDecision(by, c, id)
		return v, v.Task.ETag, nil
	}
	return c
}

// ReassignTask reassigns a task to another user.
func (e *Tasks) ReassignTask(
	ctx context.Context, by identity.Actor, id, to, why, ifMatch string, key *IdempotencyKey,
) (Reply, error) {
	if err := identity.CheckUserID(to); err != nil {
		return Reply{}, refusal.At(reason.BadInput, "/new_assignee", "%s", err)
	}
	found, err := e.findUser(ctx, by, "/new_assignee", to)
	if err != nil {
		return Reply{}, err
	}
	c := onTask(by, id, ifMatch, key)
	if found.unknown {
		c.show = func(by identity.Actor, c wf.Case) (shown any, etag string, err error) {
			v := view.NewTaskOf(by, c, id)
			v.Warnings = append(v.Warnings, found.warning)
			return v, v.ETag, nil
		}
	}
	return e.change(ctx, c, wf.Reassign(id, identity.User{ID: to}, found.unknown, why))
}

// GetTask returns a task and its request to their readers.
func (e *Tasks) GetTask(ctx context.Context, by identity.Actor, id string) (wf.Case, error) {
	c, rd, err := e.loadReadable(ctx, by, store.ByTask(id), "task "+id)
	return c.VisibleTo(rd), err
}

// ListTasks lists tasks. A caller without a role may list only their own inbox.
func (e *Tasks) ListTasks(ctx context.Context, by identity.Actor, f wf.TaskFilter, p wf.Page) ([]wf.TaskItem, string, error) {
	if !by.Has(identity.RoleViewer) {
		if f.Assignee != by.ID && f.Candidate != by.ID && f.Inbox != by.ID {
			return nil, "", refusal.New(reason.Forbidden,
				"the caller may list only their own tasks: use inbox=me, assignee=me or candidate=me")
		}
		f.Own = by.ID
	}
	given, err := e.store.Delegations.To(ctx, by.ID)
	if err != nil {
		return nil, "", err
	}
	if f.Inbox == by.ID {
		f.Delegations = given
	}
	items, nextPage, err := e.store.Tasks(ctx, f, p)
	if err != nil {
		return nil, "", err
	}
	rd := wf.Reader{Actor: by, Part: true} // Part affects only content, which lists omit
	for i := range items {
		item := &items[i]
		item.Policy, err = e.store.Policies.Definition(ctx, item.Request.PolicyKey, item.Request.PolicyVersion)
		if err != nil {
			return nil, "", err
		}
		item.Delegations, item.Request = given, rd.Request(item.Request, item.Policy)
		item.Task, _ = item.Request.Task(item.Task.ID)
	}
	return items, nextPage, nil
}

// GetTaskStats counts tasks by status and policy. A caller without a role counts only their own. It
// reports whether the counts are lower bounds.
func (e *Tasks) GetTaskStats(ctx context.Context, by identity.Actor, f wf.TaskFilter) ([]wf.TaskCount, bool, error) {
	var err error
	if !by.Has(identity.RoleViewer) {
		f.Inbox = by.ID
		if f.Delegations, err = e.store.Delegations.To(ctx, by.ID); err != nil {
			return nil, false, err
		}
	}
	if f.AsOf, err = e.store.Now(ctx); err != nil {
		return nil, false, err
	}
	return e.store.TaskStats(ctx, f)
}
