package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/bearer"
)

// Program is a service's command line.
type Program struct {
	Name, Description string

	// Defaults of Settings that differ between services.
	Listen, Database, Client string
}

// Process is what a command may touch. Commands have a method Run(*Process) error.
type Process struct {
	Context   context.Context
	Out, Logs io.Writer
}

// Logger writes JSON lines to Logs.
func (w *Process) Logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w.Logs, &slog.HandlerOptions{Level: level}))
}

// Main runs the program as a process and ends it.
func (p Program) Main(commands any) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := p.Run(commands, os.Args[1:], &Process{Context: ctx, Out: os.Stdout, Logs: os.Stderr})
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		os.Exit(1)
	}
}

// Run is Main without the process.
func (p Program) Run(commands any, args []string, w *Process) error {
	parser, err := p.Parser(commands)
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return command.Run(w)
}

// Parser reads the command line into commands, a struct for kong.
func (p Program) Parser(commands any) (*kong.Kong, error) {
	return kong.New(commands, kong.Name(p.Name), kong.Description(p.Description), kong.UsageOnError(), kong.Resolvers(fileResolver()),
		kong.Vars{"version": Version(), "listen": p.Listen, "database": p.Database, "client": p.Client})
}

// Setting is one setting as --help and the README show it.
type Setting struct{ Variable, Default, Help string }

// Describe lists the settings of a struct for kong that have a variable.
func (p Program) Describe(settings any) ([]Setting, error) {
	parser, err := p.Parser(settings)
	if err != nil {
		return nil, err
	}
	var list []Setting
	for _, flag := range parser.Model.Flags {
		if len(flag.Envs) > 0 {
			list = append(list, Setting{flag.Envs[0], flag.Default, flag.Help})
		}
	}
	return list, nil
}

// Welcome tells a newcomer where a service in development is, and gives them a token
// with a role and a call to try.
func (p Program) Welcome(out io.Writer, s Settings, address, role, path string) {
	token, err := DevToken(s.DataDir, bearer.DevToken{Subject: "ana", Audience: s.AuthAudience, Roles: []string{role}, TTL: 12 * time.Hour})
	if err != nil {
		fmt.Fprintf(out, "%s: no token: %v\n", p.Name, err)
		return
	}
	fmt.Fprintf(out, `
%[1]s is ready at http://%[2]s   (documents: http://%[2]s/docs)
A token for the admin ana, good for 12 hours; %[1]s token makes others:

export %[3]sTOKEN=%[4]s

Try it:

curl -s -H "Authorization: Bearer $%[3]sTOKEN" http://%[2]s%[5]s

`, p.Name, address, s.Prefix, token, path)
}

// DevIssuer is the issuer of development tokens: every local service and tool agrees
// on it, and on its key in the data folder.
const DevIssuer = "https://dev.countersign.local"

const devKeyFile = "dev-issuer.jwk"

func openDevIssuer(dataDir string) (*bearer.DevIssuer, error) {
	return bearer.OpenDevIssuer(filepath.Join(dataDir, devKeyFile))
}

// DevToken makes a token as the development issuer would for somebody who has just
// signed in.
func DevToken(dataDir string, t bearer.DevToken) (string, error) {
	issuer, err := openDevIssuer(dataDir)
	if err != nil {
		return "", err
	}
	claims := map[string]any{"preferred_username": t.Subject, "auth_time": time.Now().Unix()}
	maps.Copy(claims, t.Claims)
	t.Issuer, t.Claims = DevIssuer, claims
	return issuer.Issue(t)
}

// Dev is where development tokens come from.
type Dev struct {
	DataDir      string `env:"DATA_DIR" default:".data" help:"Where --dev keeps its keys."`
	AuthAudience string `env:"AUTH_AUDIENCE" default:"countersign" help:"Audience of the tokens."`
}

// TokenCommand prints a token of the development issuer.
type TokenCommand struct {
	Dev
	Sub   string            `required:"" help:"Subject: the user id."`
	Role  []string          `help:"A role; may be repeated."`
	Scope []string          `help:"A scope; may be repeated."`
	Claim map[string]string `help:"One more claim, NAME=VALUE; may be repeated."`
	TTL   time.Duration     `default:"1h" help:"How long the token is good."`
}

// Run prints the token alone.
func (c *TokenCommand) Run(w *Process) error {
	if c.TTL <= 0 {
		return errors.New("--ttl must be more than 0s")
	}
	claims := map[string]any{}
	for name, value := range c.Claim {
		claims[name] = value
	}
	token, err := DevToken(c.DataDir, bearer.DevToken{
		Subject: c.Sub, Audience: c.AuthAudience, Roles: c.Role, Scopes: c.Scope, Claims: claims, TTL: c.TTL,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.Out, token)
	return err
}

// JWKSCommand prints what the AUTH_JWKS_FILE of a service that is to trust the
// development issuer names. The key is made if there is none.
type JWKSCommand struct {
	Dev
}

// Run prints the JWK Set.
func (c *JWKSCommand) Run(w *Process) error {
	issuer, err := openDevIssuer(c.DataDir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.Out, "%s\n", issuer.JWKS())
	return err
}

// HealthcheckCommand asks a service whether it is ready.
type HealthcheckCommand struct {
	Listen string `env:"LISTEN" default:"${listen}" help:"Address of the service."`
}

// Run returns an error unless the service answers that it is ready.
func (c *HealthcheckCommand) Run(w *Process) error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen address: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(w.Context, 3*time.Second)
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
