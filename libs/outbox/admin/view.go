package admin

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/work"
)

// The views below are the JSON representations of endpoints and deliveries. A type with the suffix Camel
// has the same fields under names in camelCase, so that one converts to the other.

// EndpointView is an endpoint without its secret.
type EndpointView struct {
	ID                      string                 `json:"id" format:"uuid" doc:"Identifier of the endpoint."`
	Name                    string                 `json:"name" doc:"Name that policies and deliveries refer to."`
	URL                     string                 `json:"url" doc:"Address of the receiver; of a chat its host only."`
	Events                  []string               `json:"events" doc:"Event types, or patterns of them."`
	Policies                []string               `json:"policy_keys" doc:"Policy keys, or patterns of them."`
	Enabled                 bool                   `json:"enabled" doc:"Whether messages are sent."`
	DisabledReason          outbox.DisabledReason  `json:"disabled_reason,omitempty" doc:"admin: disabled by an admin. gone: the receiver returned 410. failing: every attempt of 5 days failed. failures: 100 attempts in a row failed."`
	DisabledAt              *envelope.Time         `json:"disabled_at,omitempty" format:"date-time" doc:"Time of the disabling."`
	Signature               outbox.SignatureScheme `json:"signature" doc:"Signatures of a message: HMAC-SHA256 (v1), Ed25519 (v1a), or both."`
	SecretHint              string                 `json:"secret_hint" doc:"Last 4 characters of the secret; of a chat those of its URL."`
	PublicKey               string                 `json:"public_key" doc:"whpk_ and base64: the Ed25519 key that verifies v1a; empty for a chat."`
	PreviousSecretExpiresAt *envelope.Time         `json:"previous_secret_expires_at,omitempty" format:"date-time" doc:"End of the signatures with the previous secret."`
	Failures                int                    `json:"failures" doc:"Failed attempts in a row."`
	FailingSince            *envelope.Time         `json:"failing_since,omitempty" format:"date-time" doc:"Time of the first of the failed attempts in a row."`
	PausedUntil             *envelope.Time         `json:"paused_until,omitempty" format:"date-time" doc:"End of the pause after failures in a row. Waiting deliveries lose no attempt."`
	PausedReason            PausedReason           `json:"paused_reason,omitempty" doc:"failures: too many in a row. key_unavailable: no key of the service decrypts the secret; deliveries wait until one does."`
	Creator                 string                 `json:"-"`
	CreatedAt               envelope.Time          `json:"created_at" format:"date-time" doc:"Time of the creation."`
	UpdatedAt               envelope.Time          `json:"updated_at" format:"date-time" doc:"Time of the last change."`
}

// EndpointCamel is EndpointView in camelCase.
type EndpointCamel struct {
	ID                      string                 `json:"endpointId" format:"uuid" doc:"Identifier of the endpoint."`
	Name                    string                 `json:"name" doc:"Name that deliveries refer to."`
	URL                     string                 `json:"url" doc:"Address of the receiver."`
	Events                  []string               `json:"events" doc:"Event types, or patterns of them."`
	Policies                []string               `json:"policyIds" doc:"Policy IDs, or patterns of them. Events of clients without a policy are always sent."`
	Enabled                 bool                   `json:"enabled" doc:"Whether messages are sent."`
	DisabledReason          outbox.DisabledReason  `json:"disabledReason,omitempty" doc:"admin: disabled by an admin. gone: the receiver returned 410. failing: every attempt of 5 days failed. failures: 100 attempts in a row failed."`
	DisabledAt              *envelope.Time         `json:"disabledAt,omitempty" format:"date-time" doc:"Time of the disabling."`
	Signature               outbox.SignatureScheme `json:"signature" doc:"Signatures of a message: HMAC-SHA256 (v1), Ed25519 (v1a), or both."`
	SecretHint              string                 `json:"secretHint" doc:"Last 4 characters of the secret."`
	PublicKey               string                 `json:"publicKey" doc:"whpk_ and base64: the Ed25519 key that verifies v1a."`
	PreviousSecretExpiresAt *envelope.Time         `json:"previousSecretExpiresAt,omitempty" format:"date-time" doc:"End of the signatures with the previous secret."`
	Failures                int                    `json:"failures" doc:"Failed attempts in a row."`
	FailingSince            *envelope.Time         `json:"failingSince,omitempty" format:"date-time" doc:"Time of the first of the failed attempts in a row."`
	PausedUntil             *envelope.Time         `json:"pausedUntil,omitempty" format:"date-time" doc:"End of the pause after failures in a row. Waiting deliveries lose no attempt."`
	PausedReason            PausedReason           `json:"pausedReason,omitempty" doc:"failures: too many in a row. key_unavailable: no key of the service decrypts the secret; deliveries wait until one does."`
	Creator                 string                 `json:"createdBy" doc:"Subject of the creator's token."`
	CreatedAt               envelope.Time          `json:"createdAt" format:"date-time" doc:"Time of the creation."`
	UpdatedAt               envelope.Time          `json:"updatedAt" format:"date-time" doc:"Time of the last change."`
}

// PausedReason is the reason of a pause of an enabled endpoint.
type PausedReason string

// The reasons of a pause.
const (
	PausedFailures       PausedReason = "failures"
	PausedKeyUnavailable PausedReason = "key_unavailable"
)

// Values returns every value.
func (PausedReason) Values() []PausedReason {
	return []PausedReason{PausedFailures, PausedKeyUnavailable}
}

// ViewEndpoint returns the view of an endpoint at a time.
func (s *Service[By]) ViewEndpoint(e outbox.Endpoint, now time.Time) EndpointView {
	view := EndpointView{
		ID: e.ID, Name: e.Name, URL: e.URL, Events: append([]string{}, e.Events...),
		Policies: append([]string{}, e.PolicyKeys...), Enabled: e.Enabled,
		DisabledReason: e.DisabledReason, DisabledAt: envelope.OptionalTime(e.DisabledAt),
		Signature: e.Signature, SecretHint: e.Key.Hint, PublicKey: e.Key.PublicKey,
		Failures: e.Health.Failures, FailingSince: envelope.OptionalTime(e.Health.FailingSince),
		Creator: e.CreatedBy.ID, CreatedAt: envelope.Time{Time: e.CreatedAt}, UpdatedAt: envelope.Time{Time: e.UpdatedAt},
	}
	if len(e.Keys(now)) > 1 {
		view.PreviousSecretExpiresAt = envelope.OptionalTime(e.PreviousUntil)
	}
	if now.Before(e.Health.PausedUntil) {
		view.PausedUntil, view.PausedReason = envelope.OptionalTime(e.Health.PausedUntil), PausedFailures
	}
	if e.Enabled && !s.Signs(e, now) {
		view.PausedReason = PausedKeyUnavailable
	}
	return view
}

// DeliveryView is a delivery of an event of type E to a target of type T.
type DeliveryView[E ~string, T any] struct {
	ID              string                `json:"id" format:"uuid" doc:"Identifier of the delivery."`
	EventID         string                `json:"event_id" doc:"Identifier of the event: the webhook-id of every attempt."`
	EventType       E                     `json:"event_type" doc:"Type of the event."`
	Subject         *string               `json:"request_id" format:"uuid" nullable:"true" doc:"Request of the event; null for an event of the service."`
	Sequence        int64                 `json:"sequence" doc:"Position of the event among those of the request, or of the service."`
	Endpoint        T                     `json:"endpoint" doc:"Target of the message."`
	Status          outbox.DeliveryStatus `json:"status" doc:"Status of the delivery."`
	Attempt         int                   `json:"attempt" doc:"Attempts in this cycle."`
	MaxAttempts     int                   `json:"max_attempts" doc:"Maximum number of attempts in a cycle."`
	Cycle           int                   `json:"cycle" doc:"Cycle of attempts, from 1; a retry starts another one."`
	NextAttemptAt   *envelope.Time        `json:"next_attempt_at" format:"date-time" nullable:"true" doc:"Time of the next attempt; null without one."`
	LastAttemptAt   *envelope.Time        `json:"last_attempt_at" format:"date-time" nullable:"true" doc:"Start of the last attempt; null before the first."`
	LastStatusCode  int                   `json:"last_status_code,omitempty" doc:"HTTP status of the last response."`
	LastError       string                `json:"last_error,omitempty" doc:"Error of the last attempt."`
	LastDurationMS  int64                 `json:"last_duration_ms,omitempty" doc:"Duration of the last attempt in milliseconds."`
	ResponseExcerpt string                `json:"response_excerpt,omitempty" doc:"At most 2 KiB of the last response."`
	DeliveredAt     *envelope.Time        `json:"delivered_at" format:"date-time" nullable:"true" doc:"Time of the successful attempt; null before it."`
	CreatedAt       envelope.Time         `json:"created_at" format:"date-time" doc:"Time of the creation."`
	UpdatedAt       envelope.Time         `json:"updated_at" format:"date-time" doc:"Time of the last change."`
}

// DeliveryCamel is DeliveryView in camelCase.
type DeliveryCamel[E ~string, T any] struct {
	ID              string                `json:"deliveryId" format:"uuid" doc:"Identifier of the delivery."`
	EventID         string                `json:"eventId" format:"uuid" doc:"Identifier of the event: the webhook-id of every attempt."`
	EventType       E                     `json:"eventType" doc:"Type of the event."`
	Subject         *string               `json:"clientId,omitempty" doc:"Client of the event; absent for a test."`
	Sequence        int64                 `json:"sequence" doc:"Position of the event; grows with the changes of a client."`
	Endpoint        T                     `json:"endpoint" doc:"Target of the message."`
	Status          outbox.DeliveryStatus `json:"status" doc:"Status of the delivery."`
	Attempt         int                   `json:"attempt" doc:"Attempts in this cycle."`
	MaxAttempts     int                   `json:"maxAttempts" doc:"Maximum number of attempts in a cycle."`
	Cycle           int                   `json:"cycle" doc:"Cycle of attempts, from 1; a retry starts another one."`
	NextAttemptAt   *envelope.Time        `json:"nextAttemptAt,omitempty" format:"date-time" doc:"Time of the next attempt; absent without one."`
	LastAttemptAt   *envelope.Time        `json:"lastAttemptAt,omitempty" format:"date-time" doc:"Start of the last attempt."`
	LastStatusCode  int                   `json:"lastStatusCode,omitempty" doc:"HTTP status of the last response."`
	LastError       string                `json:"lastError,omitempty" doc:"Error of the last attempt."`
	LastDurationMS  int64                 `json:"lastDurationMs,omitempty" doc:"Duration of the last attempt in milliseconds."`
	ResponseExcerpt string                `json:"responseExcerpt,omitempty" doc:"At most 2 KiB of the last response."`
	DeliveredAt     *envelope.Time        `json:"deliveredAt,omitempty" format:"date-time" doc:"Time of the successful attempt."`
	CreatedAt       envelope.Time         `json:"createdAt" format:"date-time" doc:"Time of the creation."`
	UpdatedAt       envelope.Time         `json:"updatedAt" format:"date-time" doc:"Time of the last change."`
}

// TargetView is an outbox.Target. A callback has neither id nor name.
type TargetView struct {
	EndpointID string `json:"id,omitempty" format:"uuid" doc:"Identifier of the webhook endpoint; absent for a callback_url."`
	Endpoint   string `json:"name,omitempty" doc:"Name of the webhook endpoint; absent for a callback_url."`
	URL        string `json:"url" doc:"Address of the last attempt. The next one uses the current address of the endpoint."`
}

// TargetCamel is TargetView in camelCase.
type TargetCamel struct {
	EndpointID string `json:"endpointId" format:"uuid" doc:"Identifier of the webhook endpoint."`
	Endpoint   string `json:"name" doc:"Name of the webhook endpoint."`
	URL        string `json:"url" doc:"Address of the last attempt. The next one uses the current address of the endpoint."`
}

// ViewDelivery returns the view of a delivery. target is that of d.Target.
func ViewDelivery[E ~string, T any](d outbox.Delivery, target T) DeliveryView[E, T] {
	view := DeliveryView[E, T]{
		ID: d.ID, EventID: d.EventID, EventType: E(d.EventType), Sequence: d.Sequence, Endpoint: target, Status: d.Status,
		Attempt: d.Attempt, MaxAttempts: work.MaxAttempts, Cycle: d.Cycle, LastAttemptAt: envelope.OptionalTime(d.LastAttemptAt),
		LastStatusCode: d.LastStatusCode, LastError: d.LastError, LastDurationMS: d.LastDuration.Milliseconds(),
		ResponseExcerpt: d.ResponseExcerpt, DeliveredAt: envelope.OptionalTime(d.DeliveredAt),
		CreatedAt: envelope.Time{Time: d.CreatedAt}, UpdatedAt: envelope.Time{Time: d.UpdatedAt},
	}
	if d.Subject != "" {
		view.Subject = &d.Subject
	}
	if d.Status == outbox.DeliveryPending || d.Status == outbox.DeliverySending {
		view.NextAttemptAt = envelope.OptionalTime(d.NextAttemptAt)
	}
	return view
}

// AttemptView is an attempt of a delivery.
type AttemptView struct {
	Cycle      int                   `json:"cycle" doc:"Cycle of attempts, from 1."`
	N          int                   `json:"n,omitempty" doc:"Number of the attempt in its cycle; absent if a worker stopped without a result."`
	StartedAt  envelope.Time         `json:"started_at" format:"date-time" doc:"Start of the attempt."`
	FinishedAt *envelope.Time        `json:"finished_at" format:"date-time" nullable:"true" doc:"End of the attempt; null without one."`
	Outcome    outbox.AttemptOutcome `json:"outcome" doc:"Outcome of the attempt."`
	StatusCode int                   `json:"status_code,omitempty" doc:"HTTP status of the response."`
	Error      string                `json:"error,omitempty" doc:"Error of the attempt."`
	Excerpt    string                `json:"response_excerpt,omitempty" doc:"At most 2 KiB of the response."`
}

// AttemptCamel is AttemptView in camelCase.
type AttemptCamel struct {
	Cycle      int                   `json:"cycle" doc:"Cycle of attempts, from 1."`
	N          int                   `json:"n,omitempty" doc:"Number of the attempt in its cycle; absent if a worker stopped without a result."`
	StartedAt  envelope.Time         `json:"startedAt" format:"date-time" doc:"Start of the attempt."`
	FinishedAt *envelope.Time        `json:"finishedAt,omitempty" format:"date-time" doc:"End of the attempt; absent without one."`
	Outcome    outbox.AttemptOutcome `json:"outcome" doc:"Outcome of the attempt."`
	StatusCode int                   `json:"statusCode,omitempty" doc:"HTTP status of the response."`
	Error      string                `json:"error,omitempty" doc:"Error of the attempt."`
	Excerpt    string                `json:"responseExcerpt,omitempty" doc:"At most 2 KiB of the response."`
}

// ViewAttempts returns the views of attempts as AttemptView or AttemptCamel.
func ViewAttempts[V any](attempts []outbox.Attempt, convert func(AttemptView) V) []V {
	list := make([]V, len(attempts))
	for i, t := range attempts {
		list[i] = convert(AttemptView{
			Cycle: t.Cycle, N: t.N, StartedAt: envelope.Time{Time: t.StartedAt}, FinishedAt: envelope.OptionalTime(t.FinishedAt),
			Outcome: t.Outcome, StatusCode: t.StatusCode, Error: t.Error, Excerpt: t.Excerpt,
		})
	}
	return list
}

// Payload is the body of a webhook as sent, with the schema of type P.
type Payload[P any] struct{ json.RawMessage }

// Schema returns the schema of P.
func (Payload[P]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[P](), true, "")
}
