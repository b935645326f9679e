package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/countersign/countersign/libs/daemon"
)

// Operators lists the commands for operators of a running service. They require WF_ADMIN; commands
// that only read accept WF_VIEWER.
type Operators struct {
	Audit struct {
		Verify      verifyCommand      `cmd:"" help:"Verify the audit trail and the stored state; with --checkpoints, an export of the trail without the service. Exits 0 if it is valid, 2 if not, also for a damaged export, and 1 if it was not checked. Acknowledged breaks count as valid."`
		Acknowledge acknowledgeCommand `cmd:"" help:"Acknowledge the breaks of a chain, so that the alert ends."`
	} `cmd:"" group:"For operators:" envprefix:"WF_" help:"Verify the audit trail, acknowledge its breaks."`
	Deliveries struct {
		List    deliveriesCommand `cmd:"" help:"List deliveries, the newest first."`
		Retry   retryCommand      `cmd:"" help:"Send a delivery again."`
		Recover recoverCommand    `cmd:"" help:"Send the failed or cancelled deliveries of a period again."`
	} `cmd:"" group:"For operators:" envprefix:"WF_" help:"List deliveries of webhooks and mail, send them again."`
	Requests struct {
		Why   whyCommand   `cmd:"" help:"Show what a request waits for."`
		Stuck stuckCommand `cmd:"" help:"List open requests without an open task and without a retry. Exits 1 if there are any."`
	} `cmd:"" group:"For operators:" envprefix:"WF_" help:"Show what requests wait for."`
	Reevaluate reevaluateCommand `cmd:"" group:"For operators:" envprefix:"WF_" help:"Look now at the stages of a request that wait for approvers."`
}

const adminPath = "/v1/wf/admin"

// longCall bounds a call that reads every chain. The service has its own limit.
const longCall = time.Hour

type verifyCommand struct {
	Settings
	Chain string `arg:"" optional:"" help:"Id of a request, or service; every chain without it. With --checkpoints, a file with an export that is younger than the checkpoints."`
	offline
}

// verification is the outcome of a verification.
type verification struct {
	Verification struct {
		Valid          bool
		Chains, Events int64
		Bad            []badChain
		NotDetected    []line `json:"not_detected"`
	}
}

type badChain struct {
	Chain        line
	FirstBad     int64 `json:"first_bad"`
	Acknowledged int64
	Breaks       []struct {
		Seq  int64
		What line
	}
}

// Run prints the breaks of each chain.
func (c *verifyCommand) Run(w *daemon.Process) error {
	if c.offline != (offline{}) {
		return c.verify(w, c.Chain)
	}
	var found verification
	err := c.ask(w, "verification", &found, func(ctx context.Context, api *client) (json.RawMessage, error) {
		query := url.Values{"verify": {"true"}, "limit": {"1"}}
		if c.Chain != "" {
			query.Set("chain", c.Chain)
		}
		api.http.Timeout = longCall
		return api.send(ctx, http.MethodGet, adminPath+"/audit?"+query.Encode(), nil)
	})
	if err != nil {
		return err
	}
	for _, bad := range found.Verification.Bad {
		if len(bad.Breaks) > 0 {
			return daemon.ExitStatus(exitInvalid)
		}
	}
	return nil
}

type acknowledgeCommand struct {
	Settings
	Chain  string `arg:"" help:"Id of a request, or service."`
	Reason string `required:"" help:"Cause of the breaks, and the action taken: 1 to 500 characters."`
}

// Run acknowledges the breaks that verification finds now.
func (c *acknowledgeCommand) Run(w *daemon.Process) error {
	return c.ask(w, "acknowledged", &badChain{}, func(ctx context.Context, api *client) (json.RawMessage, error) {
		api.http.Timeout = longCall
		return api.send(ctx, http.MethodPost, adminPath+"/audit/acknowledgements", map[string]any{"chain": c.Chain, "reason": c.Reason})
	})
}

type deliveriesCommand struct {
	Settings
	Status   string `help:"pending, sending, delivered, failed or cancelled."`
	Endpoint string `help:"Name of an endpoint."`
	Request  string `help:"Id of the request that the deliveries are about."`
	Limit    int    `default:"50" help:"How many deliveries, up to 200."`
}

// delivery holds the printed members of a delivery.
type delivery struct {
	ID             string
	EventType      line `json:"event_type"`
	Endpoint       struct{ Name, URL line }
	Status         line
	Attempt, Cycle int
	LastError      line      `json:"last_error"`
	CreatedAt      time.Time `json:"created_at"`
}

type deliveries struct {
	Items      []delivery
	NextCursor *string `json:"next_cursor"`
}

// Run lists deliveries.
func (c *deliveriesCommand) Run(w *daemon.Process) error {
	return c.ask(w, "deliveries", &deliveries{}, func(ctx context.Context, api *client) (json.RawMessage, error) {
		query := url.Values{"limit": {strconv.Itoa(c.Limit)}}
		for name, value := range map[string]string{"status": c.Status, "endpoint": c.Endpoint, "request_id": c.Request} {
			if value != "" {
				query.Set(name, value)
			}
		}
		return api.send(ctx, http.MethodGet, adminPath+"/deliveries?"+query.Encode(), nil)
	})
}

type retryCommand struct {
	Settings
	ID string `arg:"" help:"Id of a delivery."`
}

// Run starts another cycle of attempts.
func (c *retryCommand) Run(w *daemon.Process) error {
	return c.ask(w, "delivery", &delivery{}, func(ctx context.Context, api *client) (json.RawMessage, error) {
		return api.send(ctx, http.MethodPost, adminPath+"/deliveries/"+url.PathEscape(c.ID)+"/retry", map[string]any{})
	})
}

type recoverCommand struct {
	Settings
	Endpoint      string    `help:"Name of an endpoint; all of them without it."`
	Status        string    `default:"failed" help:"failed or cancelled."`
	CreatedAfter  time.Time `required:"" help:"Start of the period, such as 2026-01-15T08:00:00Z."`
	CreatedBefore time.Time `required:"" help:"End of the period."`
}

// Run repeats the call until no deliveries of the period are left.
func (c *recoverCommand) Run(w *daemon.Process) error {
	return c.ask(w, "recovered", &struct{ Retried int }{}, func(ctx context.Context, api *client) (json.RawMessage, error) {
		body := map[string]any{"status": c.Status, "created_after": c.CreatedAfter, "created_before": c.CreatedBefore}
		if c.Endpoint != "" {
			body["endpoint"] = c.Endpoint
		}
		for total := 0; ; {
			raw, err := api.send(ctx, http.MethodPost, adminPath+"/deliveries/recover", body)
			if err != nil {
				return nil, err
			}
			var some struct {
				Retried int
				More    bool
			}
			if err := json.Unmarshal(raw, &some); err != nil {
				return nil, err
			}
			if total += some.Retried; !some.More {
				return json.Marshal(map[string]any{"retried": total, "more": false})
			}
		}
	})
}

type whyCommand struct {
	Settings
	ID string `arg:"" help:"Id of a request."`
}

// waiting holds the members of a request that explain its pending state.
type waiting struct {
	ID, Status   line
	PolicyKey    line                          `json:"policy_key"`
	StatusReason *struct{ Code, Message line } `json:"status_reason"`
	ExpiresAt    *time.Time                    `json:"expires_at"`
	Stages       []struct {
		Key, Status line
		due
		Quorum    struct{ Need, Approvals int }
		LastError line       `json:"last_error"`
		RetryAt   *time.Time `json:"retry_at"`
		Approvers []struct {
			User           user
			Status, Action line
			Lost           bool
			OnBehalfOf     *user `json:"on_behalf_of"`
		}
		Excluded []struct {
			User   user
			Reason line
		}
	}
}

// Run prints the state of each started or pending stage: its error, its retry, its approvers.
func (c *whyCommand) Run(w *daemon.Process) error {
	return c.ask(w, "waiting", &waiting{}, func(ctx context.Context, api *client) (json.RawMessage, error) {
		return api.send(ctx, http.MethodGet, "/v1/wf/requests/"+url.PathEscape(c.ID), nil)
	})
}

type stuckCommand struct {
	Settings
	Limit int `default:"50" help:"How many requests, up to 200."`
}

type stuckRequests struct {
	Items []struct {
		ID, Status, Title line
		PolicyKey         line      `json:"policy_key"`
		UpdatedAt         time.Time `json:"updated_at"`
	}
	NextCursor *string `json:"next_cursor"`
}

// Run lists stuck requests. Pages may be empty before the last one.
func (c *stuckCommand) Run(w *daemon.Process) error {
	var found stuckRequests
	err := c.ask(w, "stuck", &found, func(ctx context.Context, api *client) (json.RawMessage, error) {
		type pages struct {
			Items      []json.RawMessage `json:"items"`
			NextCursor *string           `json:"next_cursor"`
		}
		all := pages{Items: []json.RawMessage{}}
		query := url.Values{}
		for {
			query.Set("limit", strconv.Itoa(c.Limit-len(all.Items)))
			var page pages
			if err := api.get(ctx, adminPath+"/requests/stuck?"+query.Encode(), &page); err != nil {
				return nil, err
			}
			all.Items, all.NextCursor = append(all.Items, page.Items...), page.NextCursor
			if page.NextCursor == nil || len(all.Items) >= c.Limit {
				return json.Marshal(all)
			}
			query.Set("cursor", *page.NextCursor)
		}
	})
	if err == nil && len(found.Items) > 0 {
		err = fmt.Errorf("stuck requests: %d", len(found.Items))
	}
	return err
}

type reevaluateCommand struct {
	Settings
	ID string `arg:"" help:"Id of a request."`
}

// Run prints the state of the request afterwards.
func (c *reevaluateCommand) Run(w *daemon.Process) error {
	return c.ask(w, "waiting", &waiting{}, func(ctx context.Context, api *client) (json.RawMessage, error) {
		return api.send(ctx, http.MethodPost, adminPath+"/requests/"+url.PathEscape(c.ID)+"/reevaluate", nil)
	})
}
