package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/daemon"
)

// Commands lists the commands on requests.
type Commands struct {
	Wait    waitCommand    `cmd:"" group:"For requesters:" envprefix:"WF_" help:"Wait for the end of a request. Exits 0 if it is approved and in force, 2 if rejected, 3 if it ended otherwise, 4 if still open, 5 if changes are requested, and 1 on an error."`
	Request requestCommand `cmd:"" group:"For requesters:" help:"Create a request, or revoke or consume its approval."`
}

// requestCommand has the commands on requests. Without a subcommand it creates a request.
type requestCommand struct {
	Create  createCommand  `cmd:"" default:"withargs" envprefix:"WF_" help:"Create a request under a policy, or preview its approvers."`
	Revoke  revokeCommand  `cmd:"" envprefix:"WF_" help:"Revoke the approval of a request."`
	Consume consumeCommand `cmd:"" envprefix:"WF_" help:"Use the approval of a request, once, if its policy is single_use."`
}

type revokeCommand struct {
	Settings
	ID      string `arg:"" help:"Id of a request."`
	Message string `short:"m" required:"" help:"Reason."`
}

// Run revokes an approval.
func (c *revokeCommand) Run(w *daemon.Process) error {
	return c.ask(w, "outcome", &request{}, post(requestPath(c.ID)+"/revoke", map[string]any{"reason": c.Message}))
}

type consumeCommand struct {
	Settings
	ID       string `arg:"" help:"Id of a request."`
	Expect   string `required:"" help:"context_hash of the content about to be used: other content is refused."`
	Consumer string `help:"Name of the use, for people."`
}

// Run consumes an approval.
func (c *consumeCommand) Run(w *daemon.Process) error {
	body := map[string]any{"context_hash": c.Expect, "consumer": c.Consumer}
	return c.ask(w, "outcome", &request{}, post(requestPath(c.ID)+"/consume", body))
}

type createCommand struct {
	Settings
	Policy       string        `arg:"" help:"Key of the policy."`
	File         string        `short:"f" help:"JSON file with the context; - is standard input. Without one the context is empty."`
	Title        string        `help:"Title for people."`
	ArtifactType string        `help:"Type of the artifact to approve."`
	ArtifactID   string        `help:"Identifier of the artifact to approve."`
	Priority     string        `default:"normal" help:"low, normal, high or urgent."`
	Message      string        `short:"m" help:"Comment for the approvers."`
	Wait         bool          `help:"Wait for the end of the request; the exit status is that of wait."`
	Timeout      time.Duration `default:"1h" help:"Maximum wait."`
	Preview      bool          `help:"Print the approvers and create nothing."`
}

// Run creates a request, or previews it.
func (c *createCommand) Run(w *daemon.Process) error {
	content, err := readContext(c.File)
	if err != nil {
		return err
	}
	body := map[string]any{"context": content, "artifact_type": c.ArtifactType, "artifact_id": c.ArtifactID, "priority": c.Priority}
	if c.Preview {
		return c.ask(w, "preview", &preview{}, post(policyPath(c.Policy)+"/preview", body))
	}
	body["policy_key"], body["title"], body["comment"] = c.Policy, c.Title, c.Message
	create := post("/v1/wf/requests", body)
	if !c.Wait {
		return c.ask(w, "outcome", &request{}, create)
	}
	return c.wait(w, func(ctx context.Context, api *client) (json.RawMessage, error) {
		reply, err := create(ctx, api)
		if err != nil {
			return nil, err
		}
		var created request
		if err := json.Unmarshal(reply, &created); err != nil {
			return nil, err
		}
		fmt.Fprintf(w.Logs, "Request %s waits for approval.\n", created.ID)
		return api.wait(ctx, string(created.ID), c.Timeout, false)
	})
}

// readContext reads a JSON object from a file.
func readContext(path string) (json.RawMessage, error) {
	if path == "" {
		return nil, nil
	}
	content, err := readInput(path)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(content, &object); err != nil {
		return nil, fmt.Errorf("%s is not a JSON object: %w", path, err)
	}
	return content, nil
}
