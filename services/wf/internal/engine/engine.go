// Package engine implements the use cases of the service: one type per resource, one method per
// operation. A method opens the transaction, loads the rows, calls package wf and writes the result.
// The rules are in package wf.
package engine

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
)

// Options holds the dependencies and settings of an Engine.
type Options struct {
	Store *store.Store

	Keys seal.Keys // keys for the secrets of webhook endpoints; without them there are no endpoints

	// EndpointURL rejects the URL of an endpoint that the service may not call. Callback rejects a
	// callback_url that the service may not call or has no key for.
	EndpointURL, Callback func(url string) error

	// Resolve answers rules that require a directory or a resolver; nil if neither is configured.
	// It returns wf.ResolverFailed for a temporary failure and wf.EngineRefused for a permanent
	// one. It is called outside transactions.
	Resolve func(context.Context, approver.Question) ([]identity.User, error)

	// Search finds users of the directory by a part of their name, with the errors of Resolve; nil
	// without a directory.
	Search func(ctx context.Context, text string, limit int) ([]identity.User, error)

	Directory bool                    // Resolve answers for a directory
	HTTPRule  func(policy.Rule) error // checks an http rule; nil when there are no resolvers

	// Notifications holds the notification defaults; nil if notifications are disabled.
	Notifications *NotificationDefaults

	// Wake notifies the workers that a delivery may be due. It must not block.
	Wake func()

	// Changed notifies the calls that wait for a request. It must not block; nil if no calls wait.
	Changed func(id string, rev int64)

	// Receipts sign receipts of approvals and checkpoints of the audit trail; empty if disabled. ReceiptIssuer is their iss.
	Receipts      receipt.Keys
	ReceiptIssuer string

	// Pages is the base URL of the inbox pages, for links in messages; empty if not configured.
	Pages string

	NoPeopleSearch bool // the search for people is disabled
	FourEyes       bool // a version cannot be activated by its last editor

	// Patience is the minimum time limit for the questions of an operation. Zero selects the
	// production limits. Tests set a high value, so that they pass on a slow machine.
	Patience time.Duration

	Metrics *metrics.Registry // may be nil
}

// Engine has the use cases, by resource. It is safe for concurrent use.
type Engine struct {
	Requests    *Requests
	Tasks       *Tasks
	Policies    *Policies
	Delegations *Delegations
	Notices     *Notices
	People      *People
	Audit       *Audit
	Webhooks    *Webhooks
	Timers      *Timers
	Deletion    *Deletion
}

// New returns an Engine.
func New(o Options) *Engine {
	c := &core{Options: o, store: o.Store, measures: newMeasures(o.Metrics)}
	return &Engine{
		Requests: &Requests{c}, Tasks: &Tasks{c}, Policies: &Policies{c}, Delegations: &Delegations{c},
		Notices: &Notices{c}, People: &People{c}, Audit: &Audit{c}, Webhooks: newWebhooks(c),
		Timers: &Timers{c}, Deletion: &Deletion{c},
	}
}

// core is the part that the use cases share.
type core struct {
	Options
	store    *store.Store
	measures *measures
}

// newID returns a UUIDv7. Ids sort by time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
