package engine

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/oplog"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Audit has the use cases of the audit trail of all clients, for admins.
type Audit struct{ *core }

// ListAudit lists the audit trail of all clients, the newest first, also of deleted ones.
func (g *Audit) ListAudit(
	ctx context.Context, by Caller, f registrar.AuditFilter, p registrar.Page,
) ([]registrar.AuditEvent, string, error) {
	if err := by.requireAdmin(); err != nil {
		return nil, "", err
	}
	return g.store.Audit(ctx, f, p)
}

// AuditFormat is the form of an export of the audit trail.
type AuditFormat string

const (
	AuditNDJSON AuditFormat = "ndjson" // one JSON object a line, and a last line with their number and SHA-256
	AuditCSV    AuditFormat = "csv"    // with a header; lists are separated by spaces
)

// MediaType returns the media type of the form.
func (f AuditFormat) MediaType() string {
	if f == AuditCSV {
		return "text/csv; charset=utf-8"
	}
	return "application/x-ndjson"
}

// ExportAudit writes the entries of one snapshot of the audit trail, the oldest first.
func (g *Audit) ExportAudit(ctx context.Context, by Caller, f registrar.AuditFilter, format AuditFormat, w io.Writer) (err error) {
	if err := by.requireAdmin(); err != nil {
		return err
	}
	events := 0
	if format == AuditCSV {
		events, err = g.exportCSV(ctx, f, w)
	} else {
		events, err = g.exportNDJSON(ctx, f, w)
	}
	g.log.LogAttrs(ctx, slog.LevelInfo, "audit export", slog.String("actor", oplog.Subject(by.Subject)), slog.Int("events", events),
		slog.Bool("whole", err == nil))
	return err
}

// auditEnd is the last line of an export as NDJSON. An export without it is incomplete.
type auditEnd struct {
	End struct {
		Events int    `json:"events"`
		SHA256 string `json:"sha256"` // of the lines before it
	} `json:"end"`
}

func (g *Audit) exportNDJSON(ctx context.Context, f registrar.AuditFilter, w io.Writer) (events int, err error) {
	sum := sha256.New()
	out := json.NewEncoder(io.MultiWriter(w, sum))
	out.SetEscapeHTML(false)
	err = g.store.ExportAudit(ctx, f, func(e registrar.AuditEvent) error {
		events++
		return out.Encode(e.Record())
	})
	if err != nil {
		return events, err
	}
	var end auditEnd
	end.End.Events, end.End.SHA256 = events, hex.EncodeToString(sum.Sum(nil))
	return events, json.NewEncoder(w).Encode(end)
}

func (g *Audit) exportCSV(ctx context.Context, f registrar.AuditFilter, w io.Writer) (events int, err error) {
	out := csv.NewWriter(w)
	err = out.Write([]string{
		"at", "clientId", "kind", "actor", "acting", "changed", "ignored", "flags", "reason", "providerCode", "providerClientId", "comment", "callId",
		"traceparent", "purged",
	})
	if err != nil {
		return 0, err
	}
	err = g.store.ExportAudit(ctx, f, func(e registrar.AuditEvent) error {
		events++
		var flags, acting []string
		for _, party := range e.Acting {
			acting = append(acting, party.Subject)
		}
		for _, flag := range e.Flags {
			flags = append(flags, string(flag))
		}
		cells := []string{
			e.Record().At.String(), e.ClientID, string(e.Type), e.Actor, strings.Join(acting, " "), strings.Join(e.Changed, " "), strings.Join(e.Ignored, " "), strings.Join(flags, " "),
			string(e.Reason), e.ProviderCode, e.ProviderClientID, e.Comment, e.CallID, e.Traceparent, strconv.FormatInt(e.Purged, 10),
		}
		for i := range cells {
			cells[i] = plainCell(cells[i])
		}
		return out.Write(cells)
	})
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return events, err
}

// plainCell marks a text that a spreadsheet would run as a formula.
func plainCell(text string) string {
	if text != "" && slices.Contains([]byte("=+-@\t\r"), text[0]) {
		return "'" + text
	}
	return text
}
