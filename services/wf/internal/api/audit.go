package api

import (
	"context"
	"io"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/trail"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// auditHandlers serves the operations on the audit trail.
type auditHandlers struct{ *API }

func (h auditHandlers) mount() {
	h.registerList(operation{"listAudit", get, "/v1/wf/admin/audit", viewers, 200,
		[]error{reason.RequestNotFound}, "Read, export and verify the audit trail"})
	register(h.API, operation{"restartAudit", post, "/v1/wf/admin/audit/restart", admins, 201,
		[]error{reason.WrongState}, "Start a new service chain after an invalid one"}, h.restartAudit)
	register(h.API, operation{"getCheckpoint", get, "/v1/wf/checkpoint", viewers, 200, []error{reason.WrongState},
		"Read the last checkpoint of the audit trail"}, h.getCheckpoint)
}

// ndjson is the media type of an export.
const ndjson = "application/x-ndjson"

// serviceChain names the chain of events without a request.
const serviceChain = "service"

type listAuditInput struct {
	Paged
	Type          []string        `query:"type" maxItems:"50" doc:"Types, or patterns such as task.*"`
	Actor         string          `query:"actor" maxLength:"255" doc:"User id, or me."`
	RequestID     string          `query:"request_id" format:"uuid" doc:"Events of the request's chain, and those of the service that are about it."`
	Chain         string          `query:"chain" maxLength:"36" doc:"The id of a request, or service."`
	ResourceType  wf.ResourceType `query:"resource_type" doc:"Events of the service's own chain about objects of this kind."`
	ResourceID    string          `query:"resource_id" maxLength:"255" doc:"Events of the service's own chain about the object with this identifier."`
	Outcome       wf.EventOutcome `query:"outcome" doc:"Whether the call was done or refused."`
	CreatedAfter  time.Time       `query:"created_after" doc:"Exclusive."`
	CreatedBefore time.Time       `query:"created_before" doc:"Exclusive."`
	Verify        bool            `query:"verify" doc:"Verify the hashes of the chain and the stored state against its last events; without a chain, of every chain. One call of a caller at a time."`

	export bool
}

// Resolve reads Accept and rejects parameters that an export does not support.
func (in *listAuditInput) Resolve(ctx huma.Context) []error {
	in.export = firstAccepted(ctx, ndjson) != ""
	for _, pattern := range in.Type {
		if len(audit.TypesMatching(pattern)) == 0 {
			return []error{web.Detail{Type: "value_error", Loc: []any{"query", "type"}, Msg: "Value error, selects no type of event"}}
		}
	}
	if in.export {
		for name, given := range map[string]bool{"cursor": in.Cursor != "", "verify": in.Verify} {
			if given {
				return []error{web.Detail{Type: "value_error", Loc: []any{"query", name}, Msg: "Value error, is not for an export, which goes chain by chain"}}
			}
		}
	}
	return nil
}

func (in *listAuditInput) filter(by identity.Actor) wf.AuditFilter {
	f := wf.AuditFilter{
		Actor: resolveMe(in.Actor, by), RequestID: in.RequestID, Chain: in.Chain, ResourceType: in.ResourceType, ResourceID: in.ResourceID,
		Outcome: in.Outcome, CreatedAfter: in.CreatedAfter, CreatedBefore: in.CreatedBefore,
	}
	if len(in.Type) > 0 {
		f.Types = audit.TypesMatching(in.Type...)
	}
	return f
}

// auditEventView is an event of any chain.
type auditEventView struct {
	EventView
	Chain string `json:"chain" doc:"The id of a request, or service."`
}

func viewAuditEvent(e wf.AuditEvent) auditEventView {
	return auditEventView{viewEvent(e.Event), e.Chain}
}

type auditView struct {
	Page[auditEventView]
	Verification *auditVerification `json:"verification,omitempty" doc:"Outcome of the verification, if it was asked for."`
}

// auditVerification is the result of verifying hash chains and the stored state.
type auditVerification struct {
	Valid       bool           `json:"valid" doc:"Whether every hash is right and the stored state is that of the last events."`
	Chains      int64          `json:"chains" doc:"Number of chains that were recomputed."`
	Events      int64          `json:"events" doc:"Number of events that were recomputed; of one chain, those before the first bad one."`
	FirstBad    *int64         `json:"first_bad,omitempty" doc:"Of one chain: seq of the first event that does not fit, or that the stored state contradicts."`
	Bad         []badChainView `json:"bad" doc:"Chains with a break; the first 100."`
	NotDetected []string       `json:"not_detected" doc:"Classes of changes that this verification cannot detect."`
}

type badChainView struct {
	Chain    string        `json:"chain" doc:"The id of a request, or service."`
	FirstBad int64         `json:"first_bad" doc:"seq of the first event that does not fit, or that the stored state contradicts; 1 for events of a request that does not exist."`
	Breaks   []audit.Break `json:"breaks" doc:"The first 100 breaks."`
}

func viewBadChain(b audit.BadChain) badChainView {
	return badChainView{b.Chain, b.FirstBad, append([]audit.Break{}, b.Breaks...)}
}

// notDetected lists changes that require evidence outside the database or have no event.
var notDetected = []string{
	"a chain that was rewritten together with its stored end and state",
	"events that were cut off the end of a chain together with its stored end and state",
	"deletion of a request together with its events",
	"a database that was set back to an earlier state",
	"times and errors of retries of a stage; names of people",
	"delegations, endpoints, deliveries, sessions and notification settings",
}

// registerList is register for the operation with two media types.
func (h auditHandlers) registerList(op operation) {
	web.Register(h.Server, web.Operation(op), success[auditView](h.API), func(ctx context.Context, in *listAuditInput) (*streamed, error) {
		if in.export {
			return h.exportAudit(ctx, in)
		}
		page, err := h.listAudit(ctx, in)
		if err != nil {
			return nil, err
		}
		body, err := view.Encode(h.Now(), page)
		return newReply("application/json", body), err
	}, func(documented *huma.Operation) {
		documented.Responses["200"].Content[ndjson] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Description: "One JSON object a line."}}
	})
}

func (h auditHandlers) listAudit(ctx context.Context, in *listAuditInput) (auditView, error) {
	by := actorOf(ctx)
	events, next, err := h.engine.Audit.ListAudit(ctx, in.filter(by), in.page())
	if err != nil {
		return auditView{}, err
	}
	view := auditView{Page: pageOf(events, next, viewAuditEvent)}
	if !in.Verify {
		return view, nil
	}
	if err := web.BeginLong(ctx); err != nil {
		return view, err
	}
	long, cancel := web.ExtendDeadline(ctx)
	defer cancel()
	view.Verification, err = h.verifyAudit(long, in.Chain)
	return view, err
}

// verifyAudit verifies one chain, or all chains if it is empty.
func (h auditHandlers) verifyAudit(ctx context.Context, chain string) (*auditVerification, error) {
	v := &auditVerification{Chains: 1, Bad: []badChainView{}, NotDetected: notDetected}
	if chain == "" {
		all, err := h.engine.Audit.VerifyAll(ctx)
		v.Events, v.Chains = all.Events, all.Chains
		for _, bad := range all.Bad {
			v.Bad = append(v.Bad, viewBadChain(bad))
		}
		v.Valid = len(all.Bad) == 0
		return v, err
	}
	id := ""
	if chain != serviceChain {
		if err := checkID(ctx, "request", chain, false); err != nil {
			return nil, err
		}
		id = chain
	}
	bad, count, err := h.engine.Audit.VerifyEvents(ctx, id)
	v.Events, v.Valid, v.FirstBad = count, bad.FirstBad == 0, view.OrNull(bad.FirstBad)
	if !v.Valid {
		v.Bad = append(v.Bad, viewBadChain(bad))
	}
	return v, err
}

type restartInput struct {
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Cause of the breaks, and the action taken."`
	}
}

func (h auditHandlers) restartAudit(ctx context.Context, in *restartInput) (result[badChainView], error) {
	var none result[badChainView]
	if err := checkReason(in.Body.Reason); err != nil {
		return none, err
	}
	if err := web.BeginLong(ctx); err != nil {
		return none, err
	}
	long, cancel := web.ExtendDeadline(ctx)
	defer cancel()
	bad, err := h.engine.Audit.RestartChain(long, actorOf(ctx), in.Body.Reason)
	return result[badChainView]{Value: viewBadChain(bad)}, err
}

// exportRules describes the export format, which a schema cannot express.
const exportRules = "With `Accept: " + ndjson + "` the events leave as an export, " +
	"chain by chain and each chain from its start: " +
	"a line `{\"chain\", \"seq\", \"hash\", \"event\"}` for each, where `event` has the very bytes that were hashed: " +
	"`hash` is `sha256:` and the SHA-256 of the `hash` of the event before in the chain (nothing for the first) and those bytes. " +
	"The last line is `{\"end\": {\"events\", \"sha256\"}}`, the number of lines before it and the SHA-256 of their bytes. " +
	"An export without it is cut, and not whole. `limit` does not count."

// exportAudit streams the stored events.
func (h auditHandlers) exportAudit(ctx context.Context, in *listAuditInput) (*streamed, error) {
	by := actorOf(ctx)
	if err := web.BeginLong(ctx); err != nil {
		return nil, err
	}
	return &streamed{func(ctx huma.Context) {
		web.Stream(ctx, ndjson, func(ctx context.Context, w io.Writer) error {
			return trail.WriteAll(w, func(write func([]wf.StoredEvent) error) error {
				return h.engine.Audit.ExportEvents(ctx, in.filter(by), write)
			})
		})
	}}, nil
}

type checkpointView struct {
	Checkpoint string         `json:"checkpoint" doc:"The checkpoint: a JWS in compact form."`
	Seq        int64          `json:"seq" doc:"seq of the signed event audit.checkpoint in the service chain."`
	At         identity.Stamp `json:"at" doc:"Time of the checkpoint."`
}

func (h auditHandlers) getCheckpoint(ctx context.Context, _ *struct{}) (result[checkpointView], error) {
	last, err := h.engine.Audit.GetCheckpoint(ctx)
	return result[checkpointView]{Value: checkpointView{last.JWS, last.Seq, identity.Stamp{Time: last.At}}}, err
}
