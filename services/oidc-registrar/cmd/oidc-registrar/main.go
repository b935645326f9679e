// Command oidc-registrar runs the registration service for OpenID Connect clients.
package main

import (
	"context"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// commands are what the program can do; kong prints their help.
type commands struct {
	Serve        serveCommand              `cmd:"" help:"Serve the API and run the worker."`
	Migrate      daemon.MigrateCommand     `cmd:"" envprefix:"REGISTRAR_" help:"Bring the database schema up to date and exit."`
	Rekey        rekeyCommand              `cmd:"" envprefix:"REGISTRAR_" help:"Encrypt the secrets of webhook endpoints and the registration access tokens of an rfc7591 provider with the first of REGISTRAR_ENC_KEYS and exit."`
	Purge        purgeCommand              `cmd:"" envprefix:"REGISTRAR_" set:"timeout=24h" help:"Delete what is older than REGISTRAR_RETENTION_… says, or count it, and exit."`
	Backup       daemon.BackupCommand      `cmd:"" envprefix:"REGISTRAR_" set:"timeout=24h" help:"Copy a SQLite database into a file, while the service may run, and exit."`
	Token        daemon.TokenCommand       `cmd:"" envprefix:"REGISTRAR_" help:"Print a token of the development issuer."`
	JWKS         daemon.JWKSCommand        `cmd:"" name:"jwks" envprefix:"REGISTRAR_" help:"Print the public key of the development issuer as a JWK Set."`
	Healthcheck  daemon.HealthcheckCommand `cmd:"" envprefix:"REGISTRAR_" help:"Exit 0 when the service at --listen is ready."`
	PrintVersion daemon.VersionCommand     `cmd:"" name:"version" help:"Print the version."`
	Version      kong.VersionFlag          `help:"Print the version."`
}

func main() { server.Program().Main(&commands{}) }

type serveCommand struct {
	server.Config
}

// Run serves until the process is told to stop.
func (c *serveCommand) Run(w *daemon.Process, p daemon.Program) error {
	return server.Run(w.Context, c.Config, w.Logger(c.LogLevel, c.Dev), p.Welcome(w.Out, c.Settings))
}

type rekeyCommand struct {
	daemon.DatabaseCommand
	EncKeys daemon.Secret `env:"ENC_KEYS" help:"The new key first, then those before it: ID:BASE64,…"`
}

// Validate is for kong.
func (c *rekeyCommand) Validate() error { return server.CheckKeys(c.EncKeys) }

// Run says how many tokens and endpoints had another key. The service may run meanwhile.
func (c *rekeyCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return server.Rekey(ctx, db, c.EncKeys)
	})
}

type purgeCommand struct {
	daemon.DatabaseCommand
	server.Retention
	DryRun bool `default:"true" negatable:"" help:"Count what is old enough, and delete nothing. --no-dry-run deletes."`
}

// Run says how many events and deliveries were deleted, or are old enough. On PostgreSQL it takes the
// owner of the tables. The service may run meanwhile.
func (c *purgeCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return server.Purge(ctx, db, c.Retention, c.DryRun)
	})
}
