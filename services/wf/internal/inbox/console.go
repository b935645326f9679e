package inbox

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
)

// consolePage is a page of a console list, with its filter and the address of the next page.
type consolePage[T any] struct {
	Query url.Values
	Items []T
	Next  string
}

// consoleList returns a page of a list with the address of the next one.
func consoleList[T any](v *visit, items []T, next string) consolePage[T] {
	return consolePage[T]{v.R.URL.Query(), items, v.Rest(v.R.URL.Path, next)}
}

// filled returns a query parameter as a filter: empty, or one value.
func filled[S ~string](query url.Values, name string) []S {
	if value := strings.TrimSpace(cut(query.Get(name), 255)); value != "" {
		return []S{S(value)}
	}
	return nil
}

// dayOf returns a date parameter in the reader's time zone; zero if invalid.
func (v *visit) dayOf(name string) time.Time {
	day, _ := time.ParseInLocation(time.DateOnly, v.R.URL.Query().Get(name), v.Zone) // zero on error
	return day
}

func (v *visit) wanted() wf.Page { return wf.Page{Limit: 50, Cursor: v.R.URL.Query().Get("cursor")} }

// console lists requests by filter.
func (v *visit) console() error {
	query := v.R.URL.Query()
	filter := wf.RequestFilter{
		Status: filled[wf.RequestStatus](query, "status"), PolicyKey: filled[string](query, "policy"), ArtifactType: filled[string](query, "type"), ArtifactID: filled[string](query, "artifact"),
		Requester: cut(query.Get("requester"), 255), Participant: cut(query.Get("participant"), 255), Q: cut(query.Get("q"), 200), Sort: "updated_at",
		CreatedAfter: v.dayOf("after"), CreatedBefore: v.dayOf("before"),
	}
	if name, value, ok := strings.Cut(query.Get("label"), "="); ok {
		filter.Labels = map[string]string{name: value}
	}
	if len(filter.PolicyKey)+len(filter.ArtifactType) > 0 || filter.Participant != "" {
		filter.Sort = "" // no index supports these filters in the order of changes
	}
	list, next, err := v.engine.Requests(v.R.Context(), v.By, filter, v.wanted())
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "console-requests", v.T("nav.console"), consoleList(v, list, next))
}

// reevaluate resolves the approvers of a blocked request again.
func (v *visit) reevaluate(id string) error {
	_, err := v.engine.ReevaluateRequest(v.R.Context(), v.By, id)
	return v.Done(err, Root+"/requests/"+id, "reevaluated")
}

// auditPage is the audit trail with the result of a verification.
type auditPage struct {
	consolePage[wf.AuditEvent]
	Types    []audit.EventType
	Verified *verified
}

// verified is the result of a verification.
type verified struct {
	Events, Chains int64
	Bad            []string
	Late           bool // the verification timed out
}

// verifyTime is the time limit of a verification on a page.
const verifyTime = 8 * time.Second

// audit lists audit events.
func (v *visit) audit() error {
	query := v.R.URL.Query()
	filter := wf.AuditFilter{
		Types: filled[audit.EventType](query, "type"), Actor: cut(query.Get("actor"), 255), RequestID: query.Get("request"), ResourceType: wf.ResourceType(cut(query.Get("resource"), 64)),
		Outcome: wf.EventOutcome(query.Get("outcome")), CreatedAfter: v.dayOf("after"), CreatedBefore: v.dayOf("before"),
	}
	list, next, err := v.engine.AuditEvents(v.R.Context(), filter, v.wanted())
	if err != nil {
		return err
	}
	p := auditPage{consolePage: consoleList(v, list, next), Types: slices.Sorted(slices.Values(audit.AllEventTypes))}
	if query.Has("verify") {
		if p.Verified, err = v.verify(filter.RequestID); err != nil {
			return err
		}
	}
	return v.show(http.StatusOK, "console-audit", v.T("console.audit"), p)
}

// verify verifies the chain of a request, or all chains.
func (v *visit) verify(request string) (*verified, error) {
	ctx, stop := context.WithTimeout(v.R.Context(), max(verifyTime, v.Patience))
	defer stop()
	if request != "" {
		bad, count, err := v.engine.VerifyEvents(ctx, request)
		found := &verified{Events: count, Chains: 1}
		if bad.FirstBad > 0 {
			found.Bad = []string{request}
		}
		return found, err
	}
	all, err := v.engine.VerifyAll(ctx)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &verified{Late: true}, nil
	}
	found := &verified{Events: all.Events, Chains: all.Chains}
	for _, bad := range all.Bad {
		found.Bad = append(found.Bad, bad.Chain)
	}
	return found, err
}

// AuditLine returns an audit event as a sentence.
func (v *visit) AuditLine(e wf.AuditEvent) string {
	line, _ := v.eventLine(wf.Request{}, e.Event)
	return line.Text
}

// Hash reports whether the reason of an event is a hash rather than a text.
func (v *visit) Hash(reason string) bool { return strings.HasPrefix(reason, "sha256:") }

// healthPage is the state of the service.
type healthPage struct {
	Ready, Writes bool
	Unsigned      int
	Sends         bool // the service sends mail
	NoAddress     int  // approvers of open tasks without a stored address
	Counts        []statusCount
}

type statusCount struct {
	Status wf.TaskStatus
	Count  int64
}

// health shows the state of the service.
func (v *visit) health() error {
	ctx := v.R.Context()
	p := healthPage{Ready: v.Server.Ready(ctx) == nil, Writes: v.Server.Health(ctx) == nil, Unsigned: v.engine.Unsigned()}
	counts, _, err := v.engine.TaskStats(ctx, v.By, wf.TaskFilter{})
	if err != nil {
		return err
	}
	if p.NoAddress, p.Sends, err = v.engine.WithoutAddress(ctx); err != nil {
		return err
	}
	by := map[wf.TaskStatus]int64{}
	for _, c := range counts {
		by[c.Status] += c.Count
	}
	for _, status := range []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed} {
		p.Counts = append(p.Counts, statusCount{status, by[status]})
	}
	return v.show(http.StatusOK, "console-health", v.T("console.health"), p)
}
