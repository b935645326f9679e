// Command wf runs the approval workflow service.
package main

import (
	"fmt"
	_ "time/tzdata" // conditions name time zones, and the image holds none

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/wf/internal/server"
)

// commands are what the program can do; kong prints their help.
type commands struct {
	Serve       serveCommand              `cmd:"" help:"Serve the API and run the workers."`
	Migrate     daemon.MigrateCommand     `cmd:"" envprefix:"WF_" help:"Bring the database schema up to date and exit."`
	Rekey       rekeyCommand              `cmd:"" envprefix:"WF_" help:"Encrypt the secrets of webhook endpoints with the first of WF_ENC_KEYS and exit."`
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
func (c *serveCommand) Run(w *daemon.Process, p daemon.Program) error {
	return server.Run(w.Context, c.Config, w.Logger(c.LogLevel), p.Welcome(w.Out, c.Settings))
}

type rekeyCommand struct {
	daemon.MigrateCommand
	EncKeys daemon.Secret `env:"ENC_KEYS" required:"" help:"The new key first, then those before it: ID:BASE64,…"`
}

// Run says how many endpoints had another key. The service may run meanwhile.
func (c *rekeyCommand) Run(w *daemon.Process, p daemon.Program) error {
	db, err := c.Open(w, p)
	if err != nil || db == nil {
		return err
	}
	defer db.Close()
	changed, err := server.Rekey(w.Context, db, c.EncKeys)
	if err == nil {
		_, err = fmt.Fprintf(w.Out, "%d endpoints re-encrypted\n", changed)
	}
	return err
}
