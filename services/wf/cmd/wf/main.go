// Command wf runs the approval workflow service.
package main

import (
	"context"
	_ "time/tzdata" // time zones for conditions; the image contains none

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/internal/cli"
	"github.com/countersign/countersign/services/wf/internal/server"
)

// commands lists the commands of the program. kong prints their help.
type commands struct {
	Serve        serveCommand              `cmd:"" help:"Serve the API and run the workers."`
	Migrate      daemon.MigrateCommand     `cmd:"" envprefix:"WF_" help:"Bring the database schema up to date and exit."`
	Rekey        rekeyCommand              `cmd:"" envprefix:"WF_" help:"Encrypt the secrets of webhook endpoints with the first of WF_ENC_KEYS and exit."`
	Purge        purgeCommand              `cmd:"" envprefix:"WF_" set:"timeout=24h" help:"Delete objects older than the retention, or count them, and exit."`
	ErasePerson  erasePersonCommand        `cmd:"" name:"erase-person" envprefix:"WF_" set:"timeout=24h" help:"Take the names and the address of a person out of every row, or count the rows, and exit."`
	Backup       daemon.BackupCommand      `cmd:"" envprefix:"WF_" set:"timeout=24h" help:"Copy a SQLite database into a file, while the service may run, and exit."`
	Token        daemon.TokenCommand       `cmd:"" envprefix:"WF_" help:"Print a token of the development issuer."`
	JWKS         daemon.JWKSCommand        `cmd:"" name:"jwks" envprefix:"WF_" help:"Print the public key of the development issuer as a JWK Set."`
	Check        checkCommand              `cmd:"" group:"For operators:" help:"Check the configuration, database, issuer, directory and mail server, a line each. Exits 1 on a failure."`
	Receipt      receiptCommand            `cmd:"" help:"Verify a receipt of an approval, or distrust a key of receipts."`
	Healthcheck  daemon.HealthcheckCommand `cmd:"" envprefix:"WF_" help:"Exit 0 when the service at --listen is ready."`
	PrintVersion daemon.VersionCommand     `cmd:"" name:"version" help:"Print the version."`
	cli.Commands
	cli.Authors
	cli.Operators
	Version kong.VersionFlag `help:"Print the version."`
}

func main() { server.Program().Main(&commands{}) }

type serveCommand struct {
	server.Config
}

// Run serves until the process receives a signal to stop.
func (c *serveCommand) Run(w *daemon.Process, p daemon.Program) error {
	return server.Run(w.Context, c.Config, w.Logger(c.Dev), p.ExampleCall(w.Out, c.Settings))
}

type checkCommand struct {
	server.Config
}

// Run tests the connections of the settings of serve. The service may run meanwhile.
func (c *checkCommand) Run(w *daemon.Process) error {
	return server.Diagnose(w.Context, c.Config, w.Out)
}

type rekeyCommand struct{ daemon.RekeyCommand }

// Run re-encrypts the endpoint secrets and returns the number of changed endpoints. The service may
// run meanwhile.
func (c *rekeyCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Rekey(w, p, server.Rekey)
}

// receiptCommand has the commands on receipts.
type receiptCommand struct {
	Verify   cli.VerifyReceipt `cmd:"" help:"Verify a receipt without the service. Exits 0 if it is valid, 2 if not, and 1 on an error."`
	Distrust distrustCommand   `cmd:"" envprefix:"WF_" help:"Remove a key from the JWK Set, so that its receipts are no longer valid, and exit."`
}

type distrustCommand struct {
	daemon.DatabaseCommand
	ID string `arg:"" help:"Id of a key in WF_RECEIPT_KEYS."`
}

// Run distrusts a key. On PostgreSQL it requires the owner of the tables. The service may run meanwhile.
func (c *distrustCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return server.DistrustKey(ctx, db, c.ID)
	})
}

type purgeCommand struct {
	daemon.DatabaseCommand
	server.Retention
	DryRun bool `default:"true" negatable:"" help:"Count the objects that are old enough, and delete nothing. --no-dry-run deletes."`
}

// Run purges or counts objects and prints the numbers by kind. On PostgreSQL it requires the owner
// of the tables. The service may run meanwhile.
func (c *purgeCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return server.Purge(ctx, db, c.Retention, c.DryRun)
	})
}

type erasePersonCommand struct {
	daemon.DatabaseCommand
	ID     string `arg:"" help:"The id of the person, as in their token. It stays."`
	DryRun bool   `default:"true" negatable:"" help:"Count the rows with names, and change nothing. --no-dry-run erases."`
}

// Run erases or counts names and prints the numbers of rows.
func (c *erasePersonCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return server.Erase(ctx, db, c.ID, c.DryRun)
	})
}
