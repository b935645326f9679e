package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Clients has the use cases of clients: registration, changes, keys and reads.
type Clients struct{ *core }

// RegisterClient registers a client through an interface: in the partner API under a policy of its partner, else with
// the claims and ACRs of the request. requestTime is that of the envelope, or empty.
//
// The client is ACTIVE, or PENDING if a repeated request overtakes the first. After a
// ProviderUnreachable error it is PENDING, and the worker retries.
func (g *Clients) RegisterClient(
	ctx context.Context, by Caller, i registrar.Interface, requestTime string, in *registrar.Request,
) (registrar.Client, error) {
	client, _, err := g.registerClient(ctx, by, i, requestTime, in)
	return client, err
}

// registerClient is RegisterClient that also reports a repeated registration.
func (g *Clients) registerClient(
	ctx context.Context, by Caller, i registrar.Interface, requestTime string, in *registrar.Request,
) (client registrar.Client, repeat bool, err error) {
	defer func() { g.measures.countRegistration(i.API, client, err) }()
	// This check comes first, so that the answer reveals nothing about another partner.
	if i.API == registrar.PartnerAPI && in != nil && in.PartnerID != "" && !by.Owns(in.PartnerID) {
		return client, false, g.refuse(ctx, by, "", refusal.New(registrar.ForeignCreate, "authPartnerId does not name the caller's own partner"))
	}
	reg, err := g.Rules.Register(i, in)
	if err = registrar.Join(g.Rules.CheckRequestTime(requestTime, g.Now()), err); err != nil {
		id := ""
		if in != nil && !errors.Is(err, registrar.InvalidClientID) {
			id = in.ClientID
		}
		return client, false, g.refuse(ctx, by, id, err)
	}
	return g.register(ctx, by, reg)
}

// register registers a checked client. It also reports a repeated registration.
func (g *Clients) register(ctx context.Context, by Caller, reg registrar.Registration) (client registrar.Client, repeat bool, err error) {
	begin, done := g.slot()
	defer done()
	client, repeat, pending, err := g.admit(ctx, by, reg, begin)
	if errors.Is(err, errConcurrent) {
		// The other registration is stored by now. It may be the same one.
		client, repeat, pending, err = g.admit(ctx, by, reg, begin)
	}
	if err != nil {
		return registrar.Client{}, false, g.refuse(ctx, by, reg.ID, err)
	}
	g.wakeApprovals(client)
	client, err = g.makeCall(ctx, client, pending, by)
	return client, repeat, err
}

// slot reserves a slot for a provider call without blocking; begin reports success. done releases
// it. A blocked caller would take the place of another in the service.
func (g *core) slot() (begin bool, done func()) {
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
func (g *core) makeCall(ctx context.Context, client registrar.Client, pending *store.Lease, by Caller) (registrar.Client, error) {
	switch {
	case pending == nil:
		return client, nil
	case !pending.IsLeased():
		return client, errBusy
	}
	return g.attempt(ctx, *pending, by.Subject)
}

// callStart is the start of a new call.
type callStart int

const (
	held  callStart = iota // until its approval
	due                    // immediately, by the worker
	begun                  // immediately, by this process
)

// beginIf returns the start of a call for which this process has a slot, or not.
func beginIf(begin bool) callStart {
	if begin {
		return begun
	}
	return due
}

// newCall returns the call of a client that replaces last, which may be the zero value. What is known about the state
// at the provider remains.
func (g *core) newCall(
	tx *store.Tx, id string, kind registrar.CallKind, last registrar.Call, wanted registrar.Update, by Caller, start callStart,
) *store.Lease {
	call := registrar.Call{ClientID: id, Kind: kind, Sent: last.Sent, Ours: last.Ours}
	l := store.NewCall(call, wanted, by.Subject, tx.Now())
	switch start {
	case held:
		l.Call = l.Hold()
	case begun:
		l = l.Begin(g.Process, tx.Now())
	}
	return &l
}

// errConcurrent reports that a concurrent transaction stored a client with the same id or key.
var errConcurrent = errors.New("overtaken by another registration")

// admit checks a registration and stores its client, with the call to the provider if one is
// required. It also reports a repeated registration.
func (g *Clients) admit(
	ctx context.Context, by Caller, reg registrar.Registration, begin bool,
) (client registrar.Client, repeat bool, pending *store.Lease, err error) {
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		pending = nil
		found, err := tx.Conflicts(reg.Client)
		if err != nil {
			return err
		}
		if repeat = len(found.Existing) > 0; repeat {
			client, err = repeatedRegistration(tx, found.Existing, reg, by.Subject)
			return err
		}
		if err := registrar.RefuseExtensions(g.Provider.MissingExtensions(reg.Extensions)); err != nil {
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
		if by.Open {
			if err := g.Open.check(tx, reg.PolicyID); err != nil {
				return err
			}
		}
		if err := g.checkLogo(granted.LogoURI); err != nil {
			return err
		}
		if len(reg.Keys()) > 1 {
			if err := g.checkKeyChange(); err != nil {
				return refusal.At(registrar.InvalidKey, "/publicKey", "must be one key: %s", refusal.MessageOf(err))
			}
		}
		client = granted.NewClient(by.Subject, tx.Now())
		if err := g.Rules.Limits.Check(registrar.Client{}, client); err != nil {
			return err
		}
		events := []registrar.Event{
			{
				ClientID: client.ID, Type: registrar.EventClientRegistered, Actor: by.Subject,
				Ignored: reg.Ignored, Flags: reg.Flags(),
			},
		}
		policy := g.approvalPolicyOr("")
		if found.Policy != nil {
			policy = g.approvalPolicyOr(found.Policy.ApprovalPolicy)
		}
		call := func(start callStart) *store.Lease {
			return g.newCall(tx, client.ID, registrar.CallRegister, registrar.Call{}, registrar.Update{}, by, start)
		}
		var stored *store.Lease
		switch {
		case policy != "":
			stored = call(held)
		case g.direct:
			if client, err = client.Activate("", tx.Now()); err != nil {
				return err
			}
			events = append(events,
				registrar.Event{ClientID: client.ID, Type: registrar.EventClientActivated, Actor: by.Subject})
		default:
			pending = call(beginIf(begin))
			stored = pending
		}
		err = tx.AddClient(client, stored, events...)
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
func (g *Clients) checkLogo(uri string) error {
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
		sameID = sameID || c.ID == reg.ID
	}
	if sameID && (reg.API == registrar.ProviderAPI || reg.IsPublic()) {
		return registrar.Client{}, refusal.New(registrar.DuplicateClientID, "client %s already exists", reg.ID)
	}
	return registrar.Client{}, refusal.New(registrar.DuplicateKey, "Client public key already exists.")
}

// refuse stores the refusal of a write as an event and returns it. It returns any other error
// unchanged. The refusal of a read is only in the log line of its call.
func (g *core) refuse(ctx context.Context, by Caller, id string, err error) error {
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
