package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Moving is what oidc-registrar import and export have to know of the settings.
type Moving struct {
	Rules
	EncKeys daemon.Secret `env:"ENC_KEYS" help:"Keys that encrypt registration access tokens, where there are any: ID:BASE64,…"`
}

// core is the use cases without a provider.
func (m *Moving) core(db *sqldb.DB) (*register.Engine, error) {
	rules, err := m.rules()
	if err != nil {
		return nil, fmt.Errorf("%sID_REGEX: %w", prefix, err)
	}
	var keys seal.Keys
	if m.EncKeys != "" {
		if keys, err = seal.Parse(string(m.EncKeys)); err != nil {
			return nil, fmt.Errorf("%sENC_KEYS: %w", prefix, err)
		}
	}
	return register.New(register.Options{Store: store.New(db), Rules: rules, Keys: keys, Logger: db.Logger()}), nil
}

// operator is who runs a command.
var operator = register.Caller{Subject: register.Importer, Admin: true}

// Import brings in the clients of a file, or says in a dry run what it would, and tells out
// of each line that is refused. That there is one is an error, after all others were read.
func Import(ctx context.Context, db *sqldb.DB, m Moving, dryRun bool, in io.Reader, out io.Writer) (done string, err error) {
	core, err := m.core(db)
	if err != nil {
		return "", err
	}
	n, err := core.Import(ctx, operator, register.Importing{DryRun: dryRun, Refused: func(l register.RefusedLine) error {
		about := ""
		if l.ClientID != "" {
			about = "client " + l.ClientID + ": "
		}
		_, err := fmt.Fprintf(out, "line %d: %s%s\n", l.Line, about, l.Message)
		return err
	}}, in)
	if err == nil && n.Refused > 0 {
		err = fmt.Errorf("%d lines are refused", n.Refused)
	}
	sums := fmt.Sprintf("%d clients, %d of them flagged; %d are here already, %d on the partner side", n.Added, n.Flagged, n.Unchanged, n.Elsewhere)
	if dryRun {
		return "dry run, nothing was changed: would bring in " + sums + "; --no-dry-run brings them in", err
	}
	return "brought in " + sums, err
}

// Export writes all clients to a file that is not there yet, or to out if its name is -.
func Export(ctx context.Context, db *sqldb.DB, m Moving, secrets bool, file string, out io.Writer) (done string, err error) {
	core, err := m.core(db)
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
			return "there is no export", err
		}
		return done + " to " + file, nil
	}
	return export(ctx, core, secrets, out)
}

func export(ctx context.Context, core *register.Engine, secrets bool, out io.Writer) (done string, err error) {
	clients, others, err := core.Export(ctx, operator, secrets, out)
	done = fmt.Sprintf("exported %d clients", clients)
	if others > 0 {
		done += fmt.Sprintf(" (and not %d that the identity provider has not confirmed)", others)
	}
	return done, err
}
