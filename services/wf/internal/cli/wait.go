package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/countersign/countersign/libs/daemon"
)

// Exit statuses of wait. Errors have 1.
const (
	exitApproved         = 0 // and in force
	exitRejected         = 2
	exitEnded            = 3 // expired or cancelled, or approved and no longer in force
	exitOpen             = 4 // or approved and not yet in force
	exitChangesRequested = 5
)

type waitCommand struct {
	Settings
	ID      string        `arg:"" help:"Id of a request."`
	Timeout time.Duration `default:"1h" help:"Maximum wait."`
	Change  bool          `help:"Wait for the next change instead of the end."`
}

// Run waits for the end of a request and exits with its outcome.
func (c *waitCommand) Run(w *daemon.Process) error {
	return c.wait(w, func(ctx context.Context, api *client) (json.RawMessage, error) {
		return api.wait(ctx, c.ID, c.Timeout, c.Change)
	})
}

// wait prints the request that read returns as a line, or as JSON, and returns the exit status of its outcome.
func (s *Settings) wait(w *daemon.Process, read func(context.Context, *client) (json.RawMessage, error)) error {
	var r request
	if err := s.ask(w, "outcome", &r, read); err != nil {
		return err
	}
	if status := r.exitStatus(); status != exitApproved {
		return daemon.ExitStatus(status)
	}
	return nil
}

func (r *request) exitStatus() int {
	switch r.Status {
	case "approved":
		switch r.Standing {
		case "", "in_force":
			return exitApproved
		case "pending":
			return exitOpen
		default:
			return exitEnded
		}
	case "rejected":
		return exitRejected
	case "expired", "cancelled":
		return exitEnded
	case "changes_requested":
		return exitChangesRequested
	default:
		return exitOpen
	}
}

const (
	pollTime   = 50 * time.Second // of one call; many proxies end a call after 60 s
	retryAfter = 2 * time.Second  // of a call without a reply
)

// wait reads a request until it is final or changes_requested, and its approval in force, or until its next change, at
// most for the duration. After the first reply, calls that fail temporarily are repeated.
func (c *client) wait(ctx context.Context, id string, most time.Duration, change bool) (json.RawMessage, error) {
	end := time.Now().Add(most)
	path := requestPath(id)
	last, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	var first, now request
	if err := json.Unmarshal(last, &first); err != nil {
		return nil, err
	}
	patient := *c
	patient.http = newHTTP(pollTime + callTime)
	for now = first; ; {
		left := time.Until(end)
		ended := now.exitStatus() == exitRejected || now.exitStatus() == exitEnded
		if left <= 0 || ended || (change && now.ETag != first.ETag) || (!change && now.exitStatus() != exitOpen) {
			return last, err
		}
		if start := time.Until(now.ValidFrom); now.Standing == "pending" && start > 0 { // wf does not wait for it
			if !daemon.Sleep(ctx, min(left, start)) {
				return nil, context.Cause(ctx)
			}
			left = max(0, time.Until(end))
		}
		seconds := max(1, int(min(left, pollTime).Seconds()))
		if change {
			patient.etag = string(first.ETag)
		}
		var reply json.RawMessage
		reply, err = patient.send(ctx, http.MethodGet, path+"?wait="+strconv.Itoa(seconds), nil)
		switch {
		case err == nil:
			last = reply
			if err := json.Unmarshal(reply, &now); err != nil {
				return nil, err
			}
		case ctx.Err() != nil || !isTemporary(err):
			return nil, err
		default:
			if !daemon.Sleep(ctx, min(left, retryAfter)) {
				return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
			}
		}
	}
}

// isTemporary reports whether a repetition of the call may succeed.
func isTemporary(err error) bool {
	refused, ok := errors.AsType[*refusal](err)
	return !ok || refused.status >= 500 || refused.status == http.StatusTooManyRequests
}
