// Command automation is an agent that pays after an approval by people. It is a client of the tools of wf by the Model
// Context Protocol.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type flags struct {
	URL       string `env:"WF_URL" default:"http://127.0.0.1:8081" help:"Base URL of wf with WF_MCP=true."`
	Token     string `env:"WF_TOKEN" required:"" help:"Token of the person that the agent represents."`
	Policy    string `required:"" help:"Policy of the request."`
	Arguments string `arg:"" help:"Arguments of the payment: a JSON object."`
}

func main() {
	var f flags
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	kong.Parse(&f, kong.Name("automation"), kong.Description("An agent that pays after an approval by people."))
	err := f.pay(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "automation:", err)
		os.Exit(1)
	}
}

// pay pays with the approved arguments.
func (f flags) pay(ctx context.Context) error {
	say := func(text string) { fmt.Println(text) }
	agent := Agent{URL: f.URL, Token: f.Token, Policy: f.Policy, Print: say}
	return agent.Run(ctx, json.RawMessage(f.Arguments), func() error {
		say("paid " + f.Arguments)
		return nil
	})
}

// Agent requests approvals under a policy.
type Agent struct {
	URL    string // of wf
	Token  string // of the person for whom the agent acts
	Policy string
	Print  func(text string)
}

// Approval is the state of a request.
type Approval struct {
	ID       string `json:"request_id"`
	Status   string
	Standing string
	Page     string
}

// Run runs the action with its arguments after the approval of exactly these. It waits until ctx ends. A repeat
// finds the pending request; after the action it creates another one.
func (a Agent) Run(ctx context.Context, arguments any, action func() error) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "payments-agent", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: a.URL + "/v1/wf/mcp", DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: bearer(a.Token)},
	}, nil)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = session.Close() }()

	approval, err := call(ctx, session, "request_approval", map[string]any{"policy_key": a.Policy, "context": arguments})
	if err != nil {
		return err
	}
	a.Print("decide at " + approval.Page)
	for open := []string{"in_review", "blocked"}; slices.Contains(open, approval.Status); {
		approval, err = call(ctx, session, "get_approval", map[string]any{"request_id": approval.ID, "wait": 50})
		if err != nil {
			return err
		}
	}
	if approval.Standing != "in_force" {
		return fmt.Errorf("the request is %s", approval.Status)
	}
	// The approval is used before the action, so that it covers one run. wf compares the arguments.
	if _, err := call(ctx, session, "consume_approval", map[string]any{"request_id": approval.ID, "context": arguments}); err != nil {
		return err
	}
	return action()
}

// call calls a tool. A refusal is an error with its code and message.
func call(ctx context.Context, session *mcp.ClientSession, tool string, arguments map[string]any) (approval Approval, err error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return approval, fmt.Errorf("%s: %w", tool, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || result.IsError {
		return approval, errors.Join(fmt.Errorf("%s is refused", tool), errors.New(text.Text))
	}
	return approval, json.Unmarshal([]byte(text.Text), &approval)
}

// bearer is a transport that adds a token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
