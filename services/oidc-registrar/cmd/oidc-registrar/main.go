// Command oidc-registrar runs the registration service for OpenID Connect clients.
package main

import (
	"context"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// commands are the commands of the program; kong prints their help.
type commands struct {
	Serve        serveCommand              `cmd:"" help:"Serve the API and run the worker."`
	Migrate      daemon.MigrateCommand     `cmd:"" envprefix:"REGISTRAR_" help:"Bring the database schema up to date and exit."`
	Rekey        rekeyCommand              `cmd:"" envprefix:"REGISTRAR_" help:"Encrypt the secrets of webhook endpoints and the registration access tokens of an rfc7591 provider with the first of REGISTRAR_ENC_KEYS and exit."`
	Purge        purgeCommand              `cmd:"" envprefix:"REGISTRAR_" set:"timeout=24h" help:"Delete data older than 90 days, or count it, and exit."`
	Import       importCommand             `cmd:"" envprefix:"REGISTRAR_" set:"timeout=24h" help:"Import existing clients from NDJSON, or report the result of a dry run, and exit."`
	Reconcile    reconcileCommand          `cmd:"" envprefix:"REGISTRAR_" set:"timeout=24h" help:"Compare all clients with the identity provider, report the differences, and exit."`
	Export       exportCommand             `cmd:"" envprefix:"REGISTRAR_" set:"timeout=24h" help:"Write all clients to a file as NDJSON and exit. The service can stay running."`
	Check        checkCommand              `cmd:"" help:"Check the configuration, database, issuer, identity provider and approval service, a line each. Exits 1 on a failure."`
	Backup       daemon.BackupCommand      `cmd:"" envprefix:"REGISTRAR_" set:"timeout=24h" help:"Copy a SQLite database to a file and exit. The service can stay running."`
	Token        daemon.TokenCommand       `cmd:"" envprefix:"REGISTRAR_" help:"Print a token of the development issuer."`
	JWKS         daemon.JWKSCommand        `cmd:"" name:"jwks" envprefix:"REGISTRAR_" help:"Print the public key of the development issuer as a JWK Set."`
	Healthcheck  daemon.HealthcheckCommand `cmd:"" envprefix:"REGISTRAR_" help:"Exit 0 if the service at --listen is ready."`
	PrintVersion daemon.VersionCommand     `cmd:"" name:"version" help:"Print the version."`
	Version      kong.VersionFlag          `help:"Print the version."`
}

func main() { server.Program().Main(&commands{}) }

type serveCommand struct {
	server.Config
}

// Run serves until the process is stopped.
func (c *serveCommand) Run(w *daemon.Process, p daemon.Program) error {
	return server.Run(w.Context, c.Config, w.Logger(c.Dev), p.ExampleCall(w.Out, c.Settings))
}

type checkCommand struct {
	server.Config
}

// Run checks the services that the configuration names. The service may run concurrently.
func (c *checkCommand) Run(w *daemon.Process) error {
	return server.Diagnose(w.Context, c.Config, w.Out)
}

type rekeyCommand struct{ daemon.RekeyCommand }

// Run prints the number of tokens and endpoints that had another key. The service may run
// concurrently.
func (c *rekeyCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Rekey(w, p, server.Rekey)
}

type purgeCommand struct {
	daemon.DatabaseCommand
	DryRun bool `default:"true" negatable:"" help:"Count the data without deleting it. --no-dry-run deletes."`
}

// Run prints the number of deleted or expired events and deliveries. On PostgreSQL it needs the
// owner of the tables. The service may run concurrently.
func (c *purgeCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return server.Purge(ctx, db, c.DryRun)
	})
}

type importCommand struct {
	daemon.DatabaseCommand
	server.Moving
	DryRun bool   `default:"true" negatable:"" help:"Report the result without storing it. --no-dry-run imports."`
	File   string `arg:"" help:"NDJSON file in the form of an export; - is standard input."`
}

// Run prints each refused line with its reason and the number of imported clients. The service may
// run concurrently. Clients of an earlier run remain unchanged.
func (c *importCommand) Run(w *daemon.Process, p daemon.Program) error {
	in := io.Reader(os.Stdin)
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return server.Import(ctx, db, c.Moving, c.Dev, c.DryRun, in, w.Out)
	})
}

type exportCommand struct {
	daemon.DatabaseCommand
	server.Moving
	Secrets bool   `help:"Include the registration access tokens of an rfc7591 provider, in clear."`
	File    string `arg:"" help:"New file for the clients; - is standard output."`
}

// Run prints the number of clients, on standard error if the clients are on standard output.
func (c *exportCommand) Run(w *daemon.Process, p daemon.Program) error {
	said := *w
	if c.File == "-" {
		said.Out = w.Logs
	}
	return c.Work(&said, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return server.Export(ctx, db, c.Moving, c.Dev, c.Secrets, c.File, w.Out)
	})
}

type reconcileCommand struct {
	daemon.DatabaseCommand
	server.Moving
}

// Run prints the difference of each client. The service may run concurrently.
func (c *reconcileCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return server.Reconcile(ctx, db, c.Moving, c.Dev, w.Out)
	})
}
