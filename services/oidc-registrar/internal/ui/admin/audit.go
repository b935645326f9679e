package admin

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// ShowAudit lists the audit trail by filter.
func ShowAudit(req *page.Request) error {
	events, next, err := req.Engine.Audit.ListAudit(req.R.Context(), req.By, auditFilter(req), pageOf(req))
	if err != nil {
		return err
	}
	var kinds []form.Choice
	for _, t := range registrar.EventPurged.Values() {
		kinds = append(kinds, form.Choice{Value: string(t), Title: req.Label("event", t)})
	}
	p := frame.List{
		Search: req.Search("", len(events) > 0, req.Filter("text", "client", "audit.client"),
			req.Filter("text", "actor", "audit.actor"), req.Filter("choice", "kind", "audit.kind", kinds...),
			req.Filter("date", "since", "audit.since"), req.Filter("date", "until", "audit.until")),
		Table: frame.Table{Empty: req.T("audit.none"), Tall: true,
			Columns: req.Columns("stamp audit.when", "audit.actor", "main audit.kind", "audit.client")},
	}
	query := req.R.URL.Query()
	query.Del("cursor")
	p.Top = []frame.Part{{Kind: "file", Link: root + "/audit/export?" + query.Encode(), Text: "NDJSON"}}
	for _, e := range events {
		p.Table.Rows = append(p.Table.Rows, auditRow(req, e))
	}
	return showList(req, "admin.audit", next, p)
}

// auditRow returns an entry in words.
func auditRow(req *page.Request, e registrar.AuditEvent) frame.Row {
	what := req.Label("event", e.Type)
	if e.Purged > 0 {
		what += " (" + strconv.FormatInt(e.Purged, 10) + ")"
	}
	var changed []string
	for _, field := range e.Event.Changed {
		changed = append(changed, req.Label("field", field))
	}
	cell := frame.Cell{frame.Plain(what)}.When(changed != nil, frame.Soft(strings.Join(changed, ", ")))
	if e.Reason != "" {
		cell = append(cell, frame.Soft(req.Label("refused", e.Reason.General())))
	}
	client := frame.ID(e.ClientID)
	client.Link = page.ClientPath(e.ClientID)
	return frame.Row{Skip: true, Cells: []frame.Cell{
		{frame.Plain(req.ClockSeconds(e.At))}, {frame.Plain(req.CallerName(e.Event))},
		cell.When(e.Comment != "", frame.Quote(e.Comment)), frame.Cell{}.When(e.ClientID != "", client),
	}}
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
	req.W.Header().Set("Content-Type", "application/x-ndjson")
	req.W.Header().Set("Content-Disposition", `attachment; filename="audit.ndjson"`)
	err := req.Engine.Audit.ExportAudit(req.R.Context(), req.By, auditFilter(req), req.W)
	if err != nil { // an incomplete file must not look complete
		req.Logger.WarnContext(req.R.Context(), "audit export cut", "error", err.Error())
		panic(http.ErrAbortHandler)
	}
	return nil
}
