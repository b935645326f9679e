package console

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/trail"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// auditPage is the audit trail with the result of a verification.
type auditPage struct {
	consolePage[auditItem]
	Types    []audit.EventType
	Verified *verified
}

// auditItem is an audit event as a sentence.
type auditItem struct {
	wf.AuditEvent
	Text string
}

// HasHash reports whether the reason of the event is a hash rather than a text.
func (i auditItem) HasHash() bool { return strings.HasPrefix(i.Reason, "sha256:") }

// verified is the result of a verification.
type verified struct {
	Events, Chains int64
	Bad            []string
	Late           bool // the verification timed out
}

// verifyTime is the time limit of a verification on a page.
const verifyTime = 8 * time.Second

// auditFilter reads the filter of the list.
func auditFilter(req *page.Request) wf.AuditFilter {
	query := req.R.URL.Query()
	return wf.AuditFilter{
		Types: optionalFilter[audit.EventType](query, "type"), Actor: frame.Truncate(query.Get("actor"), 255),
		RequestID:    query.Get("request"),
		ResourceType: wf.ResourceType(frame.Truncate(query.Get("resource"), 64)),
		Outcome:      wf.EventOutcome(query.Get("outcome")), CreatedAfter: dayOf(req, "after"),
		CreatedBefore: dayOf(req, "before"),
	}
}

// ExportAudit sends the events of the filter as a file.
func ExportAudit(req *page.Request) error {
	h := req.W.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Content-Disposition", `attachment; filename="trail.ndjson"`)
	ctx := req.R.Context()
	err := trail.WriteAll(req.W, func(write func([]wf.StoredEvent) error) error {
		return req.Engine.Audit.ExportEvents(ctx, auditFilter(req), write)
	})
	if err != nil { // an incomplete file must not look complete
		req.Logger.WarnContext(ctx, "audit export cut", "error", err.Error())
		panic(http.ErrAbortHandler)
	}
	return nil
}

// ShowAudit lists audit events.
func ShowAudit(req *page.Request) error {
	query, filter := req.R.URL.Query(), auditFilter(req)
	list, next, err := req.Engine.Audit.ListAudit(req.R.Context(), filter, pageOf(req))
	if err != nil {
		return err
	}
	items := make([]auditItem, len(list))
	for i, e := range list {
		line, _ := req.EventLine(wf.Request{}, e.Event)
		items[i] = auditItem{e, line.Text}
	}
	p := auditPage{consolePage: listPage(req, items, next), Types: slices.Sorted(slices.Values(audit.AllEventTypes))}
	if query.Has("verify") {
		if p.Verified, err = verifyChains(req, filter.RequestID); err != nil {
			return err
		}
	}
	return req.Show(http.StatusOK, "console-audit", req.T("console.audit"), p)
}

// verifyChains verifies the chain of a request, or all chains.
func verifyChains(req *page.Request, request string) (*verified, error) {
	ctx, stop := context.WithTimeout(req.R.Context(), max(verifyTime, req.Patience))
	defer stop()
	if request != "" {
		bad, count, err := req.Engine.Audit.VerifyEvents(ctx, request)
		found := &verified{Events: count, Chains: 1}
		if bad.FirstBad > 0 {
			found.Bad = []string{request}
		}
		return found, err
	}
	all, err := req.Engine.Audit.VerifyAll(ctx)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &verified{Late: true}, nil
	}
	found := &verified{Events: all.Events, Chains: all.Chains}
	for _, bad := range all.Bad {
		found.Bad = append(found.Bad, bad.Chain)
	}
	return found, err
}
