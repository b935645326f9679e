// Command oidc-registrar runs the registration service for OpenID Connect clients.
package main

import (
	"log/slog"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// commands are what the program can do; kong prints their help.
type commands struct {
	Serve       serveCommand              `cmd:"" help:"Serve the API and run the worker."`
	Migrate     migrateCommand            `cmd:"" help:"Bring the database schema up to date and exit."`
	Token       daemon.TokenCommand       `cmd:"" envprefix:"REGISTRAR_" help:"Print a token of the development issuer."`
	JWKS        daemon.JWKSCommand        `cmd:"" name:"jwks" envprefix:"REGISTRAR_" help:"Print the public key of the development issuer as a JWK Set."`
	Healthcheck daemon.HealthcheckCommand `cmd:"" envprefix:"REGISTRAR_" help:"Exit 0 when the service at --listen is ready."`
	Version     kong.VersionFlag          `help:"Print the version."`
}

func main() { server.Program().Main(&commands{}) }

type serveCommand struct {
	server.Config
}

// Run serves until the process is told to stop.
func (c *serveCommand) Run(w *daemon.Process) error {
	var ready func(string)
	if c.Dev {
		ready = func(address string) {
			server.Program().Welcome(w.Out, c.Settings, address, "PARTNER_ADMIN", "/v1/partnermanager/policies")
		}
	}
	return server.Run(w.Context, c.Config, w.Logger(c.LogLevel), ready)
}

type migrateCommand struct {
	DatabaseURL daemon.Secret `env:"REGISTRAR_DATABASE_URL" default:"${database}" help:"sqlite:PATH or postgres://…"`
}

// Run migrates once. It needs no setting but the database's.
func (c *migrateCommand) Run(w *daemon.Process) error {
	return server.Migrate(w.Context, c.DatabaseURL, w.Logger(slog.LevelInfo))
}
