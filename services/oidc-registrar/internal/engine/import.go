package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Importer is the actor of the command's events.
const Importer = "system:import"

// An import is read and stored in parts, so its memory does not depend on its length.
const (
	importBatch = 1000
	importBytes = 4 << 20 // of lines in one part
	maxLine     = 256 << 10
)

// Importing holds the options of an import.
type Importing struct {
	DryRun bool // count and refuse without changes; lines of different parts are not compared

	// Refused is called for each refused line, in order. An error ends the import.
	Refused func(RefusedLine) error
}

// RefusedLine is a refused line of an import with its reason.
type RefusedLine struct {
	Line     int    `json:"line" doc:"Number of the line, from 1."`
	ClientID string `json:"clientId,omitempty" doc:"Identifier of the client, if the line has a good one."`
	Message  string `json:"message" doc:"What is wrong with it."`
}

// Imported is the result of an import.
type Imported struct {
	Added     int `json:"added" doc:"Imported clients."` // or would be
	Unchanged int `json:"unchanged" doc:"Lines that equal a stored client."`
	Elsewhere int `json:"elsewhere" doc:"Lines of the provider API whose client exists in the partner API with the same id and key."`
	Refused   int `json:"refused" doc:"Refused lines."`
	Flagged   int `json:"flagged" doc:"Of those added, clients with something that a registration would be refused for."`
}

// importing is an import in progress.
type importing struct {
	*core
	Importing
	by   Caller
	sum  Imported
	part []foundLine
	size int // bytes of the lines in part
}

// foundLine is a parsed line, or the reason that it could not be parsed.
type foundLine struct {
	number int
	registrar.ImportedClient
	id  string // printable
	why error
}

// Transfer has the use cases of the import and the export of clients.
type Transfer struct{ *core }

// Import imports existing clients, one on a line. A refused line does not stop the others. Each
// part of a thousand lines is stored in its own transaction. Clients that exist unchanged are
// skipped, so a stopped import can be repeated. An import never changes an existing client and does
// not call the provider.
//
// After an error the counts cover the lines until then.
func (g *Transfer) Import(ctx context.Context, by Caller, o Importing, in io.Reader) (Imported, error) {
	i := &importing{core: g.core, Importing: o, by: by}
	err := i.read(ctx, in)
	if err == nil {
		err = i.store(ctx)
	}
	g.measures.countImport(i.sum, o.DryRun)
	g.log.InfoContext(ctx, "import", "actor", oplog.Subject(by.Subject), "dry_run", o.DryRun, "added", i.sum.Added, "unchanged", i.sum.Unchanged,
		"elsewhere", i.sum.Elsewhere, "refused", i.sum.Refused, "whole", err == nil)
	return i.sum, err
}

// read parses the lines.
func (i *importing) read(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for number := 1; ; number++ {
		line, long, err := readLine(lines)
		if err != nil && err != io.EOF {
			return err
		}
		found := foundLine{number: number}
		if text := bytes.TrimSpace(line); long {
			found.why = refusal.At(registrar.InvalidRequest, "/line", "is longer than %d bytes", maxLine)
		} else if len(text) > 0 {
			found.id = idOf(text)
			found.ImportedClient, found.why = i.parse(text)
		}
		if found.why != nil || found.Client.ID != "" {
			if err := i.add(ctx, found, len(line)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// readLine reads a line with its end. It discards a line that is too long.
func readLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = line[:0]
			if err != bufio.ErrBufferFull {
				return []byte{'\n'}, true, err
			}
			continue
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, false, err
		}
	}
}

// parse parses the client of a line.
func (i *importing) parse(line []byte) (registrar.ImportedClient, error) {
	f, err := i.Rules.ParseImported(line)
	if err == nil && f.Record.AccessToken != "" && i.Keys.IsEmpty() {
		err = refusal.At(registrar.InvalidRequest, "/registrationAccessToken", "cannot be kept: REGISTRAR_ENC_KEYS is not set")
	}
	return f, err
}

// add adds a line to the part and stores the part when it is full.
func (i *importing) add(ctx context.Context, l foundLine, size int) error {
	i.part = append(i.part, l)
	if i.size += size; len(i.part) == importBatch || i.size >= importBytes {
		return i.store(ctx)
	}
	return nil
}

// refuse reports a refused line.
func (i *importing) refuse(l foundLine) error {
	i.sum.Refused++
	return i.Refused(RefusedLine{l.number, l.id, registrar.Describe(l.why)})
}

// idOf returns the id on a refused line if it is valid, or an empty string.
func idOf(line []byte) string {
	var named struct {
		ClientID string `json:"clientId"`
	}
	if json.Unmarshal(line, &named) != nil || !registrar.PossibleID(named.ClientID) {
		return ""
	}
	return named.ClientID
}

// partResult is the result of a part.
type partResult struct {
	add     []store.Imported
	sum     Imported
	refused []foundLine
}

// store stores the part in one transaction and begins a new one.
func (i *importing) store(ctx context.Context) error {
	if len(i.part) == 0 {
		return nil
	}
	var out partResult
	var err error
	for range 3 {
		err = i.core.store.Do(ctx, func(tx *store.Tx) (err error) {
			if out, err = i.compareLines(tx); err != nil || i.DryRun || len(out.add) == 0 {
				return err
			}
			return tx.AddImported(out.add)
		})
		if !errors.Is(err, registrar.DuplicateClientID) { // otherwise a concurrent registration was first, and the next attempt reads it
			break
		}
	}
	if err != nil {
		return fmt.Errorf("store lines %d to %d: %w", i.part[0].number, i.part[len(i.part)-1].number, err)
	}
	i.sum.Added, i.sum.Flagged = i.sum.Added+out.sum.Added, i.sum.Flagged+out.sum.Flagged
	i.sum.Unchanged, i.sum.Elsewhere = i.sum.Unchanged+out.sum.Unchanged, i.sum.Elsewhere+out.sum.Elsewhere
	i.part, i.size = i.part[:0], 0
	for _, l := range out.refused {
		if err := i.refuse(l); err != nil {
			return err
		}
	}
	return nil
}

// compareLines decides on each line of the part.
func (i *importing) compareLines(tx *store.Tx) (out partResult, err error) {
	var clients []registrar.Client
	for _, l := range i.part {
		if l.why == nil {
			clients = append(clients, l.Client)
		}
	}
	around, err := tx.ImportState(clients)
	if err != nil {
		return out, err
	}
	for _, l := range i.part {
		var comparison registrar.ImportResult
		if l.why == nil {
			comparison, l.why = compareLine(around, l.ImportedClient)
		}
		if l.why != nil {
			out.refused = append(out.refused, l)
			continue
		}
		switch comparison {
		case registrar.ImportUnchanged:
			out.sum.Unchanged++
			continue
		case registrar.ImportElsewhere:
			out.sum.Elsewhere++
			continue
		}
		c := l.Import(i.by.Subject, tx.Now())
		f := store.Imported{Client: c, Event: registrar.Event{
			ClientID: c.ID, Type: registrar.EventClientImported, Actor: i.by.Subject, At: tx.Now(), Flags: l.Flags, ProviderClientID: c.ProviderClientID,
		}}
		if l.Record != (registrar.ProviderRecord{}) {
			if f.Record, err = i.sealRecord(c.ID, l.Record); err != nil {
				return out, err
			}
		}
		out.add = append(out.add, f)
		out.sum.Added++
		if len(l.Flags) > 0 {
			out.sum.Flagged++
		}
		around.Clients[c.ID] = c // for later lines
		for _, t := range c.ReservedKeys(registrar.Update{}) {
			around.Keys[t] = c.ID
		}
	}
	return out, nil
}

// compareLine compares a line with the stored clients and with earlier lines of the part.
func compareLine(around store.ImportState, f registrar.ImportedClient) (registrar.ImportResult, error) {
	c := f.Client
	if here, there := around.Clients[c.ID]; there {
		return f.CompareImported(here)
	}
	for _, t := range c.ReservedKeys(registrar.Update{}) {
		if owner, taken := around.Keys[t]; taken && owner != c.ID {
			return "", refusal.New(registrar.DuplicateKey, "publicKey is that of another client: %s", owner)
		}
	}
	if c.API == registrar.PartnerAPI && !around.Partners[c.PartnerID] {
		return "", refusal.New(registrar.PartnerNotFound, "partnerId: no partner %s in the catalogue", c.PartnerID)
	}
	if c.API == registrar.PartnerAPI && !around.Policies[c.PolicyID] {
		return "", refusal.New(registrar.PolicyNotFound, "policyId: no policy %s in the catalogue", c.PolicyID)
	}
	return registrar.ImportNew, nil
}

// Export writes the confirmed clients from one snapshot, one on a line, the oldest first. With secrets it
// includes the registration access tokens. It returns the number of clients and of the others, which were
// never usable.
func (g *Transfer) Export(ctx context.Context, by Caller, secrets bool, w io.Writer) (clients int, others int64, err error) {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	others, err = g.store.Export(ctx, func(c registrar.Client, kept store.Record) error {
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
		slog.Int64("others", others), slog.Bool("secrets", secrets), slog.Bool("whole", err == nil))
	return clients, others, err
}
