// Command wf runs the approval workflow service.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // conditions name time zones, and the image holds none

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/services/wf/internal/server"
)

// commands are what the program can do; kong prints their help.
type commands struct {
	Serve       serveCommand       `cmd:"" help:"Serve the API and run the workers."`
	Migrate     migrateCommand     `cmd:"" help:"Bring the database schema up to date and exit."`
	Token       tokenCommand       `cmd:"" help:"Print a token of the development issuer."`
	JWKS        jwksCommand        `cmd:"" name:"jwks" help:"Print the public key of the development issuer as a JWK Set."`
	Healthcheck healthcheckCommand `cmd:"" help:"Exit 0 when the service at --listen is ready."`
	Version     kong.VersionFlag   `help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "wf:", err)
		os.Exit(1)
	}
}

// run is main without the process.
func run(ctx context.Context, args []string, out, logs io.Writer) error {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("wf"), kong.Description("Approval requests under versioned policies."),
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
	token, err := devToken(c.DataDir, c.AuthAudience, bearer.DevToken{Subject: "ana", Roles: []string{"WF_ADMIN"}, TTL: 12 * time.Hour})
	if err != nil {
		fmt.Fprintln(out, "wf: no token:", err)
		return
	}
	fmt.Fprintf(out, `
wf is ready at http://%[1]s   (documents: http://%[1]s/docs)
A token for the admin ana, good for 12 hours; wf token makes others:

export WF_TOKEN=%[2]s

Try it:

curl -s -H "Authorization: Bearer $WF_TOKEN" http://%[1]s/v1/wf/policies

`, address, token)
}

type migrateCommand struct {
	DatabaseURL server.Secret `env:"WF_DATABASE_URL" default:"sqlite:.data/wf.db" help:"sqlite:PATH or postgres://…"`
	LogLevel    slog.Level    `env:"WF_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
}

// Run migrates once. It needs no setting but the database's.
func (c *migrateCommand) Run(w *world) error {
	config := server.Config{DatabaseURL: c.DatabaseURL}
	return config.Migrate(w.ctx, w.logger(c.LogLevel))
}

func (w *world) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: level}))
}

type tokenCommand struct {
	Sub      string            `required:"" help:"User id."`
	Role     []string          `help:"WF_VIEWER or WF_ADMIN; may be repeated."`
	Scope    []string          `help:"Scopes; may be repeated."`
	Claim    map[string]string `help:"More claims, NAME=VALUE."`
	TTL      time.Duration     `default:"1h" help:"How long the token is good."`
	DataDir  string            `env:"WF_DATA_DIR" default:".data" help:"Where --dev keeps its keys."`
	Audience string            `env:"WF_AUTH_AUDIENCE" default:"countersign" help:"Audience of the token."`
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

// devToken makes a token as the development issuer would for somebody who has just
// signed in.
func devToken(dataDir, audience string, t bearer.DevToken) (string, error) {
	config := server.Config{DataDir: dataDir}
	issuer, err := config.OpenDevIssuer()
	if err != nil {
		return "", err
	}
	t.Issuer, t.Audience = server.DevIssuer, audience
	claims := map[string]any{"preferred_username": t.Subject, "auth_time": time.Now().Unix()}
	maps.Copy(claims, t.Claims)
	t.Claims = claims
	return issuer.Issue(t)
}

type jwksCommand struct {
	DataDir string `env:"WF_DATA_DIR" default:".data" help:"Where --dev keeps its keys."`
}

// Run prints what WF_AUTH_JWKS_FILE of a service that is to trust the development
// issuer names. The key is made if there is none.
func (c *jwksCommand) Run(w *world) error {
	config := server.Config{DataDir: c.DataDir}
	issuer, err := config.OpenDevIssuer()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "%s\n", issuer.JWKS())
	return err
}

type healthcheckCommand struct {
	Listen string `env:"WF_LISTEN" default:"127.0.0.1:8081" help:"Address of the service."`
}

// Run asks the service whether it is ready.
func (c *healthcheckCommand) Run(w *world) error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("WF_LISTEN: %w", err)
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
