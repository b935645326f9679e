package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/mcp"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Agents configures the endpoint of the Model Context Protocol. The zero value disables it.
type Agents struct {
	URL    string // external address of the service, without a path
	Pages  string // base URL of the pages
	Issuer string // of tokens
}

const (
	toolsPath      = "/v1/wf/mcp"
	toolsOperation = "callTools"
	metadataPath   = "/.well-known/oauth-protected-resource" + toolsPath // RFC 9728, section 3.1
)

// challenge returns the header of a 401 that leads a client to the token issuer (RFC 9728, section 5.1).
func (a Agents) challenge() http.Header {
	return http.Header{"Www-Authenticate": {`Bearer resource_metadata="` + a.URL + metadataPath + `"`}}
}

// agentHandlers serves the tools of agents. No tool claims, decides, reassigns, delegates or writes policies.
type agentHandlers struct{ *API }

// mount registers the endpoint and its metadata. They are not in the document, which describes the HTTP API.
func (h agentHandlers) mount() {
	if h.Agents.URL == "" {
		return
	}
	hidden := func(op *huma.Operation) { op.Hidden = true }
	object := &huma.Schema{Type: huma.TypeObject}
	server := mcp.New("countersign", h.Version, instructions, h.outcomes(),
		mcp.NewTool("list_policies", "List the policies under which you can request an approval, with the JSON Schema of the context.", h.listPolicies),
		mcp.NewTool("request_approval",
			"Request an approval by people. Repeat the call with the same arguments to find the request again.", h.requestApproval),
		mcp.NewTool("get_approval", "Read the state of an approval; wait for a change of up to 50 seconds.", h.getApproval),
		mcp.NewTool("consume_approval",
			"Use an approval, once, directly before the approved action. The call fails if the arguments are not the approved ones.",
			h.consumeApproval),
		mcp.NewTool("cancel_approval", "Cancel the request for an approval.", h.cancelApproval),
	)
	call := operation{toolsOperation, post, toolsPath, anyone, 200, []error{
		reason.PolicyNotFound, reason.RequestNotFound, reason.EngineRefused, reason.WrongState, reason.ResolverFailed, reason.KeyReused},
		"Call the tools of agents"}
	web.Register(h.Server, web.Operation(call), object, func(ctx context.Context, in *messageInput) (*streamed, error) {
		if origin := in.header["Origin"]; origin != nil && (len(origin) > 1 || origin[0] != h.Agents.URL) {
			return nil, refusal.New(reason.Forbidden, "the call comes from another origin")
		}
		reply := server.Serve(ctx, in.header, in.Body.RawMessage)
		if reply.Status >= http.StatusBadRequest && !json.Valid(reply.Body) {
			return nil, refusal.New(web.BadRequest, "%s", strings.TrimSpace(string(reply.Body)))
		}
		return &streamed{func(ctx huma.Context) {
			ctx.SetStatus(reply.Status)
			_, _ = ctx.BodyWriter().Write(reply.Body) // the caller may have disconnected
		}}, nil
	}, hidden)
	document, _ := json.Marshal(map[string]any{ // texts
		"resource": h.Agents.URL + toolsPath, "authorization_servers": []string{h.Agents.Issuer}, "bearer_methods_supported": []string{"header"},
	})
	metadata := newReply(mediaJSON, document)
	web.Register(h.Server, web.Operation{ID: "getToolsMetadata", Method: get, Path: metadataPath}, object,
		func(context.Context, *struct{}) (*streamed, error) { return metadata, nil }, hidden)
}

// messageInput is a message of the protocol with the headers of its call.
type messageInput struct {
	Body   view.Object
	header http.Header
}

// Resolve reads the headers.
func (m *messageInput) Resolve(ctx huma.Context) []error {
	m.header = http.Header{}
	ctx.EachHeader(func(name, value string) { m.header.Add(name, value) })
	return nil
}

const instructions = "Approvals by people. Request one for the exact arguments of an action, wait for the decision, " +
	"and use it once with the same arguments. Present the page of the request to the user. You cannot decide."

// outcomes returns the function that logs and counts calls of tools, and refuses failed ones like the HTTP API.
func (h agentHandlers) outcomes() mcp.Outcome {
	calls := h.Metrics.Counter("mcp_calls_total",
		"Calls of the tools of agents, by tool and error code; the code of a success is empty.", "tool", "code")
	return func(ctx context.Context, tool string, err error) (code, message string) {
		oplog.Note(ctx, slog.String("tool", tool))
		if err != nil {
			code, message = h.refuse(ctx, err)
		}
		calls.WithLabelValues(tool, code).Inc()
		return code, message
	}
}

// refuse returns the code and the message of a refusal. The API refuses invalid input without a code; a tool has
// that of an unreadable body.
func (h agentHandlers) refuse(ctx context.Context, err error) (code, message string) {
	_, invalid := Code(web.BadRequest)
	if wrong, ok := errors.AsType[mcp.InvalidArguments](err); ok {
		return invalid, wrong.Error()
	}
	var refused struct {
		Errors []struct{ ErrorCode, Message string }
		Detail []web.Detail
	}
	if err := json.Unmarshal(h.Refusal(ctx, err), &refused); err != nil || len(refused.Errors)+len(refused.Detail) == 0 {
		return invalid, "internal error"
	}
	if len(refused.Errors) > 0 {
		return refused.Errors[0].ErrorCode, refused.Errors[0].Message
	}
	texts := view.List(refused.Detail, func(d web.Detail) string {
		where, _ := json.Marshal(d.Loc) // texts and numbers
		return string(where) + ": " + d.Msg
	})
	return invalid, strings.Join(texts, "; ")
}

// listedPolicy is a policy under which the caller may request approvals.
type listedPolicy struct {
	Key           string          `json:"key" jsonschema:"Key of the policy."`
	Name          string          `json:"name" jsonschema:"Name of the policy."`
	Description   string          `json:"description,omitempty" jsonschema:"Purpose of the policy."`
	ContextSchema json.RawMessage `json:"context_schema,omitempty" jsonschema:"JSON Schema that the context must fit."`
}

type listedPoliciesInput struct {
	Cursor string `json:"cursor,omitempty" maxLength:"1024" jsonschema:"next_cursor of the previous result."`
}

type listedPoliciesOutput struct {
	Policies   []listedPolicy `json:"policies" jsonschema:"Policies by key."`
	NextCursor string         `json:"next_cursor,omitempty" jsonschema:"Cursor of further policies; absent on the last page."`
}

func (h agentHandlers) listPolicies(ctx context.Context, in listedPoliciesInput) (listedPoliciesOutput, error) {
	usable, next, err := h.engine.Policies.ListUsablePolicies(ctx, actorOf(ctx), "", wf.Page{Limit: 200, Cursor: in.Cursor})
	return listedPoliciesOutput{
		Policies: view.List(usable.Versions, func(v policy.Version) listedPolicy {
			return listedPolicy{v.Key, v.Definition.Name, v.Definition.Description, v.Definition.ContextSchema}
		}),
		NextCursor: next,
	}, err
}

// approval is the state of a request for an agent.
type approval struct {
	RequestID   string  `json:"request_id" jsonschema:"Identifier of the request."`
	Status      string  `json:"status" jsonschema:"Status of the request: in_review, blocked, changes_requested, approved, rejected, expired or cancelled."`
	Standing    *string `json:"standing" jsonschema:"State of the approval: in_force, consumed, lapsed or revoked; null unless approved."`
	ContextHash string  `json:"context_hash" jsonschema:"Hash of the approved content."`
	Page        string  `json:"page" jsonschema:"Page of the request for people."`
	ExpiresAt   *string `json:"expires_at" jsonschema:"Time at which the request expires; null for never."`
}

// approvalWithReason is an approval with the reason for its status.
type approvalWithReason struct {
	approval
	StatusReason json.RawMessage `json:"status_reason,omitempty" jsonschema:"Reason for the status."`
}

// consumedApproval is a used approval.
type consumedApproval struct {
	approval
	Receipt string `json:"receipt,omitempty" jsonschema:"Signed receipt of the approval, if the service has a key."`
}

// approvalOf returns the state of a request.
func (h agentHandlers) approvalOf(r wf.Request) approval {
	shown := approval{
		RequestID: r.ID, Status: string(r.Status), Standing: view.OrNull(string(r.Standing)), ContextHash: r.ContextHash,
		Page: h.Agents.Pages + "/requests/" + r.ID,
	}
	if r.ExpiresAt != nil {
		shown.ExpiresAt = new(identity.Stamp{Time: *r.ExpiresAt}.String())
	}
	return shown
}

type requestApprovalInput struct {
	PolicyKey string          `json:"policy_key" maxLength:"128" jsonschema:"Policy that decides on the request."`
	Context   json.RawMessage `json:"context" jsonschema:"Exact arguments of the action to approve."`
	Title     string          `json:"title,omitempty" maxLength:"200" jsonschema:"Title for people."`
}

// mostAttempts bounds the attempts to attach to a request that another call creates at the same time.
const mostAttempts = 20

// requestApproval returns the caller's newest request for the content that is open or in force, or creates one. The
// number of the caller's requests for the content is in the idempotency key, so that concurrent calls create one.
func (h agentHandlers) requestApproval(ctx context.Context, in requestApprovalInput) (approval, error) {
	by := actorOf(ctx)
	draft := Draft{Context: view.Object{RawMessage: in.Context}}
	if err := draft.check(in.Title, nil); err != nil {
		return approval{}, err
	}
	used := -1 // number in the latest key with a request
	for attempt := 1; ; attempt++ {
		id, count, err := h.engine.Requests.FindApproval(ctx, by, in.PolicyKey, draft.hash)
		if err != nil {
			return approval{}, err
		}
		if id != "" {
			c, err := h.engine.Requests.GetRequest(ctx, by, id)
			return h.approvalOf(c.Request), err
		}
		number := max(count, used+1)
		reply, err := h.engine.Requests.CreateRequest(ctx, by, engine.RequestInput{
			PolicyKey: in.PolicyKey, Context: draft.canonical, ContextHash: draft.hash, Title: in.Title, Priority: wf.PriorityNormal,
		}, h.approvalKey(by, in.PolicyKey, draft.hash, number))
		refused, _ := errors.AsType[*refusal.Error](err)
		switch inFlight := refused != nil && refused.Reason == reason.WrongState && refused.RetryAfter > 0; {
		case err != nil && !inFlight:
			return approval{}, err
		case err == nil && !reply.Replayed:
			return h.approvalOf(reply.Case.Request), nil
		case err == nil: // by a concurrent call, which the next attempt finds; otherwise the content has changed
			used = number
		}
		if attempt == mostAttempts {
			return approval{}, refusal.New(reason.WrongState, "the requests for this content are being changed")
		}
	}
}

// approvalKey returns the idempotency key of the caller's request number n for a content.
func (h agentHandlers) approvalKey(by identity.Actor, policyKey, hash string, n int) *engine.IdempotencyKey {
	sum := sha256.Sum256([]byte(strings.Join([]string{policyKey, hash, strconv.Itoa(n)}, "\n")))
	value := hex.EncodeToString(sum[:])
	return &engine.IdempotencyKey{
		Principal: by.Issuer + "|" + by.ID, Method: post, Route: toolsPath, Value: value, Fingerprint: value, TTL: h.IdempotencyTTL,
	}
}

// requestReference names a request. UUIDs are case-insensitive.
type requestReference struct {
	RequestID string `json:"request_id" maxLength:"64" jsonschema:"Identifier of the request."`
}

func (r requestReference) id() string { return strings.ToLower(r.RequestID) }

type getApprovalInput struct {
	requestReference
	Wait int `json:"wait,omitempty" minimum:"0" maximum:"50" jsonschema:"Seconds to wait until the request is final or changes are requested."`
}

func (h agentHandlers) getApproval(ctx context.Context, in getApprovalInput) (approvalWithReason, error) {
	id := in.id()
	if err := checkID(ctx, "request", id, true); err != nil {
		return approvalWithReason{}, err
	}
	c, _, err := requestHandlers(h).await(ctx, LongPoll{Wait: in.Wait}, id)
	if err != nil {
		return approvalWithReason{}, err
	}
	shown := approvalWithReason{approval: h.approvalOf(c.Request)}
	if c.Request.StatusReason != nil {
		shown.StatusReason, err = json.Marshal(c.Request.StatusReason)
	}
	return shown, err
}

type consumeApprovalInput struct {
	requestReference
	Context json.RawMessage `json:"context" jsonschema:"Arguments of the action about to run. They must be the approved ones."`
}

// consumeApproval uses an approval for the content of the call. The hash is that of the arguments, not of the agent.
func (h agentHandlers) consumeApproval(ctx context.Context, in consumeApprovalInput) (consumedApproval, error) {
	if err := checkID(ctx, "request", in.id(), false); err != nil {
		return consumedApproval{}, err
	}
	_, hash, err := canonicalContext(view.Object{RawMessage: in.Context})
	if err != nil {
		return consumedApproval{}, err
	}
	reply, err := h.engine.Requests.ConsumeRequest(ctx, actorOf(ctx), in.id(), wf.Consumption{ContextHash: hash}, nil)
	if err != nil {
		return consumedApproval{}, err
	}
	var shown struct{ Response struct{ Receipt string } }
	err = json.Unmarshal(reply.Body, &shown)
	return consumedApproval{h.approvalOf(reply.Case.Request), shown.Response.Receipt}, err
}

type cancelApprovalInput struct {
	requestReference
	Reason string `json:"reason,omitempty" maxLength:"4096" jsonschema:"Reason, for people."`
}

func (h agentHandlers) cancelApproval(ctx context.Context, in cancelApprovalInput) (approval, error) {
	if err := checkID(ctx, "request", in.id(), false); err != nil {
		return approval{}, err
	}
	reply, err := h.engine.Requests.CancelRequest(ctx, actorOf(ctx), in.id(), in.Reason, "", nil)
	return h.approvalOf(reply.Case.Request), err
}
