package api

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/manage"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// EndpointView is the API representation of a webhook endpoint, without its secret.
type EndpointView struct {
	ID                      string                 `json:"id" format:"uuid" doc:"Identifier of the endpoint."`
	Name                    string                 `json:"name" doc:"Name that policies and deliveries refer to."`
	URL                     string                 `json:"url" doc:"Where messages go; of a chat its host alone."`
	Format                  string                 `json:"format" enum:"event,slack,mattermost,teams" doc:"What is sent: the event, signed, or a message to a channel of a chat, which is not."`
	Events                  []string               `json:"events" doc:"Types of the events that are sent to it, or patterns of them."`
	PolicyKeys              []string               `json:"policy_keys" doc:"Keys of the policies whose events are sent to it, or patterns of them."`
	Include                 []string               `json:"include" enum:"context,decision_data" doc:"Parts that its messages have besides: the context of the request, without what settings.redact of its policy names; and the data, attachments and authentication of decisions."`
	Enabled                 bool                   `json:"enabled" doc:"Whether messages are sent."`
	DisabledReason          outbox.DisabledReason  `json:"disabled_reason,omitempty" doc:"gone: it answered 410. failing: 5 days of nothing but failures. failures: 100 of them in a row."`
	DisabledAt              *identity.Stamp        `json:"disabled_at,omitempty" doc:"When it was disabled."`
	Signature               outbox.SignatureScheme `json:"signature" doc:"How messages are signed: HMAC-SHA256 (v1), Ed25519 (v1a), or both."`
	SecretHint              string                 `json:"secret_hint" doc:"The last 4 characters of the secret; of a chat those of its URL."`
	PublicKey               string                 `json:"public_key" doc:"whpk_ and base64: the Ed25519 key that verifies v1a; empty for a chat."`
	PreviousSecretExpiresAt *identity.Stamp        `json:"previous_secret_expires_at,omitempty" doc:"Until then the previous secret signs as well."`
	Failures                int                    `json:"failures" doc:"Attempts that failed in a row."`
	FailingSince            *identity.Stamp        `json:"failing_since,omitempty" doc:"Since when every attempt has failed."`
	PausedUntil             *identity.Stamp        `json:"paused_until,omitempty" doc:"Nothing is sent before, because of failures in a row. What waits loses no attempt."`
	PausedReason            string                 `json:"paused_reason,omitempty" enum:"failures,key_unavailable" doc:"Why nothing is sent now. key_unavailable: none of the service's keys decrypts the secret; what waits stays until one does."`
	CreatedBy               identity.User          `json:"created_by" doc:"Who made it."`
	CreatedAt               identity.Stamp         `json:"created_at" doc:"When it was made."`
	UpdatedAt               identity.Stamp         `json:"updated_at" doc:"When it last changed."`
	ETag                    string                 `json:"etag" doc:"Entity tag, for If-Match."`
}

// shownEndpointView is an endpoint with its new secret.
type shownEndpointView struct {
	EndpointView
	Secret string `json:"secret" doc:"whsec_ and base64: verifies v1. It is not shown again. Empty for a chat."`
}

// viewEndpoint returns the view of an endpoint at a time.
func (a *API) viewEndpoint(e outbox.Endpoint, now time.Time) EndpointView {
	view := EndpointView{
		ID: e.ID, Name: e.Name, URL: e.URL, Format: cmp.Or(string(e.Format), "event"), Events: append([]string{}, e.Events...), PolicyKeys: append([]string{}, e.PolicyKeys...), Include: append([]string{}, e.Include...),
		Enabled: e.Enabled, DisabledReason: e.DisabledReason, DisabledAt: identity.StampOf(e.DisabledAt),
		Signature: e.Signature, SecretHint: e.Key.Hint, PublicKey: e.Key.PublicKey,
		Failures: e.Health.Failures, FailingSince: identity.StampOf(e.Health.FailingSince),
		CreatedBy: identity.User(e.CreatedBy), CreatedAt: identity.Stamp{Time: e.CreatedAt}, UpdatedAt: identity.Stamp{Time: e.UpdatedAt}, ETag: view.ETag(e.Rev),
	}
	if len(e.Keys(now)) > 1 {
		view.PreviousSecretExpiresAt = identity.StampOf(e.PreviousUntil)
	}
	if now.Before(e.Health.PausedUntil) {
		view.PausedUntil, view.PausedReason = identity.StampOf(e.Health.PausedUntil), "failures"
	}
	if e.Enabled && !a.engine.Signs(e, now) {
		view.PausedReason = "key_unavailable"
	}
	return view
}

func (a *API) endpointReply(e outbox.Endpoint, now time.Time, err error) (result[EndpointView], error) {
	return result[EndpointView]{Value: a.viewEndpoint(e, now), ETag: view.ETag(e.Rev)}, err
}

func (a *API) shownReply(e manage.Shown, err error) (result[shownEndpointView], error) {
	return result[shownEndpointView]{Value: shownEndpointView{a.viewEndpoint(e.Endpoint, e.UpdatedAt), e.Secret}, ETag: view.ETag(e.Rev)}, err
}

type createEndpointInput struct {
	Body struct {
		Name       string                 `json:"name" pattern:"^[a-z0-9][a-z0-9_-]{0,63}$" doc:"Policies and deliveries refer to it; it cannot be changed."`
		URL        string                 `json:"url" maxLength:"2048" doc:"Where messages go: an https URL on an allowed host. That of a chat is kept as secrets are, and not shown again."`
		Format     string                 `json:"format,omitempty" enum:"event,slack,mattermost,teams" doc:"What is sent: the event, signed, or a message by the incoming webhook of Slack, Mattermost, or of a workflow of Teams; event when absent. It cannot be changed."`
		Events     []string               `json:"events,omitempty" maxItems:"50" doc:"Event types, or patterns of them such as task.*; request.* when absent. With an empty list, only what policies send it."`
		PolicyKeys []string               `json:"policy_keys,omitempty" maxItems:"50" doc:"Keys of policies, or patterns of them; * when absent. With an empty list, only the policies whose settings name it."`
		Include    []string               `json:"include,omitempty" maxItems:"2" enum:"context,decision_data" doc:"Parts of its messages besides: the context of the request, without what settings.redact of its policy names; and the data, attachments and authentication of decisions. None when absent, and none for a chat."`
		Signature  outbox.SignatureScheme `json:"signature,omitempty" doc:"Of Standard Webhooks: HMAC-SHA256 with the secret, Ed25519, or both; v1 when absent."`
		Enabled    *bool                  `json:"enabled,omitempty" doc:"true when absent"`
		Secret     string                 `json:"secret,omitempty" maxLength:"200" writeOnly:"true" doc:"whsec_ and the base64 of 24 to 64 bytes; a new one when absent."`
	}
}

func (a *API) createEndpoint(ctx context.Context, in *createEndpointInput) (result[shownEndpointView], error) {
	b := in.Body
	draft := outbox.Endpoint{
		Name: b.Name, URL: b.URL, Format: outbox.Format(strings.TrimPrefix(b.Format, "event")), Events: b.Events,
		PolicyKeys: b.PolicyKeys, Include: b.Include, Signature: cmp.Or(b.Signature, outbox.SignHMAC), Enabled: b.Enabled == nil || *b.Enabled,
	}
	if draft.Events == nil {
		draft.Events = audit.DefaultPatterns
	}
	if draft.PolicyKeys == nil {
		draft.PolicyKeys = []string{"*"}
	}
	made, err := a.engine.CreateEndpoint(ctx, actorOf(ctx), draft, b.Secret)
	r, err := a.shownReply(made, err)
	r.Location = "/v1/wf/admin/webhooks/" + made.ID
	return r, err
}

type listEndpointsInput struct {
	Paged
	Enabled optional[bool] `query:"enabled" doc:"Only endpoints that are enabled, or only those that are not."`
	Q       string         `query:"q" maxLength:"200" doc:"Part of the name or the URL."`
}

func (a *API) listEndpoints(ctx context.Context, in *listEndpointsInput) (result[Page[EndpointView]], error) {
	items, next, err := a.engine.Endpoints(ctx, outbox.EndpointFilter{Enabled: in.Enabled.value, Q: in.Q}, in.page())
	now := a.Now()
	return listed(items, next, err, func(e outbox.Endpoint) EndpointView { return a.viewEndpoint(e, now) })
}

func (a *API) getEndpoint(ctx context.Context, in *Identified) (result[EndpointView], error) {
	e, err := a.engine.Endpoint(ctx, in.ID)
	return a.endpointReply(e, a.Now(), err)
}

type updateEndpointInput struct {
	Identified
	Guarded
	Body struct {
		URL        *string                 `json:"url,omitempty" maxLength:"2048" doc:"Where messages go: an https URL on an allowed host."`
		Events     []string                `json:"events,omitempty" maxItems:"50" doc:"Event types, or patterns of them."`
		PolicyKeys []string                `json:"policy_keys,omitempty" maxItems:"50" doc:"Keys of policies, or patterns of them."`
		Include    []string                `json:"include,omitempty" maxItems:"2" enum:"context,decision_data" doc:"Parts of its messages besides."`
		Signature  *outbox.SignatureScheme `json:"signature,omitempty" doc:"Of Standard Webhooks: HMAC-SHA256, Ed25519, or both."`
		Enabled    *bool                   `json:"enabled,omitempty" doc:"false cancels what waits; true forgets the failures."`
	} `doc:"Members that are absent or null stay as they are; arrays are replaced whole."`
}

func (a *API) updateEndpoint(ctx context.Context, in *updateEndpointInput) (result[EndpointView], error) {
	e, err := a.engine.UpdateEndpoint(ctx, actorOf(ctx), in.ID, in.IfMatch, manage.Change(in.Body))
	return a.endpointReply(e, e.UpdatedAt, err)
}

func (a *API) deleteEndpoint(ctx context.Context, in *objectInput) (result[EndpointView], error) {
	e, err := a.engine.DeleteEndpoint(ctx, actorOf(ctx), in.ID, in.IfMatch)
	return a.endpointReply(e, a.Now(), err)
}

// Limits for the overlap of the previous secret with a new one.
const (
	defaultOverlap policy.Duration = "PT24H"
	maxOverlap                     = 7 * 24 * time.Hour
)

type rotateSecretInput struct {
	Identified
	Body *struct {
		Secret  string          `json:"secret,omitempty" maxLength:"200" writeOnly:"true" doc:"whsec_ and the base64 of 24 to 64 bytes; a new one when absent."`
		Overlap policy.Duration `json:"overlap,omitempty" minLength:"1" maxLength:"40" doc:"ISO 8601 duration in which the previous secret signs as well, at most P7D; PT24H when absent. PT0S ends it at once."`
	}
}

func (a *API) rotateSecret(ctx context.Context, in *rotateSecretInput) (result[shownEndpointView], error) {
	b := given(in.Body)
	overlap, err := overlapOf(cmp.Or(b.Overlap, defaultOverlap))
	if err != nil {
		return result[shownEndpointView]{}, err
	}
	if err := known(in.ID, reason.EndpointNotFound); err != nil {
		return result[shownEndpointView]{}, err
	}
	return a.shownReply(a.engine.RotateSecret(ctx, actorOf(ctx), in.ID, b.Secret, overlap))
}

func overlapOf(d policy.Duration) (time.Duration, error) {
	if d == "PT0S" { // other durations must be positive
		return 0, nil
	}
	overlap, err := d.Parse()
	if err != nil {
		return 0, refusal.At(reason.BadInput, "/overlap", "%s", err)
	}
	if overlap > maxOverlap {
		return 0, refusal.At(reason.BadInput, "/overlap", "is longer than P7D")
	}
	return overlap, nil
}

func (a *API) testEndpoint(ctx context.Context, in *Identified) (result[DeliveryView], error) {
	d, err := a.engine.TestEndpoint(ctx, actorOf(ctx), in.ID)
	return result[DeliveryView]{Value: viewDelivery(d), ETag: view.ETag(d.Rev())}, err
}
