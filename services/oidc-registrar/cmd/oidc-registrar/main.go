// Command oidc-registrar runs the registration service for OpenID Connect clients.
package main

import (
	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// commands are what the program can do; kong prints their help.
type commands struct {
	Serve       serveCommand              `cmd:"" help:"Serve the API and run the worker."`
	Migrate     daemon.MigrateCommand     `cmd:"" envprefix:"REGISTRAR_" help:"Bring the database schema up to date and exit."`
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
func (c *serveCommand) Run(w *daemon.Process, p daemon.Program) error {
	return server.Run(w.Context, c.Config, w.Logger(c.LogLevel), p.Welcome(w.Out, c.Settings))
}
