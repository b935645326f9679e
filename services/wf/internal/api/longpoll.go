package api

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/view"
)

const (
	longestPoll = 55 * time.Second // many clients and proxies give up after 60 s

	// shortestPoll bounds the reads of a long poll whose request is about to end by the database's clock.
	shortestPoll = 100 * time.Millisecond
)

// LongPoll holds the parameters of a read that waits for a change.
type LongPoll struct {
	Wait        int    `query:"wait" minimum:"1" maximum:"55" doc:"Seconds to wait until the request is final or changes_requested; with If-None-Match until its entity tag differs. The reply is 200 in every case. Preference-Applied is absent if too many calls wait."`
	Prefer      string `header:"Prefer" doc:"wait=SECONDS is wait, at most 55 (RFC 7240, section 4.3). The query has precedence."`
	IfNoneMatch string `header:"If-None-Match" doc:"Entity tag of the last reply; with wait only."`
}

// preferWait matches the preference wait.
var preferWait = regexp.MustCompile(`(?i)(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])`)

// limit returns the maximum duration of the wait; 0 without one.
func (p LongPoll) limit() time.Duration {
	seconds := p.Wait
	if match := preferWait.FindStringSubmatch(p.Prefer); seconds == 0 && match != nil {
		seconds, _ = strconv.Atoi(match[1])
	}
	return min(time.Duration(seconds)*time.Second, longestPoll)
}

// isSatisfied reports whether the caller needs no further change of the request.
func (p LongPoll) isSatisfied(r wf.Request) bool {
	if p.IfNoneMatch == "" {
		return r.Status.Final() || r.Status == wf.RequestChangesRequested
	}
	tags := strings.Split(p.IfNoneMatch, ",")
	return !slices.ContainsFunc(tags, func(tag string) bool {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		return tag == "*" || tag == view.ETag(r.Rev)
	})
}

// await reads the request until the long poll is over, and reports whether the call waited. Each read checks
// the rights of the caller.
func (h requestHandlers) await(ctx context.Context, poll LongPoll, id string) (c wf.Case, waited bool, err error) {
	end := time.Now().Add(poll.limit())
	for {
		c, err = h.engine.Requests.GetRequest(ctx, actorOf(ctx), id)
		left := time.Until(end)
		if err != nil || left <= 0 || poll.isSatisfied(c.Request) {
			return c, waited, err
		}
		pause, ends := left, false
		if at := c.Request.EndsAt(); !at.IsZero() {
			if until := max(at.Sub(h.Now()), shortestPoll); until < pause {
				pause, ends = until, true
			}
		}
		rev := c.Request.Rev
		c = wf.Case{} // not kept in memory
		var ok bool
		ctx, ok = web.LongPoll(ctx, pause, func(ctx context.Context) { h.watcher.Wait(ctx, id, rev) })
		waited = waited || ok
		if ok && ends {
			// The entity tag changes with the commit. Reads show the end also without it.
			err = h.engine.Timers.EndRequest(ctx, id)
		}
		if !ok || h.Stopping() || err != nil {
			end = time.Now()
		}
	}
}
