// Command oidc-registrar runs the registration service for OpenID Connect clients.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/bearer"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// commands are what the program can do; kong prints their help.
type commands struct {
	Serve       serveCommand       `cmd:"" help:"Serve the API and run the worker."`
	Migrate     migrateCommand     `cmd:"" help:"Bring the database schema up to date and exit."`
	Token       tokenCommand       `cmd:"" help:"Print a token of the development issuer."`
	Healthcheck healthcheckCommand `cmd:"" help:"Exit 0 when the service at --listen is ready."`
	Version     kong.VersionFlag   `help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "oidc-registrar:", err)
		os.Exit(1)
	}
}

// run is main without the process.
func run(ctx context.Context, args []string, out, logs io.Writer) error {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("oidc-registrar"), kong.Description("Registration of OpenID Connect clients for relying parties."),
		kong.Vars{"version": server.Version}, kong.Resolvers(server.FileResolver()), kong.UsageOnError(),
	)
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return command.Run(&world{ctx: ctx, out: out, logs: logs})
}

// world is what a command may touch.
type world struct {
	ctx       context.Context
	out, logs io.Writer
}

func (w *world) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: level}))
}

type serveCommand struct {
	server.Config
}

// Run serves until the process is told to stop.
func (c *serveCommand) Run(w *world) error {
	var ready func(string)
	if c.Dev {
		ready = func(address string) { c.welcome(w.out, address) }
	}
	return server.Run(w.ctx, c.Config, w.logger(c.LogLevel), ready)
}

// welcome tells a newcomer where the service is and gives him a call to try.
func (c *serveCommand) welcome(out io.Writer, address string) {
	token, err := devToken(c.DataDir, c.AuthAudience, bearer.DevToken{Subject: "ana", Roles: []string{"PARTNER_ADMIN"}, TTL: 12 * time.Hour})
	if err != nil {
		fmt.Fprintln(out, "oidc-registrar: no token:", err)
		return
	}
	fmt.Fprintf(out, `
oidc-registrar is ready at http://%[1]s   (documents: http://%[1]s/docs)
A token for the admin ana, good for 12 hours; oidc-registrar token makes others:

export REGISTRAR_TOKEN=%[2]s

Try it:

curl -s -H "Authorization: Bearer $REGISTRAR_TOKEN" http://%[1]s/v1/partnermanager/policies

`, address, token)
}

type migrateCommand struct {
	DatabaseURL registrar.Secret `name:"database-url" env:"REGISTRAR_DATABASE_URL" default:"sqlite:.data/registrar.db" help:"sqlite:PATH or postgres://…"`
}

// Run migrates once.
func (c *migrateCommand) Run(w *world) error {
	config := server.Config{DatabaseURL: c.DatabaseURL}
	return config.Migrate(w.ctx, w.logger(slog.LevelInfo))
}

type tokenCommand struct {
	Sub      string            `required:"" help:"Subject."`
	Role     []string          `help:"AUTH_PARTNER or PARTNER_ADMIN; may be repeated."`
	Scope    []string          `help:"Scopes, such as add_oidc_client; may be repeated."`
	Claim    map[string]string `help:"More claims, NAME=VALUE, such as partner_id=demo-partner."`
	TTL      time.Duration     `default:"1h" help:"How long the token is good."`
	DataDir  string            `env:"REGISTRAR_DATA_DIR" default:".data" help:"Where --dev keeps its key."`
	Audience string            `env:"REGISTRAR_AUTH_AUDIENCE" default:"countersign" help:"Audience of the token."`
}

// Run prints the token alone.
func (c *tokenCommand) Run(w *world) error {
	claims := map[string]any{}
	for name, value := range c.Claim {
		claims[name] = value
	}
	token, err := devToken(c.DataDir, c.Audience, bearer.DevToken{Subject: c.Sub, Roles: c.Role, Scopes: c.Scope, Claims: claims, TTL: c.TTL})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.out, token)
	return err
}

// devToken makes a token of the development issuer.
func devToken(dataDir, audience string, t bearer.DevToken) (string, error) {
	config := server.Config{DataDir: dataDir}
	issuer, err := config.OpenDevIssuer()
	if err != nil {
		return "", err
	}
	t.Issuer, t.Audience = server.DevIssuer, audience
	return issuer.Issue(t)
}

type healthcheckCommand struct {
	Listen string `env:"REGISTRAR_LISTEN" default:"127.0.0.1:8082" help:"Address of the service."`
}

// Run asks the service whether it is ready.
func (c *healthcheckCommand) Run(w *world) error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("REGISTRAR_LISTEN: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(w.ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	reply, err := http.DefaultClient.Do(request) // #nosec G107 G704 -- the operator's own service
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: status %d", reply.StatusCode)
	}
	return nil
}
