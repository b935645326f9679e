// Package engine implements the use cases of the service: one type for each resource, one method for
// each operation. Only this package opens transactions. The rules are in package registrar. This package loads the rows,
// applies the rules, stores the results and calls the identity provider.
//
// No registration is lost. One transaction stores the client as PENDING together with the pending
// call to the provider. The call is made outside any transaction. A second transaction records its
// outcome. If the process dies in between, the lease of the call expires and the worker
// ([Calls.Pass]) repeats it.
package engine

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/seal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/approval"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

var (
	// ErrUnavailable reports that the database is unavailable.
	ErrUnavailable = store.ErrUnavailable
	// ErrNoWrites reports that the database is read-only.
	ErrNoWrites = store.ErrNoWrites
	// ErrTimeout reports a statement timeout.
	ErrTimeout = store.ErrTimeout
	// ErrBusy reports a lock timeout on a client.
	ErrBusy = store.ErrBusy
)

// MaxCalls is the maximum number of concurrent provider calls on behalf of callers. Further calls are stored, and the
// worker makes them, up to Batch at a time.
const MaxCalls = 32

// Options holds the dependencies and settings of an Engine.
type Options struct {
	Store    *store.Store
	Rules    registrar.Rules
	Provider idp.Connector

	// Keys seal the registration access tokens of an RFC 7591 provider and the secrets of webhook
	// endpoints. Without them there are no endpoints.
	Keys seal.Keys

	// Approvals is the approval service, called under ApprovalPolicy or the policy's own. WakeApprovals
	// is called after a new approval is stored. All may be nil or empty.
	Approvals      *approval.Service
	ApprovalPolicy string
	WakeApprovals  func()

	// MappingPolicy is the policy of the approval service for mapping requests. If empty, an admin decides.
	MappingPolicy string

	// Open permits registrations without a token; the zero value permits none.
	Open OpenRegistration

	// Process is the name of this process, unique in the database; see package heartbeat.
	Process string

	// Now is the clock for requestTime; nil means time.Now.
	Now func() time.Time

	// Jitter spreads retries; see work.Delay. It is random if nil.
	Jitter func() float64

	EndpointURL func(url string) error // refuses a forbidden URL of an endpoint

	Logger  *slog.Logger      // slog.Default if nil
	Metrics *metrics.Registry // may be nil
}

// Engine has the use cases, by resource. It is safe for concurrent use.
type Engine struct {
	Clients        *Clients
	Outcomes       *Outcomes
	Tokens         *Tokens
	Approvals      *Approvals
	Audit          *Audit
	Calls          *Calls
	Catalog        *Catalog
	Transfer       *Transfer
	Reconciliation *Reconciliation
	Webhooks       *Webhooks
	Deletion       *Deletion
}

// core is the part that the use cases share: the database, the identity provider and the calls to it.
type core struct {
	Options
	store     *store.Store
	log       *slog.Logger
	measures  measures
	noUpdates sync.Once
	slots     chan struct{} // one for each provider call on behalf of a caller

	// direct reports that the provider reads its clients from this service, so a stored client is
	// usable immediately.
	direct bool
}

// New returns an Engine.
func New(o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64 // #nosec G404 -- jitter
	}
	o.Logger = cmp.Or(o.Logger, slog.Default())
	_, direct := o.Provider.(idp.Local)
	g := &core{
		Options: o, store: o.Store, log: o.Logger, measures: newMeasures(o.Metrics), direct: direct,
		slots: make(chan struct{}, MaxCalls),
	}
	clients := &Clients{g}
	return &Engine{
		Clients: clients, Outcomes: &Outcomes{g}, Tokens: &Tokens{g, clients}, Approvals: &Approvals{g}, Audit: &Audit{g}, Calls: &Calls{g},
		Catalog: &Catalog{g}, Transfer: &Transfer{g}, Reconciliation: &Reconciliation{g}, Webhooks: newWebhooks(g),
		Deletion: &Deletion{g},
	}
}

// Caller is an authenticated caller with their rights.
type Caller struct {
	Subject   string
	Partners  []string // partners whose clients the caller may manage
	Admin     bool     // may manage the clients of every partner
	Service   bool     // service account
	Requester string   // of approvals; empty for Subject
	Address   string   // of a caller of the standard API
	Open      bool     // of open registration

	Note string // reason of the operation, for its event; may be empty

	Acting []registrar.Party // parties that act for the subject, the current one first; empty if it acts itself

	ReadsProviderSide   bool // may read the clients of the client-management API
	ChangesProviderSide bool // may change them
}

// Context returns the context of the caller's operation, whose events record the parties that act for the caller.
func (c Caller) Context(ctx context.Context) context.Context { return store.WithActing(ctx, c.Acting) }

// requireAdmin refuses a caller that is not an admin.
func (c Caller) requireAdmin() error {
	if c.Admin {
		return nil
	}
	return refusal.New(registrar.ForeignRead, "this is for a PARTNER_ADMIN alone")
}

// Owns reports whether the caller may manage the clients of a partner.
func (c Caller) Owns(partnerID string) bool {
	return c.Admin || partnerID != "" && slices.Contains(c.Partners, partnerID)
}
