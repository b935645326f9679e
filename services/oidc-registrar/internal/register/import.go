package register

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/maphash"
	"io"
	"log/slog"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/strictjson"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Importer is the actor in events of the command.
const Importer = "system:import"

// An import is read and stored in parts, so that it takes the same memory however long it is.
const (
	importBatch = 1000
	importBytes = 4 << 20 // of lines in one part
	maxLine     = 256 << 10
)

// Importing says how an import is made.
type Importing struct {
	DryRun bool // change nothing, and say what would change

	// Refused is told of each line that is refused, in order. An error ends the import.
	Refused func(RefusedLine) error

	// Stored is told of the ids of clients that were brought in, or are here already, after
	// each part; may be nil.
	Stored func(ctx context.Context, ids []string) error
}

// RefusedLine says why a line of an import is not brought in.
type RefusedLine struct {
	Line     int    `json:"line" doc:"Number of the line, from 1."`
	ClientID string `json:"clientId,omitempty" doc:"Identifier of the client, if the line has a good one."`
	Message  string `json:"message" doc:"What is wrong with it."`
}

// Imported is what an import came to.
type Imported struct {
	Added     int `json:"added" doc:"Clients that were brought in."` // or would be
	Unchanged int `json:"unchanged" doc:"Lines of clients that are here already, just so."`
	Elsewhere int `json:"elsewhere" doc:"Lines of the provider side whose client is here already on the partner side, with the same id and key."`
	Refused   int `json:"refused" doc:"Lines that were not brought in."`
	Flagged   int `json:"flagged" doc:"Of those added, clients with something that a registration would be refused for."`
}

// importing is an import under way.
type importing struct {
	*Engine
	Importing
	by   Caller
	sum  Imported
	part []foundLine
	size int // bytes of the lines in part

	// Of a dry run, what the lines before would have brought in: hashes, so that it takes
	// little.
	seed      maphash.Seed
	ids, keys map[uint64]uint64
}

// foundLine is a line that was read, or why it could not be.
type foundLine struct {
	number int
	registrar.FoundClient
	id  string // that can be shown
	why error
}

// Import brings in clients that exist already, one on a line. A line that is refused does
// not stop the others. Each part of a thousand lines is stored in a transaction of its own.
// What is here already, just as the line says, is left alone, so an import that was stopped
// is started again. No line changes what is here, and the provider is told nothing.
//
// After an error the sums are of what was done until then.
func (g *Engine) Import(ctx context.Context, by Caller, o Importing, in io.Reader) (Imported, error) {
	i := &importing{Engine: g, Importing: o, by: by, seed: maphash.MakeSeed(), ids: map[uint64]uint64{}, keys: map[uint64]uint64{}}
	err := i.read(ctx, in)
	if err == nil {
		err = i.store(ctx)
	}
	g.measures.imported(i.sum, o.DryRun)
	g.log.InfoContext(ctx, "import", "actor", oplog.Subject(by.Subject), "dry_run", o.DryRun, "added", i.sum.Added, "unchanged", i.sum.Unchanged,
		"elsewhere", i.sum.Elsewhere, "refused", i.sum.Refused, "whole", err == nil)
	return i.sum, err
}

// read reads the lines.
func (i *importing) read(ctx context.Context, in io.Reader) error {
	lines, sum, ended := bufio.NewReaderSize(in, 64<<10), sha256.New(), false
	for number := 1; ; number++ {
		line, long, err := readLine(lines)
		if err != nil && err != io.EOF {
			return err
		}
		last := err == io.EOF
		if last && len(line) == 0 {
			return nil
		}
		text := bytes.TrimSpace(line)
		found := foundLine{number: number}
		switch {
		case long:
			found.why = badLine("is longer than %d bytes", maxLine)
		case ended && len(text) > 0:
			found.why = badLine("comes after the line that ends an export")
		case isEnd(text):
			ended = true
			found.why = checkEnd(text, number-1, sum)
		case len(text) > 0:
			found.id = idOf(text)
			found.FoundClient, found.why = i.found(text)
		}
		if found.why != nil || found.Client.ID != "" {
			if err := i.take(ctx, found, len(line)); err != nil {
				return err
			}
		}
		_, _ = sum.Write(line) // never fails
		if last {
			return nil
		}
	}
}

// readLine reads a line with its end. One that is too long is read to its end, and not kept.
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

// exportEnd is the last line of an export: without it an export is cut, and not whole.
type exportEnd struct {
	End struct {
		Clients int    `json:"clients"`
		SHA256  string `json:"sha256"` // of the lines before it
	} `json:"end"`
}

func isEnd(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"end":`)) }

// checkEnd holds the last line of an export to the lines before it.
func checkEnd(line []byte, lines int, sum hash.Hash) error {
	var end exportEnd
	if strictjson.Decode(line, strictjson.Default, &end) != nil || end.End.Clients != lines || end.End.SHA256 != hex.EncodeToString(sum.Sum(nil)) {
		return badLine("is the end of an export, and not of the lines before it: they have changed, or some are missing")
	}
	return nil
}

// badLine says what is wrong with a line as a whole.
func badLine(format string, args ...any) error {
	return registrar.Invalid{{Field: "line", Reason: registrar.InvalidRequest, Message: fmt.Sprintf(format, args...)}}
}

// found reads the client of a line.
func (i *importing) found(line []byte) (registrar.FoundClient, error) {
	f, err := i.Rules.Found(line)
	if err == nil && f.Record.AccessToken != "" && i.Keys.Empty() {
		err = registrar.Invalid{{Field: "registrationAccessToken", Reason: registrar.InvalidRequest, Message: "cannot be kept: REGISTRAR_ENC_KEYS is not set"}}
	}
	return f, err
}

// take adds a line to the part, and stores that when it is full.
func (i *importing) take(ctx context.Context, l foundLine, size int) error {
	i.part = append(i.part, l)
	if i.size += size; len(i.part) == importBatch || i.size >= importBytes {
		return i.store(ctx)
	}
	return nil
}

// refuse tells of a line that is refused.
func (i *importing) refuse(l foundLine) error {
	i.sum.Refused++
	return i.Refused(RefusedLine{l.number, l.id, registrar.MessageOf(l.why)})
}

// idOf is the id on a line that is refused, if it has one that can be shown.
func idOf(line []byte) string {
	var named struct {
		ClientID string `json:"clientId"`
	}
	if json.Unmarshal(line, &named) != nil || !registrar.PossibleID(named.ClientID) {
		return ""
	}
	return named.ClientID
}

// judged is what a part came to.
type judged struct {
	add     []store.Found
	sum     Imported
	here    []string
	refused []foundLine
}

// store stores the part, in one transaction, and begins a new one.
func (i *importing) store(ctx context.Context) error {
	if len(i.part) == 0 {
		return nil
	}
	var out judged
	var err error
	for range 3 {
		err = i.Engine.store.Do(ctx, func(tx *store.Tx) (err error) {
			if out, err = i.judge(tx); err != nil || i.DryRun || len(out.add) == 0 {
				return err
			}
			return tx.AddFound(out.add)
		})
		if !errors.Is(err, registrar.DuplicateClientID) { // else somebody was first, and the next look sees them
			break
		}
	}
	if err != nil {
		return fmt.Errorf("store lines %d to %d: %w", i.part[0].number, i.part[len(i.part)-1].number, err)
	}
	i.sum.Added, i.sum.Flagged = i.sum.Added+out.sum.Added, i.sum.Flagged+out.sum.Flagged
	i.sum.Unchanged, i.sum.Elsewhere = i.sum.Unchanged+out.sum.Unchanged, i.sum.Elsewhere+out.sum.Elsewhere
	if i.DryRun {
		i.remember(out.add)
	}
	i.part, i.size = i.part[:0], 0
	for _, l := range out.refused {
		if err := i.refuse(l); err != nil {
			return err
		}
	}
	if i.Stored != nil && !i.DryRun {
		return i.Stored(ctx, out.here)
	}
	return nil
}

// judge finds out what is to be done with each line of the part.
func (i *importing) judge(tx *store.Tx) (out judged, err error) {
	var clients []registrar.Client
	for _, l := range i.part {
		if l.why == nil {
			clients = append(clients, l.Client)
		}
	}
	around, err := tx.Around(clients)
	if err != nil {
		return out, err
	}
	for _, l := range i.part {
		var standing registrar.Standing
		if l.why == nil {
			standing, l.why = i.standing(around, l.FoundClient)
		}
		if l.why != nil {
			out.refused = append(out.refused, l)
			continue
		}
		out.here = append(out.here, l.Client.ID)
		switch standing {
		case registrar.StandingUnchanged:
			out.sum.Unchanged++
			continue
		case registrar.StandingElsewhere:
			out.sum.Elsewhere++
			continue
		}
		c := l.Import(i.by.Subject, tx.Now())
		f := store.Found{Client: c, Event: registrar.Event{
			ClientID: c.ID, Type: registrar.EventClientImported, Actor: i.by.Subject, At: tx.Now(), Flags: l.Flags, ProviderClientID: c.ProviderClientID,
		}}
		if l.Record != (registrar.ProviderRecord{}) {
			if f.Record, err = i.sealed(c.ID, l.Record); err != nil {
				return out, err
			}
		}
		out.add = append(out.add, f)
		out.sum.Added++
		if len(l.Flags) > 0 {
			out.sum.Flagged++
		}
		around.Clients[c.ID] = c // for the lines that follow
		for _, t := range c.HeldKeys(registrar.Update{}) {
			around.Keys[t] = c.ID
		}
	}
	return out, nil
}

// standing says what a line is, beside what is here and what lines before it bring in.
func (i *importing) standing(around store.Around, f registrar.FoundClient) (registrar.Standing, error) {
	c := f.Client
	if here, there := around.Clients[c.ID]; there {
		return f.Beside(here)
	}
	if i.DryRun {
		if earlier, there := i.ids[i.hash(c.ID)]; there {
			if earlier == i.whole(f) {
				return registrar.StandingUnchanged, nil
			}
			return "", registrar.Refuse(registrar.DuplicateClientID, "an earlier line has this clientId, and differs")
		}
	}
	for _, t := range c.HeldKeys(registrar.Update{}) {
		owner, taken := around.Keys[t]
		if _, before := i.keys[i.hash(t)]; before && !taken {
			owner, taken = "an earlier line", true
		}
		if taken && owner != c.ID {
			return "", registrar.Refuse(registrar.DuplicateKey, "publicKey is that of another client: %s", owner)
		}
	}
	if c.Door == registrar.PartnerDoor && !around.Partners[c.PartnerID] {
		return "", registrar.Refuse(registrar.PartnerNotFound, "partnerId: no partner %s in the catalogue", c.PartnerID)
	}
	if c.Door == registrar.PartnerDoor && !around.Policies[c.PolicyID] {
		return "", registrar.Refuse(registrar.PolicyNotFound, "policyId: no policy %s in the catalogue", c.PolicyID)
	}
	return registrar.StandingNew, nil
}

// remember keeps what a dry run would have brought in.
func (i *importing) remember(list []store.Found) {
	for _, f := range list {
		i.ids[i.hash(f.Client.ID)] = i.whole(registrar.FoundClient{Client: f.Client})
		for _, t := range f.Client.HeldKeys(registrar.Update{}) {
			i.keys[i.hash(t)] = 1
		}
	}
}

func (i *importing) hash(text string) uint64 { return maphash.String(i.seed, text) }

// whole is a hash of all of a client that makes it unchanged.
func (i *importing) whole(f registrar.FoundClient) uint64 {
	record := f.Client.Export(registrar.ProviderRecord{})
	record.CreatedBy, record.CreatedAt, record.UpdatedAt = "", nil, nil
	text, err := json.Marshal(record)
	if err != nil {
		return 0 // what was read can be written
	}
	return maphash.Bytes(i.seed, text)
}

// Export writes the clients that the provider has confirmed, one on a line, the oldest first,
// as they are at one moment, and then a line with how many they are. With secrets it has the
// registration access tokens too. It returns how many clients it has, and how many others
// there are, which have never been usable.
func (g *Engine) Export(ctx context.Context, by Caller, secrets bool, w io.Writer) (clients int, others int64, err error) {
	sum := sha256.New()
	out := json.NewEncoder(io.MultiWriter(w, sum))
	out.SetEscapeHTML(false)
	others, err = g.store.Export(ctx, func(c registrar.Client, kept store.Record) error {
		record := registrar.ProviderRecord{ClientID: kept.ProviderClientID, URI: kept.URI}
		if secrets {
			if record, err = g.opened(kept); err != nil {
				return fmt.Errorf("registration access token of client %s: %w", c.ID, err)
			}
		}
		clients++
		return out.Encode(c.Export(record))
	})
	if err == nil {
		var end exportEnd
		end.End.Clients, end.End.SHA256 = clients, hex.EncodeToString(sum.Sum(nil))
		err = json.NewEncoder(w).Encode(end)
	}
	g.log.LogAttrs(ctx, slog.LevelInfo, "export", slog.String("actor", oplog.Subject(by.Subject)), slog.Int("clients", clients),
		slog.Int64("others", others), slog.Bool("secrets", secrets), slog.Bool("whole", err == nil))
	return clients, others, err
}
