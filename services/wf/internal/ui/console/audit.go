package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/trail"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// verifyTime is the time limit of a verification on a page.
const verifyTime = 8 * time.Second

// auditFilter reads the filter of the list, and returns its field for the actor.
func auditFilter(req *page.Request) (wf.AuditFilter, form.Input) {
	query := req.R.URL.Query()
	actor, actorID := req.UserFilter("actor", "audit.actor")
	return wf.AuditFilter{
		Types: optionalFilter[audit.EventType](query, "type"), Actor: actorID, RequestID: query.Get("request"),
		Outcome:      wf.EventOutcome(query.Get("outcome")),
		CreatedAfter: dayOf(req, "after"), CreatedBefore: dayOf(req, "before"),
	}, actor
}

// ExportAudit sends the events of the filter as a file.
func ExportAudit(req *page.Request) error {
	h := req.W.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Content-Disposition", `attachment; filename="trail.ndjson"`)
	ctx := req.R.Context()
	filter, _ := auditFilter(req)
	err := trail.WriteAll(req.W, func(write func([]wf.StoredEvent) error) error {
		return req.Engine.Audit.ExportEvents(ctx, filter, write)
	})
	if err != nil { // an incomplete file must not look complete
		req.Logger.WarnContext(ctx, "audit export cut", "error", err.Error())
		panic(http.ErrAbortHandler)
	}
	return nil
}

// ShowAudit lists audit events. Successive checkpoints are one row.
func ShowAudit(req *page.Request) error {
	query := req.R.URL.Query()
	filter, actor := auditFilter(req)
	list, next, err := req.Engine.Audit.ListAudit(req.R.Context(), filter, pageOf(req))
	if err != nil {
		return err
	}
	var types []form.Choice
	for _, t := range slices.Sorted(slices.Values(audit.AllEventTypes)) {
		types = append(types, form.Choice{Value: string(t), Title: req.EventName(t)})
	}
	p := frame.List{
		Search: req.Search("", len(list) > 0, req.Filter("choice", "type", "console.event", types...), actor,
			req.Filter("text", "request", "audit.request"),
			req.Filter("choice", "outcome", "audit.outcome", page.Choices(req, "audit", "success", "denied")...),
			req.Filter("date", "after", "console.after"), req.Filter("date", "before", "console.before")),
		Table: frame.Table{Columns: req.Columns("stamp audit.when", "audit.actor", "main audit.what", "audit.about")},
	}
	query.Del("cursor")
	p.Top = append(p.Top, frame.Part{Kind: "file", Link: req.R.URL.Path + "/export?" + query.Encode(),
		Text: req.T("audit.export")})
	query.Set("verify", "yes")
	p.Top = append(p.Top, frame.Part{Kind: "action", Link: req.R.URL.Path + "?" + query.Encode(),
		Text: req.T("audit.verify")})
	p.Table.Rows = auditRows(req, page.Named(req, list))
	if query = req.R.URL.Query(); query.Has("verify") {
		if p.Result, p.Bad, err = verifyChains(req, filter.RequestID); err != nil {
			return err
		}
	}
	return showList(req, "console.audit", next, p)
}

// auditRows returns events as sentences.
func auditRows(req *page.Request, list []wf.AuditEvent) (rows []frame.Row) {
	for i := 0; i < len(list); i++ {
		e, first := list[i], i
		for e.Type == audit.EventAuditCheckpoint && i+1 < len(list) && list[i+1].Type == e.Type {
			i++
		}
		line, _ := req.EventLine(wf.Case{}, e.Event)
		what := frame.Plain(line.Text)
		if n := i - first + 1; n > 1 {
			what.Text = req.N("audit.checkpoints", n)
		}
		what.Title = string(e.Type)
		hash := strings.HasPrefix(e.Reason, "sha256:")
		rows = append(rows, frame.Row{Cells: []frame.Cell{
			{frame.Plain(req.ClockSeconds(e.At.Time))}, {frame.Plain(req.Actor(e.Actor))},
			frame.Cell{what}.When(e.Outcome == wf.OutcomeDenied, frame.Mark("late", req.T("audit.denied"))).
				When(hash, frame.ID(e.Reason)).When(e.Reason != "" && !hash, frame.Quote(e.Reason)),
			aboutCell(req, e),
		}})
	}
	return rows
}

// aboutCell returns the resource of an event.
func aboutCell(req *page.Request, e wf.AuditEvent) frame.Cell {
	if e.RequestID != "" {
		title := req.T("delivery.request")
		if r := e.Request; r != nil {
			title = cmp.Or(r.Title, r.ArtifactID, r.PolicyKey)
		}
		return frame.Cell{frame.LinkTo(page.Root+"/requests/"+e.RequestID, title)}
	}
	text := string(e.Resource.Type) + " " + cmp.Or(e.Resource.Name, e.Resource.ID)
	if e.Resource.Version > 0 {
		text += " " + strconv.Itoa(e.Resource.Version)
	}
	return frame.Cell{frame.Plain(text)}
}

// verifyChains verifies the chain of a request, or all chains. It returns the result in words.
func verifyChains(req *page.Request, request string) (result []frame.Part, isBad bool, err error) {
	ctx, stop := context.WithTimeout(req.R.Context(), max(verifyTime, req.Patience))
	defer stop()
	var bad []frame.Part
	events, chains := int64(0), int64(1)
	if request != "" {
		var found audit.BadChain
		if found, events, err = req.Engine.Audit.VerifyEvents(ctx, request); found.FirstBad > 0 {
			bad = append(bad, frame.ID(request))
		}
	} else {
		found, failed := req.Engine.Audit.VerifyAll(ctx)
		events, chains, err = found.Events, found.Chains, failed
		for _, one := range found.Bad {
			bad = append(bad, frame.ID(one.Chain))
		}
	}
	switch {
	case request == "" && err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return []frame.Part{frame.Plain(req.T("audit.late"))}, false, nil
	case len(bad) > 0:
		return append([]frame.Part{frame.Plain(req.T("audit.bad"))}, bad...), true, err
	}
	return []frame.Part{frame.Plain("✓ " + req.T("audit.good", events, chains))}, false, err
}
