package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Moving holds the settings of the commands that import, export and compare clients.
type Moving struct {
	Rules
	Provider
	daemon.OutboundSettings
	EncKeys daemon.Secret `env:"ENC_KEYS" help:"Keys that encrypt registration access tokens: ID:BASE64,…"`
	DataDir string        `default:".data" help:"Directory of the keys of serve --dev."`
}

// core returns the engine on a database.
func (m *Moving) core(db *sqldb.DB, dev bool) (*engine.Engine, error) {
	c := Config{Rules: m.Rules, Provider: m.Provider, EncKeys: m.EncKeys, Settings: daemon.Settings{
		Prefix: prefix, Dev: dev, DataDir: m.DataDir, OutboundSettings: m.OutboundSettings,
	}}
	o, err := c.core(db.Logger(), nil)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	o.Store = store.New(db)
	return engine.New(o), nil
}

// operator is the caller of a command.
var operator = engine.Caller{Subject: engine.Importer, Admin: true}

// Import imports the clients of a file and writes each refused line to out. A dry run changes
// nothing. After the last line, refused lines result in an error.
func Import(ctx context.Context, db *sqldb.DB, m Moving, dev, dryRun bool, in io.Reader, out io.Writer) (done string, err error) {
	core, err := m.core(db, dev)
	if err != nil {
		return "", err
	}
	o := engine.Importing{DryRun: dryRun, Refused: func(l engine.RefusedLine) error {
		_, err := fmt.Fprintf(out, "line %d: %s\n", l.Line, l.Message)
		return err
	}}
	n, err := core.Transfer.Import(ctx, operator, o, in)
	if err == nil && n.Refused > 0 {
		err = fmt.Errorf("%d lines refused", n.Refused)
	}
	sums := fmt.Sprintf("%d clients, %d flagged; unchanged: %d", n.Added, n.Flagged, n.Unchanged)
	if dryRun {
		return "dry run: would import " + sums + "; --no-dry-run imports them", err
	}
	return "imported " + sums, err
}

// Export writes all clients to a new file, or to out if its name is -.
func Export(ctx context.Context, db *sqldb.DB, m Moving, dev, secrets bool, file string, out io.Writer) (done string, err error) {
	core, err := m.core(db, dev)
	if err != nil {
		return "", err
	}
	if file != "-" {
		created, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // #nosec G304 -- the operator names it
		if err != nil {
			return "", err
		}
		defer func() { _ = created.Close() }()
		done, err = export(ctx, core, secrets, created)
		if err = errors.Join(err, created.Sync()); err != nil {
			_ = os.Remove(file)
			return "no export was written", err
		}
		return done + " to " + file, nil
	}
	return export(ctx, core, secrets, out)
}

func export(ctx context.Context, core *engine.Engine, secrets bool, out io.Writer) (done string, err error) {
	clients, err := core.Transfer.Export(ctx, operator, secrets, out)
	return fmt.Sprintf("exported %d clients", clients), err
}
