// Command wf runs the approval workflow service.
package main

import (
	"fmt"
	"log/slog"
	_ "time/tzdata" // conditions name time zones, and the image holds none

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/wf/internal/server"
)

// commands are what the program can do; kong prints their help.
type commands struct {
	Serve       serveCommand              `cmd:"" help:"Serve the API and run the workers."`
	Migrate     migrateCommand            `cmd:"" help:"Bring the database schema up to date and exit."`
	Rekey       rekeyCommand              `cmd:"" help:"Encrypt the secrets of webhook endpoints with the first of WF_ENC_KEYS and exit."`
	Token       daemon.TokenCommand       `cmd:"" envprefix:"WF_" help:"Print a token of the development issuer."`
	JWKS        daemon.JWKSCommand        `cmd:"" name:"jwks" envprefix:"WF_" help:"Print the public key of the development issuer as a JWK Set."`
	Healthcheck daemon.HealthcheckCommand `cmd:"" envprefix:"WF_" help:"Exit 0 when the service at --listen is ready."`
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
			server.Program().Welcome(w.Out, c.Settings, address, "WF_ADMIN", "/v1/wf/policies")
		}
	}
	return server.Run(w.Context, c.Config, w.Logger(c.LogLevel), ready)
}

type migrateCommand struct {
	DatabaseURL daemon.Secret `env:"WF_DATABASE_URL" default:"${database}" help:"sqlite:PATH or postgres://…"`
}

// Run migrates once. It needs no setting but the database's.
func (c *migrateCommand) Run(w *daemon.Process) error {
	return server.Migrate(w.Context, c.DatabaseURL, w.Logger(slog.LevelInfo))
}

type rekeyCommand struct {
	DatabaseURL daemon.Secret `env:"WF_DATABASE_URL" default:"${database}" help:"sqlite:PATH or postgres://…"`
	EncKeys     daemon.Secret `env:"WF_ENC_KEYS" required:"" help:"The new key first, then those before it: ID:BASE64,…"`
}

// Run says how many endpoints had another key. The service may run meanwhile.
func (c *rekeyCommand) Run(w *daemon.Process) error {
	changed, err := server.Rekey(w.Context, c.DatabaseURL, c.EncKeys, w.Logger(slog.LevelInfo))
	if err == nil {
		_, err = fmt.Fprintf(w.Out, "%d endpoints re-encrypted\n", changed)
	}
	return err
}
