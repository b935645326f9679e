package daemon

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/sqldb"
)

// Program is a service's command line.
type Program struct {
	Name, Description string

	// Defaults of Settings that differ between services.
	Listen, Admin, Database, Client, Audience string

	// Prefix is that of the environment variables, Schema that of the database.
	Prefix string
	Schema sqldb.Schema

	// Role is the role with access to every operation, and Try the path of the example call, for ExampleCall.
	// Pages is the path of the browser pages; empty if there are none.
	Role, Try, Pages string
}

// Process is the environment of a command. Commands have a method Run(*Process) error, or
// Run(*Process, Program) error.
type Process struct {
	Context   context.Context
	Out, Logs io.Writer
}

// Logger writes to Logs: text in development on a terminal, otherwise JSON.
func (w *Process) Logger(dev bool) *slog.Logger {
	return oplog.New(w.Logs, slog.LevelInfo, dev)
}

// Main runs the program and exits. The first signal stops it; the second one exits immediately.
func (p Program) Main(commands any) {
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		stop(fmt.Errorf("stopped by the signal %s", <-signals))
		<-signals
		fmt.Fprintf(os.Stderr, "%s: second signal, exit without a complete shutdown\n", p.Name)
		os.Exit(1)
	}()
	err := p.Run(commands, os.Args[1:], &Process{Context: ctx, Out: os.Stdout, Logs: os.Stderr})
	if status, ok := errors.AsType[ExitStatus](err); ok {
		os.Exit(int(status))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		os.Exit(1)
	}
}

// ExitStatus is the error of a command that has printed its result and ends with another status than 0.
type ExitStatus int

func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Run is Main without the process.
func (p Program) Run(commands any, args []string, w *Process) error {
	environment := &variables{}
	parser, command, err := p.parse(commands, args, environment)
	if parser != nil {
		log := w.Logger(false)
		for _, name := range environment.exposed {
			log.Warn("secret file is readable by every user of the machine", "variable", name)
		}
		for _, found := range p.unknownVariables(parser.Model, os.Environ()) {
			log.Warn("unknown environment variable", "variable", found[0], "meant", cmp.Or(found[1], "no similar setting"))
		}
	}
	if _, ok := errors.AsType[problemList](err); ok {
		return fmt.Errorf("configuration:\n%w", err)
	}
	if err != nil {
		return err
	}
	return command.Run(w, p)
}

// Parse reads the command line and the environment into commands, a struct for kong. The
// error has every problem of the settings, a line each.
func (p Program) Parse(commands any, args []string) error {
	_, _, err := p.parse(commands, args, &variables{})
	return err
}

func (p Program) parse(commands any, args []string, environment *variables) (*kong.Kong, *kong.Context, error) {
	parser, err := p.parser(commands, environment)
	if err != nil {
		return nil, nil, err
	}
	command, err := parser.Parse(args)
	return parser, command, environment.mergeErrors(err)
}

func (p Program) parser(commands any, environment *variables) (*kong.Kong, error) {
	return kong.New(
		commands,
		kong.Name(p.Name),
		kong.Description(p.Description),
		kong.UsageOnError(),
		kong.Resolvers(environment),
		kong.Vars{
			"version":  Version(),
			"listen":   p.Listen,
			"admin":    p.Admin,
			"database": p.Database,
			"client":   p.Client,
			"audience": p.Audience,
			"timeout":  "5m",
		},
	)
}

// Setting is a setting as in --help and the documents, and its value as text.
type Setting struct{ Flag, Variable, Default, Help, Value string }

// Describe lists the settings of a struct for kong that have a variable.
func (p Program) Describe(settings any) ([]Setting, error) {
	parser, err := p.parser(settings, &variables{})
	if err != nil {
		return nil, err
	}
	var list []Setting
	for _, flag := range parser.Model.Flags {
		if len(flag.Envs) > 0 {
			list = append(list, Setting{"--" + flag.Name, flag.Envs[0], flag.Default, flag.Help, formatValue(flag.Target)})
		}
	}
	return list, nil
}

// LogSettings returns the settings of a struct for kong as a group of the log: each variable with its text.
func (p Program) LogSettings(settings any) slog.Value {
	list, err := p.Describe(settings)
	if err != nil {
		return slog.StringValue(err.Error())
	}
	var attrs []slog.Attr
	for _, s := range list {
		attrs = append(attrs, slog.String(s.Variable, s.Value))
	}
	return slog.GroupValue(attrs...)
}

// ExampleCall returns a function that prints the address of a service in development, a token and an example
// call. It is nil in production.
func (p Program) ExampleCall(out io.Writer, s Settings) func(address string) {
	if !s.Dev {
		return nil
	}
	return func(address string) {
		token, err := DevToken(s.DataDir, bearer.DevToken{Subject: "ana", Audience: s.AuthAudience, Roles: []string{p.Role}, TTL: 12 * time.Hour})
		if err != nil {
			fmt.Fprintf(out, "%s: no token: %v\n", p.Name, err)
			return
		}
		pages := ""
		if p.Pages != "" {
			pages = fmt.Sprintf("Open it in a browser: http://%s%s\n", address, p.Pages)
		}
		fmt.Fprintf(out, `
%[1]s is ready at http://%[2]s   (documents: http://%[2]s/docs)
%[6]sA token for the admin ana, good for 12 hours; %[1]s token makes others:

export %[3]sTOKEN=%[4]s

Try it:

curl -s -H "Authorization: Bearer $%[3]sTOKEN" http://%[2]s%[5]s

`, p.Name, address, p.Prefix, token, p.Try, pages)
	}
}

// HealthcheckCommand checks the readiness of a service.
type HealthcheckCommand struct {
	Listen string `env:"LISTEN" default:"${listen}" help:"Address of the service."`
}

// Run returns an error unless the service is ready.
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
