// Command demo is a tour of the services with real calls. It requires both services with --dev, which
// make run starts, and exits with 1 at the first unexpected answer. It can be repeated on the same
// database.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/test/demo/story"
)

type flags struct {
	WF        string `name:"wf" env:"WF_URL" default:"http://127.0.0.1:8081" placeholder:"URL" help:"Base URL of wf."`
	Registrar string `env:"REGISTRAR_URL" default:"http://127.0.0.1:8082" placeholder:"URL" help:"Base URL of oidc-registrar."`
	Data      string `env:"DEMO_DATA" default:".data" placeholder:"DIR" help:"Folder with the key and the secret of development."`
	Secret    string `env:"DEMO_WEBHOOK_SECRET" placeholder:"WHSEC" help:"Secret of callbacks, if not the one in that folder."`
	Receiver  string `env:"DEMO_RECEIVER" placeholder:"HOST:PORT" help:"Address for webhooks, by the name that wf calls."`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("demo"), kong.Description("A tour of the services with real calls."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := story.Run(ctx, os.Stdout, story.Options{
		WF: f.WF, Registrar: f.Registrar, Data: f.Data, Secret: f.Secret, Receiver: f.Receiver,
	})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}
