package admin

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// auditPage is the audit trail of all clients.
type auditPage struct {
	listPage[auditItem]
	Export string // query of the export
}

// auditItem is an entry in words.
type auditItem struct {
	registrar.AuditEvent
	Who, What string
	Changed   []string
	Why       string
	Client    string // page of the client; empty for none
}

// ShowAudit lists the audit trail by filter.
func ShowAudit(req *page.Request) error {
	events, next, err := req.Engine.Audit.ListAudit(req.R.Context(), req.By, auditFilter(req), pageOf(req))
	if err != nil {
		return err
	}
	items := make([]auditItem, len(events))
	for i, e := range events {
		item := auditItem{AuditEvent: e, Who: req.CallerName(e.Event), What: req.Label("event", e.Type)}
		for _, field := range e.Event.Changed {
			item.Changed = append(item.Changed, req.Label("field", field))
		}
		if e.Reason != "" {
			item.Why = req.Label("refused", e.Reason.General())
		}
		if e.ClientID != "" {
			item.Client = page.Root + "/clients/" + url.PathEscape(e.ClientID)
		}
		items[i] = item
	}
	query := req.R.URL.Query()
	kind := req.Input("choice", "kind", "audit.kind", query.Get("kind"), 0)
	for _, t := range registrar.EventPurged.Values() {
		kind.Options = append(kind.Options, form.Choice{Value: string(t), Title: req.Label("event", t),
			Chosen: query.Get("kind") == string(t)})
	}
	p := auditPage{listPage: newList(req, items, next,
		req.Input("text", "client", "audit.client", query.Get("client"), 0),
		req.Input("text", "actor", "audit.actor", query.Get("actor"), 0), kind,
		req.Input("date", "since", "audit.since", query.Get("since"), 0), req.Input("date", "until", "audit.until",
			query.Get("until"), 0))}
	query.Del("cursor")
	p.Export = query.Encode()
	return req.Show(http.StatusOK, "audit", req.T("admin.audit"), p)
}

// auditFilter reads the filter. Its days are those of the reader's time zone, the last one included.
func auditFilter(req *page.Request) registrar.AuditFilter {
	query := req.R.URL.Query()
	text := func(name string) string { return strings.TrimSpace(frame.Truncate(query.Get(name), 256)) }
	days := func(name string, more int) time.Time {
		at, err := time.ParseInLocation(time.DateOnly, query.Get(name), req.Zone)
		if err != nil {
			return time.Time{}
		}
		return at.AddDate(0, 0, more)
	}
	return registrar.AuditFilter{
		ClientID: text("client"), Actor: text("actor"), Type: registrar.EventType(text("kind")), Since: days("since", 0),
		Until: days("until", 1),
	}
}

// ExportAudit sends the audit trail as a file.
func ExportAudit(req *page.Request) error {
	format := engine.AuditFormat(req.R.URL.Query().Get("format"))
	if format != engine.AuditCSV {
		format = engine.AuditNDJSON
	}
	req.W.Header().Set("Content-Type", format.MediaType())
	req.W.Header().Set("Content-Disposition", `attachment; filename="audit.`+string(format)+`"`)
	err := req.Engine.Audit.ExportAudit(req.R.Context(), req.By, auditFilter(req), format, req.W)
	if err != nil { // an incomplete file must not look complete
		req.Logger.WarnContext(req.R.Context(), "audit export cut", "error", err.Error())
		panic(http.ErrAbortHandler)
	}
	return nil
}
