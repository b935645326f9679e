package idp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// ESignet2 is the connector of the client management of eSignet 2.0.
//
// eSignet 2.0 answers a duplicate with 500, like its own failures. It returns the id and the status
// of a client, but no key. The connector therefore reads before the first registration: a client
// that exists then has another origin and is not changed without the confirmation of a
// PARTNER_ADMIN. A client that appears after a try without an answer is ours if there is no other
// writer (Options.SoleWriter) or after a confirmation.
//
// Changes use PATCH, since PUT accepts fewer ACRs than POST at one of its paths and has no
// encPublicKey.
type ESignet2 struct {
	caller *caller
	sole   bool
}

// NewESignet2 returns the connector of the eSignet at o.URL.
func NewESignet2(o Options) (*ESignet2, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return &ESignet2{c, o.SoleWriter}, nil
}

const eSignet2Path = "/client-mgmt/client"

// posts is the maximum number of times that a registration is sent while reads find no client.
const posts = 2

// newESignet2Client returns the mutable fields of c. clientNameLangMap is always sent: its absence is invalid_input.
func newESignet2Client(c registrar.Client) esignetClient {
	f := newESignetClient(c)
	if f.Names == nil {
		f.Names = map[string]string{}
	}
	if f.Config == nil {
		f.Config = json.RawMessage("{}") // removes earlier settings
	}
	return f
}

// Register creates c, which eSignet makes ACTIVE.
func (e *ESignet2) Register(ctx context.Context, c registrar.Client, prior registrar.Prior) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return registrar.ProviderRecord{}, e.register(ctx, c, prior)
}

func (e *ESignet2) register(ctx context.Context, c registrar.Client, prior registrar.Prior) error {
	sent, last := false, error(nil)
	for try := 0; ; try++ {
		_, found, err := e.get(ctx, c.ID)
		switch {
		case err != nil && sent:
			return unreachableError("%s; then the read: %s", last, err) // without ErrNotSent
		case err != nil:
			return notSentError{err}
		case found:
			return e.adopt(ctx, c, prior)
		case try == posts:
			return last
		}
		err = e.post(ctx, c)
		switch {
		case err == nil:
			return e.complete(ctx, c)
		case isCode(err, "duplicate_client_id"): // registered between the read and the try
			return ownerUnknown(prior, "eSignet has a client %s since a moment ago", c.ID)
		case errors.Is(err, ErrNotSent) && sent:
			return unreachableError("%s; then: %s", last, err) // without ErrNotSent
		case !errors.Is(err, ErrUnreachable), errors.Is(err, ErrNotSent):
			return err
		}
		sent, last, prior = true, err, max(prior, registrar.PriorUnknown)
	}
}

// adopt makes eSignet's existing client equal to c, if it is ours.
func (e *ESignet2) adopt(ctx context.Context, c registrar.Client, prior registrar.Prior) error {
	if !isOwnClient(prior, e.sole) {
		return ownerUnknown(prior, "eSignet has a client %s: an earlier try or a lost state of this service may have made it, or another owner", c.ID)
	}
	c.Status = registrar.ClientActive
	if err := e.change(ctx, c); err != nil {
		return partialError{err}
	}
	return nil
}

// post sends a registration once.
func (e *ESignet2) post(ctx context.Context, c registrar.Client) error {
	body := newESignet2Client(c).registration(c)
	_, _, err := e.caller.eSignet(ctx, e.caller.once, http.MethodPost, eSignet2Path, c.ID, body)
	return err
}

// complete sets the encryption key of a new client.
func (e *ESignet2) complete(ctx context.Context, c registrar.Client) error {
	if c.Extensions.EncKey == "" {
		return nil
	}
	err := e.patch(ctx, c.ID, map[string]any{"encPublicKey": json.RawMessage(c.Extensions.EncKey)})
	return finish(err, func() error { return e.patch(ctx, c.ID, deactivation) })
}

// deactivation is the PATCH that eSignet accepts for every client.
var deactivation = map[string]any{"status": registrar.ClientInactive}

// Update makes eSignet's record equal to c. For an INACTIVE client it sends only the status, which
// cannot be refused because of another field. The other fields are sent when it is ACTIVE again.
func (e *ESignet2) Update(ctx context.Context, c registrar.Client, record registrar.ProviderRecord,
	_ registrar.Prior) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := e.change(ctx, c)
	if isCode(err, "invalid_client_id") {
		err = ErrMissing
	}
	if !errors.Is(err, ErrUnreachable) || errors.Is(err, ErrNotSent) {
		return record, err
	}
	if _, found, readErr := e.get(ctx, c.ID); readErr == nil && !found {
		err = ErrMissing
	}
	return record, err
}

func (e *ESignet2) change(ctx context.Context, c registrar.Client) error {
	if c.Status == registrar.ClientInactive {
		return e.patch(ctx, c.ID, deactivation)
	}
	f := newESignet2Client(c)
	f.Status = registrar.ClientActive
	f.EncKey = json.RawMessage(cmp.Or(c.Extensions.EncKey, "null")) // null removes an earlier key
	return e.patch(ctx, c.ID, f)
}

// patch changes members of a client that is confirmed as ours.
func (e *ESignet2) patch(ctx context.Context, id string, members any) error {
	_, _, err := e.caller.eSignet(ctx, e.caller.client, http.MethodPatch, eSignet2Path+"/"+url.PathEscape(id), id, members)
	return err
}

// get returns the status of a client; found is false if eSignet has none.
func (e *ESignet2) get(ctx context.Context, id string) (status string, found bool, err error) {
	status, _, err = e.caller.eSignet(ctx, e.caller.client, http.MethodGet, eSignet2Path+"/"+url.PathEscape(id), id, nil)
	switch {
	case isCode(err, "invalid_client_id"):
		return "", false, nil
	case isRefusal(err):
		return "", false, unreachableError("read a client: %w", err)
	}
	return status, err == nil, err
}

// Remove makes c INACTIVE, since eSignet cannot delete clients. It does not change a client with an
// unknown owner.
func (e *ESignet2) Remove(ctx context.Context, c registrar.Client, _ registrar.ProviderRecord, prior registrar.Prior) (registrar.Prior, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, found, err := e.get(ctx, c.ID)
	switch {
	case err != nil:
		return prior, err
	case !found:
		return registrar.PriorNone, nil
	case !isOwnClient(prior, e.sole):
		return prior, ownerUnknown(prior, "eSignet has a client %s: an earlier try may have made it, or another owner", c.ID)
	}
	err = e.patch(ctx, c.ID, deactivation)
	if isCode(err, "invalid_client_id") {
		return registrar.PriorNone, nil
	}
	return prior, err
}

// MissingExtensions returns nil: this interface has members for all extensions.
func (e *ESignet2) MissingExtensions(registrar.Extensions) []string { return nil }

// Check gets an access token and calls eSignet once.
func (e *ESignet2) Check(ctx context.Context) error { return e.caller.check(ctx) }

// Abilities omits only the change of a client's key.
func (e *ESignet2) Abilities() Abilities {
	return Abilities{NeedsLogo: true, Names: ISONames, Metadata: storedHere, RemovesEncKey: true, Settles: true,
		Limits: eSignetLimits, Unreturned: []string{
			"clientName", "logoUri", "redirectUris", "grantTypes", "clientAuthMethods", "publicKey", "userClaims", "authContextRefs",
			"encPublicKey", "additionalConfig",
		}}
}

// Read compares the status of c, the only comparable field that eSignet returns.
func (e *ESignet2) Read(ctx context.Context, c registrar.Client,
	record registrar.ProviderRecord) (registrar.Difference, registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	status, found, err := e.get(ctx, c.ID)
	switch {
	case err != nil:
		return registrar.Difference{}, record, err
	case !found:
		return registrar.Difference{Kind: registrar.DifferenceMissing}, record, nil
	case status != string(c.Status):
		other := registrar.OtherValue{Member: "status", Here: string(c.Status), There: printablePrefix(status)}
		return registrar.DifferentMembers(other), record, nil
	}
	return registrar.Difference{}, record, nil
}
