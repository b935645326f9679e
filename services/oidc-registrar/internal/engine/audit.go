package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"

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

// auditEnd is the last line of an export as NDJSON. An export without it is incomplete.
type auditEnd struct {
	End struct {
		Events int    `json:"events"`
		SHA256 string `json:"sha256"` // of the lines before it
	} `json:"end"`
}

// ExportAudit writes the entries of one snapshot of the audit trail as NDJSON, the oldest first.
func (g *Audit) ExportAudit(ctx context.Context, by Caller, f registrar.AuditFilter, w io.Writer) error {
	if err := by.requireAdmin(); err != nil {
		return err
	}
	sum, end := sha256.New(), auditEnd{}
	out := json.NewEncoder(io.MultiWriter(w, sum))
	out.SetEscapeHTML(false)
	err := g.store.ExportAudit(ctx, f, func(e registrar.AuditEvent) error {
		end.End.Events++
		return out.Encode(e.Record())
	})
	if err == nil {
		end.End.SHA256 = hex.EncodeToString(sum.Sum(nil))
		err = json.NewEncoder(w).Encode(end)
	}
	g.log.LogAttrs(ctx, slog.LevelInfo, "audit export", slog.String("actor", oplog.Subject(by.Subject)),
		slog.Int("events", end.End.Events), slog.Bool("whole", err == nil))
	return err
}
