package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/countersign/countersign/libs/daemon"
)

// Operators lists the commands for operators of a running service. They require WF_ADMIN; those
// that only read accept WF_VIEWER.
type Operators struct {
	Audit struct {
		Verify  verifyCommand  `cmd:"" help:"Verify the audit trail and the stored state; with --checkpoints, an export of the trail without the service. Exits 0 if it is valid, 2 if not, also for a damaged export, and 1 if it was not checked."`
		Restart restartCommand `cmd:"" help:"Start a new service chain after an invalid one, so that checkpoints are signed again."`
	} `cmd:"" group:"For operators:" envprefix:"WF_" help:"Verify the audit trail, restart its service chain."`
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
	Chain    line
	FirstBad int64 `json:"first_bad"`
	Breaks   []struct {
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
	if !found.Verification.Valid {
		return daemon.ExitStatus(exitFound)
	}
	return nil
}

type restartCommand struct {
	Settings
	Reason string `required:"" help:"Cause of the breaks, and the action taken: 1 to 500 characters."`
}

// Run starts a new service chain.
func (c *restartCommand) Run(w *daemon.Process) error {
	return c.ask(w, "restarted", &badChain{}, func(ctx context.Context, api *client) (json.RawMessage, error) {
		api.http.Timeout = longCall
		return api.send(ctx, http.MethodPost, adminPath+"/audit/restart", map[string]any{"reason": c.Reason})
	})
}
