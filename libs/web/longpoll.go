package web

import (
	"context"
	"time"
)

const (
	subjectPolls = 20               // concurrent long polls of one subject
	replyTime    = 30 * time.Second // time limit of the reply to a long poll
)

// LongPoll runs wait, for at most d, without the slot of the call of ctx. The context of wait also ends when
// the caller disconnects or the service stops. LongPoll returns false and does not run wait if
// Options.MaxLongPolls calls wait, or 20 of the subject.
//
// The rest of the call must use the returned context, whose time limit starts at the end of wait.
func LongPoll(ctx context.Context, d time.Duration, wait func(context.Context)) (rest context.Context, waited bool) {
	c := callOf(ctx)
	s := c.server
	if s == nil || s.polls.Take(c.subject, 1) != nil {
		return ctx, false
	}
	defer s.polls.Release(c.subject, 1)
	start := time.Now()
	unlimited := context.WithoutCancel(ctx)
	poll, cancel := context.WithTimeout(unlimited, d)
	defer cancel()
	defer context.AfterFunc(c.caller, cancel)()
	defer context.AfterFunc(s.stopping, cancel)()
	_ = c.control.SetWriteDeadline(start.Add(d + replyTime)) // a recorder in a test has none
	<-c.slot
	wait(poll)
	c.slot <- struct{}{} // a call that has waited is not refused for want of a slot
	c.waited += time.Since(start)

	rest, c.end = context.WithTimeout(unlimited, max(requestTime, s.options.Patience))
	context.AfterFunc(c.caller, c.end)
	return rest, true
}
