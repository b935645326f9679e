package engine

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Importer is the actor of the command's events.
const Importer = "system:import"

const (
	importBatch = 1000      // lines in one transaction
	maxLine     = 256 << 10 // bytes
)

// Importing holds the options of an import.
type Importing struct {
	DryRun bool // count and refuse without changes; lines of different transactions are not compared

	// Refused is called for each refused line, in order. An error ends the import.
	Refused func(RefusedLine) error
}

// RefusedLine is a refused line of an import with its reason.
type RefusedLine struct {
	Line    int    `json:"line" doc:"Number of the line, from 1."`
	Message string `json:"message" doc:"What is wrong with it."`
}

// Imported is the result of an import.
type Imported struct {
	Added     int `json:"added" doc:"Imported clients."` // or would be
	Unchanged int `json:"unchanged" doc:"Lines whose client exists, equal or in the partner API with the same id and key."`
	Refused   int `json:"refused" doc:"Refused lines."`
	Flagged   int `json:"flagged" doc:"Of those added, clients with something that a registration would be refused for."`
}

// Transfer has the use cases of the import and the export of clients.
type Transfer struct{ *core }

// Import imports existing clients, one on a line. A refused line does not stop the others; one over maxLine does.
// Clients that exist unchanged are skipped, so a stopped import can be repeated. An import never changes an existing
// client and does not call the provider.
//
// After an error the counts cover the transactions until then.
func (g *Transfer) Import(ctx context.Context, by Caller, o Importing, in io.Reader) (sum Imported, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	number := 0
	var part []importedLine
	for err == nil && lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		f, wrong := g.parseLine(line)
		if part = append(part, importedLine{f, number, wrong}); len(part) == importBatch {
			err, part = g.importPart(ctx, by, o, &sum, part), nil
		}
	}
	if err == nil && errors.Is(lines.Err(), bufio.ErrTooLong) {
		err = refusal.New(registrar.InvalidRequest, "line %d is longer than %d bytes", number+1, maxLine)
	}
	if err = cmp.Or(err, lines.Err()); err == nil {
		err = g.importPart(ctx, by, o, &sum, part)
	}
	g.log.InfoContext(ctx, "import", "actor", oplog.Subject(by.Subject), "dry_run", o.DryRun, "added", sum.Added,
		"unchanged", sum.Unchanged, "refused", sum.Refused, "whole", err == nil)
	return sum, err
}

// importedLine is a parsed line, or the reason that it could not be parsed.
type importedLine struct {
	registrar.ImportedClient
	number int
	wrong  error
}

// parseLine parses the client of a line.
func (g *Transfer) parseLine(line []byte) (registrar.ImportedClient, error) {
	f, err := g.Rules.ParseImported(line)
	if err == nil && f.Record.AccessToken != "" && g.Keys.IsEmpty() {
		err = refusal.At(registrar.InvalidRequest, "/registrationAccessToken",
			"cannot be kept: REGISTRAR_ENC_KEYS is not set")
	}
	return f, err
}

// errDryRun rolls a transaction back.
var errDryRun = errors.New("dry run")

// importTries is the number of attempts to store lines while other transactions store the same clients.
const importTries = 10

// importPart imports lines in one transaction, in the order of their ids: another import waits, and does not deadlock.
func (g *Transfer) importPart(ctx context.Context, by Caller, o Importing, sum *Imported, lines []importedLine) error {
	var part Imported
	var refused []RefusedLine
	ordered := slices.Clone(lines)
	slices.SortStableFunc(ordered, func(a, b importedLine) int { return cmp.Compare(a.Client.ID, b.Client.ID) })
	err := errConcurrent
	for try := 0; try < importTries && (errors.Is(err, errConcurrent) || errors.Is(err, store.ErrBusy)); try++ {
		err = g.store.Do(ctx, func(tx *store.Tx) error {
			part, refused = Imported{}, nil
			for _, l := range ordered {
				wrong := l.wrong
				if wrong == nil {
					wrong = g.importClient(tx, by, l.ImportedClient, &part)
				}
				if one, ok := errors.AsType[*refusal.Error](wrong); ok && !errors.Is(wrong, errConcurrent) {
					refused = append(refused, RefusedLine{l.number, registrar.Describe(one)})
				} else if wrong != nil {
					return fmt.Errorf("store line %d: %w", l.number, wrong)
				}
			}
			if o.DryRun {
				return errDryRun
			}
			return nil
		})
	}
	if err != nil && !errors.Is(err, errDryRun) {
		return err
	}
	slices.SortFunc(refused, func(a, b RefusedLine) int { return cmp.Compare(a.Line, b.Line) })
	sum.Added, sum.Unchanged, sum.Flagged = sum.Added+part.Added, sum.Unchanged+part.Unchanged, sum.Flagged+part.Flagged
	for _, l := range refused {
		sum.Refused++
		if err := o.Refused(l); err != nil {
			return err
		}
	}
	return nil
}

// importClient stores a client, unless it exists.
func (g *Transfer) importClient(tx *store.Tx, by Caller, f registrar.ImportedClient, sum *Imported) error {
	c := f.Import(by.Subject, tx.Now())
	found, err := tx.Conflicts(c)
	if err != nil {
		return err
	}
	for _, here := range found.Existing {
		if here.ID != c.ID {
			return refusal.New(registrar.DuplicateKey, "publicKey is that of another client: %s", here.ID)
		}
	}
	switch {
	case len(found.Existing) > 0:
		if err = f.CompareImported(found.Existing[0]); err == nil {
			sum.Unchanged++
		}
		return err
	case c.API == registrar.PartnerAPI && found.Partner == nil:
		return refusal.New(registrar.PartnerNotFound, "partnerId: no partner %s in the catalogue", c.PartnerID)
	case c.API == registrar.PartnerAPI && found.Policy == nil:
		return refusal.New(registrar.PolicyNotFound, "policyId: no policy %s in the catalogue", c.PolicyID)
	}
	event := registrar.Event{
		ClientID: c.ID, Type: registrar.EventClientImported, Actor: by.Subject, Flags: f.Flags,
		ProviderClientID: c.ProviderClientID,
	}
	err = tx.AddImported(c, event)
	if errors.Is(err, registrar.DuplicateClientID) || errors.Is(err, registrar.DuplicateKey) {
		return fmt.Errorf("%w: %w", errConcurrent, err)
	}
	if sum.Added++; len(f.Flags) > 0 {
		sum.Flagged++
	}
	if err != nil || f.Record == (registrar.ProviderRecord{}) {
		return err
	}
	record, err := g.sealRecord(c.ID, f.Record)
	if err != nil {
		return err
	}
	return tx.PutRecord(record)
}

// Export writes the confirmed clients from one snapshot, one on a line, the oldest first. With secrets it
// includes the registration access tokens. It returns the number of clients.
func (g *Transfer) Export(ctx context.Context, by Caller, secrets bool, w io.Writer) (clients int, err error) {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	err = g.store.Export(ctx, func(c registrar.Client, kept store.Record) error {
		record := registrar.ProviderRecord{ClientID: kept.ProviderClientID, URI: kept.URI}
		if secrets {
			if record, err = g.openRecord(kept); err != nil {
				return fmt.Errorf("registration access token of client %s: %w", c.ID, err)
			}
		}
		clients++
		return out.Encode(c.Export(record))
	})
	g.log.LogAttrs(ctx, slog.LevelInfo, "export", slog.String("actor", oplog.Subject(by.Subject)), slog.Int("clients", clients),
		slog.Bool("secrets", secrets), slog.Bool("whole", err == nil))
	return clients, err
}
