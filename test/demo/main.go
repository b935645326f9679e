// Command demo is a tour of the services with real calls. It requires both services with --dev, which
// make run starts, and exits with 1 at the first unexpected answer. It can be repeated on the same
// database.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/test/demo/agent"
	"github.com/countersign/countersign/test/demo/story"
)

type flags struct {
	Tour  tour     `cmd:"" default:"withargs" help:"A tour of the services with real calls."`
	Agent agentRun `cmd:"" help:"Run an agent that pays after an approval by people."`
}

// agentRun runs an agent until people have decided.
type agentRun struct {
	URL       string `env:"WF_URL" default:"http://127.0.0.1:8081" placeholder:"URL" help:"Base URL of wf with WF_MCP=true."`
	Token     string `env:"WF_TOKEN" required:"" help:"Token of the person that the agent represents."`
	Policy    string `required:"" help:"Policy of the request."`
	Arguments string `arg:"" help:"Arguments of the payment: a JSON object."`
}

// Run pays with the approved arguments.
func (a *agentRun) Run(ctx context.Context) error {
	say := func(text string) { fmt.Println(text) }
	return agent.Agent{URL: a.URL, Token: a.Token, Policy: a.Policy, Print: say}.Run(ctx, json.RawMessage(a.Arguments), func() error {
		say("paid " + a.Arguments)
		return nil
	})
}

type tour struct {
	WF        string `name:"wf" env:"WF_URL" default:"http://127.0.0.1:8081" placeholder:"URL" help:"Base URL of wf."`
	Registrar string `env:"REGISTRAR_URL" default:"http://127.0.0.1:8082" placeholder:"URL" help:"Base URL of oidc-registrar; its part is left out when empty."`
	Data      string `env:"DEMO_DATA" default:".data" placeholder:"DIR" help:"Folder with the development key and secret of the services."`
	Secret    string `env:"DEMO_WEBHOOK_SECRET" placeholder:"WHSEC" help:"Secret of callbacks, if not the one in that folder."`
	Program   string `env:"DEMO_WF_PROGRAM" default:"bin/wf" placeholder:"FILE" help:"Program of wf, for the part with a directory; without it that part is left out."`
	Receiver  string `env:"DEMO_RECEIVER" placeholder:"HOST:PORT" help:"Address to receive webhooks, by the name that wf calls; a free port of 127.0.0.1 if not set."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := kong.Parse(&flags{}, kong.Name("demo"), kong.Description("Programs that use the services."), kong.BindTo(ctx, (*context.Context)(nil))).Run()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// Run makes the tour.
func (f *tour) Run(ctx context.Context) error {
	return story.Run(ctx, os.Stdout, story.Options{
		WF: f.WF, Registrar: f.Registrar, Data: f.Data, Secret: f.Secret, Receiver: f.Receiver, Program: f.Program, Colour: terminal(os.Stdout),
	})
}

// terminal reports whether f is a terminal that shows colours (https://no-color.org).
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}
