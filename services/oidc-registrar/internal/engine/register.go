// Package engine implements the use cases of the service: one method for each operation. Only
// this package opens transactions. The rules are in package registrar. This package loads the rows,
// applies the rules, stores the results and calls the identity provider.
//
// No registration is lost. One transaction stores the client as PENDING together with the pending
// call to the provider. The call is made outside any transaction. A second transaction records its
// outcome. If the process dies in between, the lease of the call expires and the worker
// ([Engine.Pass]) repeats it.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox/admin"
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

// lease is the lease of a call to the provider. A call takes at most 12 seconds, plus the time to
// record its outcome. Calls of an ended process are taken over sooner.
const lease = time.Minute

// defaultCalls is the default limit of concurrent calls on behalf of callers.
const defaultCalls = 32

// Options holds the dependencies and settings of an Engine.
type Options struct {
	Store    *store.Store
	Rules    registrar.Rules
	Provider idp.Connector

	// Calls limits the concurrent provider calls on behalf of callers; 32 if 0. The worker makes up
	// to eight more.
	Calls int

	// Keys seal the registration access tokens of an RFC 7591 provider and the secrets of webhook
	// endpoints. Without them there are no endpoints.
	Keys seal.Keys

	// Approvals is the approval service, called under ApprovalPolicy or the policy's own. WakeApprovals
	// is called after a new approval is stored. All may be nil or empty.
	Approvals      *approval.Service
	ApprovalPolicy string
	WakeApprovals  func()

	// Process is the name of this process, unique in the database; see package heartbeat.
	Process string

	// Now is the clock for requestTime; nil means time.Now.
	Now func() time.Time

	EndpointURL func(url string) error // refuses a forbidden URL of an endpoint

	Logger  *slog.Logger      // slog.Default if nil
	Metrics *metrics.Registry // may be nil
}

// Engine implements the use cases. It is safe for concurrent use.
type Engine struct {
	Options
	*admin.Service[Caller, registrar.Page]
	store     *store.Store
	log       *slog.Logger
	measures  measures
	holder    store.Holder
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
	o.Logger = cmp.Or(o.Logger, slog.Default())
	_, direct := o.Provider.(idp.Local)
	g := &Engine{
		Options: o, store: o.Store, log: o.Logger, measures: newMeasures(o.Metrics), direct: direct,
		holder: store.Holder{Process: o.Process, Lease: lease}, slots: make(chan struct{}, cmp.Or(o.Calls, defaultCalls)),
	}
	g.Service = g.endpoints()
	return g
}

// Caller is an authenticated caller with their rights.
type Caller struct {
	Subject  string
	Partners []string // partners whose clients the caller may manage
	Admin    bool     // may manage the clients of every partner
	Service  bool     // service account

	ReadsProviderSide   bool // may read the clients of the client-management API
	ChangesProviderSide bool // may change them
}

// Owns reports whether the caller may manage the clients of a partner.
func (c Caller) Owns(partnerID string) bool {
	return c.Admin || partnerID != "" && slices.Contains(c.Partners, partnerID)
}

// RegisterPartnerClient registers a client under a policy of its partner.
//
// The client is ACTIVE, or PENDING if a repeated request overtakes the first. After a
// ProviderUnreachable error it is PENDING, and the worker retries.
func (g *Engine) RegisterPartnerClient(ctx context.Context, by Caller, in *registrar.PartnerRequest) (registrar.Client, error) {
	client, _, err := g.registerPartnerClient(ctx, by, in)
	return client, err
}

// registerPartnerClient is RegisterPartnerClient that also reports a repeated registration.
func (g *Engine) registerPartnerClient(ctx context.Context, by Caller, in *registrar.PartnerRequest) (client registrar.Client, repeat bool, err error) {
	defer func() { g.measures.countRegistration(registrar.PartnerAPI, client, err) }()
	// This check comes first, so that the answer reveals nothing about another partner.
	if in != nil && in.AuthPartnerID != "" && !by.Owns(in.AuthPartnerID) {
		return client, false, g.refuse(ctx, by, "", refusal.New(registrar.ForeignCreate, "authPartnerId does not name the caller's own partner"))
	}
	reg, err := g.Rules.Partner(in)
	if err != nil {
		return client, false, g.refuse(ctx, by, "", err)
	}
	return g.register(ctx, by, reg)
}

// RegisterProviderClient registers a client with the claims and ACRs of the request. requestTime is
// that of the envelope, or empty. The result is that of RegisterPartnerClient.
func (g *Engine) RegisterProviderClient(ctx context.Context, by Caller, requestTime string, in *registrar.ProviderRequest) (client registrar.Client, err error) {
	defer func() { g.measures.countRegistration(registrar.ProviderAPI, client, err) }()
	err = g.Rules.CheckRequestTime(requestTime, g.Now())
	var reg registrar.Registration
	if err == nil {
		reg, err = g.Rules.Provider(in)
	}
	if err != nil {
		id := ""
		if in != nil && !errors.Is(err, registrar.InvalidClientID) {
			id = in.ClientID
		}
		return registrar.Client{}, g.refuse(ctx, by, id, err)
	}
	client, _, err = g.register(ctx, by, reg)
	return client, err
}

// register is the common part of both interfaces. It also reports a repeated registration.
func (g *Engine) register(ctx context.Context, by Caller, reg registrar.Registration) (client registrar.Client, repeat bool, err error) {
	begin, done := g.slot()
	defer done()
	client, repeat, pending, err := g.admit(ctx, by, reg, begin)
	if errors.Is(err, errConcurrent) {
		// The other registration is stored by now. It may be the same one.
		client, repeat, pending, err = g.admit(ctx, by, reg, begin)
	}
	if err != nil {
		return registrar.Client{}, false, g.refuse(ctx, by, reg.ClientID, err)
	}
	g.wakeApprovals(client)
	client, err = g.makeCall(ctx, client, pending, by)
	return client, repeat, err
}

// slot reserves a slot for a provider call without blocking; begin reports success. done releases
// it. A blocked caller would take the place of another in the service.
func (g *Engine) slot() (begin bool, done func()) {
	select {
	case g.slots <- struct{}{}:
		return true, func() { <-g.slots }
	default:
		return false, func() {}
	}
}

// errBusy reports that the call is stored for the worker.
var errBusy error = &refusal.Error{
	Reason: registrar.ProviderUnreachable, Message: "the identity provider is slow: the call is stored and will be made later",
}

// makeCall makes the pending call if this process has begun it. The error is that of attempt.
func (g *Engine) makeCall(ctx context.Context, client registrar.Client, pending *store.Lease, by Caller) (registrar.Client, error) {
	switch {
	case pending == nil:
		return client, nil
	case !pending.Begun():
		return client, errBusy
	}
	return g.attempt(ctx, *pending, by.Subject)
}

// newCall returns a call that is due immediately: begun by this process, or left to the worker.
func (g *Engine) newCall(tx *store.Tx, call registrar.Call, wanted registrar.Update, by Caller, begin bool) *store.Lease {
	l := store.NewCall(call, wanted, by.Subject, tx.Now())
	if begin {
		l = l.Begin(g.holder, tx.Now())
	}
	return &l
}

// errConcurrent reports that a concurrent transaction stored a client with the same id or key.
var errConcurrent = errors.New("overtaken by another registration")

// admit checks a registration and stores its client, with the call to the provider if one is
// required. It also reports a repeated registration.
func (g *Engine) admit(ctx context.Context, by Caller, reg registrar.Registration, begin bool) (client registrar.Client, repeat bool, pending *store.Lease, err error) {
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		pending = nil
		found, err := tx.Conflicts(reg)
		if err != nil {
			return err
		}
		if repeat = len(found.Existing) > 0; repeat {
			client, err = repeatedRegistration(tx, found.Existing, reg, by.Subject)
			return err
		}
		if err := registrar.RefuseExtensions(g.Provider.Lacks(reg.Extensions)); err != nil {
			return err
		}
		granted := reg
		if reg.API == registrar.PartnerAPI {
			if granted, err = reg.Authorise(found.Partner, found.Policy, found.Mapping); err != nil {
				return err
			}
			if err := g.Rules.Check(granted); err != nil {
				return err
			}
		}
		if err := g.checkLogo(granted.LogoURI); err != nil {
			return err
		}
		client = granted.Client(by.Subject, tx.Now())
		events := []registrar.Event{{ClientID: client.ID, Type: registrar.EventClientRegistered, Actor: by.Subject, At: tx.Now(), Ignored: reg.Ignored, Flags: reg.Flags()}}
		policy := g.approvalPolicyOr("")
		if found.Policy != nil {
			policy = g.approvalPolicyOr(found.Policy.ApprovalPolicy)
		}
		var held *store.Lease
		if policy != "" {
			held = g.newHeldCall(tx, registrar.Call{ClientID: client.ID, Kind: registrar.CallRegister}, by)
		} else if g.direct {
			if client, err = client.Activate("", tx.Now()); err != nil {
				return err
			}
			events = append(events, registrar.Event{ClientID: client.ID, Type: registrar.EventClientActivated, Actor: by.Subject, At: tx.Now()})
		} else {
			pending = g.newCall(tx, registrar.Call{ClientID: client.ID, Kind: registrar.CallRegister}, registrar.Update{}, by, begin)
		}
		if policy == "" {
			tx.Last()
		}
		err = tx.AddClient(client, cmp.Or(pending, held), events...)
		if errors.Is(err, registrar.DuplicateClientID) || errors.Is(err, registrar.DuplicateKey) {
			return fmt.Errorf("%w: %w", errConcurrent, err)
		}
		if err == nil && policy != "" {
			_, err = g.requestApproval(tx, client, client, registrar.Update{}, by)
		}
		return err
	})
	return client, repeat, pending, err
}

// checkLogo refuses a client without a logo if the identity provider requires one.
func (g *Engine) checkLogo(uri string) error {
	if uri != "" || !g.Provider.Abilities().NeedsLogo {
		return nil
	}
	return refusal.At(registrar.InvalidLogoURI, "/logoUri", "is required by the identity provider behind this service")
}

// repeatedRegistration returns the client of a repeated registration, or the error that it failed with. It
// refuses a duplicate. An abandoned client keeps its id and key until its deletion.
func repeatedRegistration(tx *store.Tx, existing []registrar.Client, reg registrar.Registration, caller string) (registrar.Client, error) {
	sameID := false
	for _, c := range existing {
		if c.Repeats(reg, caller) {
			if c.Status == registrar.ClientFailed {
				return registrar.Client{}, c.Failure.Err()
			}
			if call, _, err := tx.Call(c.ID); call.Kind != registrar.CallRemove {
				return c, err
			}
		}
		sameID = sameID || c.ID == reg.ClientID
	}
	if sameID && reg.API == registrar.ProviderAPI {
		return registrar.Client{}, refusal.New(registrar.DuplicateClientID, "client %s already exists", reg.ClientID)
	}
	return registrar.Client{}, refusal.New(registrar.DuplicateKey, "Client public key already exists.")
}

// refuse stores the refusal of a write as an event and returns it. It returns any other error
// unchanged. The refusal of a read is only in the log line of its call.
func (g *Engine) refuse(ctx context.Context, by Caller, id string, err error) error {
	event, ok := refusalEvent(err)
	if !ok {
		return err
	}
	event.ClientID, event.Actor = id, by.Subject
	stored := g.store.Do(ctx, func(tx *store.Tx) error {
		event.At = tx.Now()
		return tx.AddRefusal(event)
	})
	if stored != nil {
		return stored
	}
	return err
}

// refusalEvent returns the event of a refusal.
func refusalEvent(err error) (registrar.Event, bool) {
	event := registrar.Event{Type: registrar.EventClientRefused}
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		return event, false
	}
	event.Reason, event.ProviderCode = refused.Reason.General(), registrar.ProviderCode(refused.Reason)
	if errors.Is(refused, registrar.PrivateKey) { // the key must be replaced
		event.Reason = registrar.PrivateKey
	}
	return event, event.Reason != registrar.ProviderUnreachable && event.Reason != registrar.ProviderOutcomeUnknown
}
