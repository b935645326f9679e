package idp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// ESignet is the connector of the client management of eSignet until 1.8.
//
// eSignet has no operation to read a client, and checks the id for duplicates before the key. After
// an earlier try, a duplicate may be its result or another owner's client. It counts as ours if
// this service is the only writer (Options.SoleWriter) or after a confirmation. Otherwise the
// outcome is unknown, and the connector does not change the client.
type ESignet struct {
	caller *caller
	sole   bool
	path   string // newest interface: oidc-client, oauth-client with names (1.2), client with additionalConfig (1.6)
	patch  bool   // the interface client has PATCH (1.8)
}

// NewESignet returns the connector of the eSignet at o.URL.
func NewESignet(o Options) (*ESignet, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return &ESignet{c, o.SoleWriter, cmp.Or(o.ClientPath, "oidc-client"), o.ClientPatch}, nil
}

// esignetClient is a client in eSignet's format. A change omits immutable fields.
type esignetClient struct {
	ClientID       string                 `json:"clientId,omitzero"`
	ClientName     string                 `json:"clientName"`
	PublicKey      json.RawMessage        `json:"publicKey,omitzero"`
	RelyingPartyID string                 `json:"relyingPartyId,omitzero"`
	UserClaims     []string               `json:"userClaims"`
	ACRs           []string               `json:"authContextRefs"`
	LogoURI        string                 `json:"logoUri"`
	RedirectURIs   []string               `json:"redirectUris"`
	GrantTypes     []string               `json:"grantTypes"`
	AuthMethods    []string               `json:"clientAuthMethods"`
	Status         registrar.ClientStatus `json:"status,omitzero"`
	Names          map[string]string      `json:"clientNameLangMap,omitzero"`
	Config         json.RawMessage        `json:"additionalConfig,omitzero"`
	EncKey         json.RawMessage        `json:"encPublicKey,omitzero"`
}

// newESignetClient returns the mutable fields of c.
func newESignetClient(c registrar.Client) esignetClient {
	f := esignetClient{
		ClientName: c.Name, UserClaims: registrar.NotNil(c.UserClaims), ACRs: registrar.NotNil(c.ACRs), LogoURI: c.LogoURI,
		RedirectURIs: registrar.NotNil(c.RedirectURIs), GrantTypes: registrar.NotNil(c.GrantTypes),
		AuthMethods: registrar.NotNil(c.AuthMethods),
		Names:       c.Extensions.ISONames(),
	}
	if c.Extensions.Config != "" {
		f.Config = json.RawMessage(c.Extensions.Config)
	}
	return f
}

// registration adds the immutable fields.
func (f esignetClient) registration(c registrar.Client) esignetClient {
	f.ClientID, f.PublicKey, f.RelyingPartyID = c.ID, json.RawMessage(c.Key.JWK), c.PartnerID
	return f
}

func (e *ESignet) client(c registrar.Client) esignetClient {
	f := newESignetClient(c)
	if e.path == "oidc-client" {
		f.Names = nil
	}
	return f
}

// endpoint returns the path for c. Until eSignet 1.6 the second interface requires names, so a client
// without them uses the first.
func (e *ESignet) endpoint(c registrar.Client) string {
	if e.path == "oauth-client" && len(c.Extensions.ISONames()) == 0 {
		return "/client-mgmt/oidc-client"
	}
	return "/client-mgmt/" + e.path
}

// MissingExtensions returns the extensions without a member in the interface, apart from names, which the
// first one omits. Only PATCH sets the encryption key.
func (e *ESignet) MissingExtensions(x registrar.Extensions) []string {
	return slices.DeleteFunc(x.List(), func(name string) bool {
		switch {
		case name == registrar.NamesExtension:
			return true
		case name == registrar.EncKeyExtension:
			return e.patch
		case name == registrar.ConfigExtension+".id_token_response_type": // of 2.0
			return false
		}
		return e.path == "client"
	})
}

// Register creates c, which eSignet makes ACTIVE.
func (e *ESignet) Register(ctx context.Context, c registrar.Client, prior registrar.Prior) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return registrar.ProviderRecord{}, e.register(ctx, c, prior)
}

func (e *ESignet) register(ctx context.Context, c registrar.Client, prior registrar.Prior) error {
	acted, err := e.call(ctx, http.MethodPost, e.endpoint(c), c.ID, e.client(c).registration(c))
	if err == nil {
		return e.complete(ctx, c)
	}
	if !isCode(err, "duplicate_client_id") {
		return err
	}
	if acted && prior == registrar.PriorNone {
		prior = registrar.PriorUnknown
	}
	if !isOwnClient(prior, e.sole) {
		return ownerUnknown(prior, "eSignet has a client %s: an earlier try or a lost state of this service may have made it, or another owner", c.ID)
	}
	if err := e.change(ctx, c, registrar.ClientActive); err != nil { // eSignet may have an earlier version of the client
		return partialError{err}
	}
	return nil
}

// isOwnClient reports whether eSignet's client with the id is this client. eSignet returns no key. A
// client that existed before the first try therefore has an unknown owner until a PARTNER_ADMIN
// confirms it. sole is Options.SoleWriter.
func isOwnClient(prior registrar.Prior, sole bool) bool {
	return prior == registrar.PriorOurs || prior == registrar.PriorUnknown && sole
}

// ownerUnknown returns the error for a client with the same id and an unknown owner. Without an earlier
// try nothing was sent, and a repetition is a first attempt again.
func ownerUnknown(prior registrar.Prior, format string, args ...any) error {
	err := outcomeUnknown(format, args...)
	if prior == registrar.PriorNone {
		return notSentError{err}
	}
	return err
}

// complete sets the fields that a registration does not have.
func (e *ESignet) complete(ctx context.Context, c registrar.Client) error {
	return finish(e.encrypt(ctx, c), func() error { return e.put(ctx, c, registrar.ClientInactive) })
}

// finish returns the error of a registration whose second step ended with err. After a refusal it
// disables the client until its owner corrects or abandons it.
func finish(err error, disable func() error) error {
	if err == nil {
		return nil
	}
	if isRefusal(err) {
		if failed := disable(); failed != nil {
			err = unreachableError("disable a client that was refused in part (%v): %w", err, failed)
		}
	}
	return partialError{err}
}

// Update replaces the mutable fields of c and its status.
func (e *ESignet) Update(
	ctx context.Context,
	c registrar.Client,
	record registrar.ProviderRecord,
	_ registrar.Prior,
) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return record, e.change(ctx, c, c.Status)
}

// change replaces the mutable fields of c. It sets the encryption key first: after a refusal
// nothing has changed. An INACTIVE client needs no encryption key.
func (e *ESignet) change(ctx context.Context, c registrar.Client, status registrar.ClientStatus) error {
	if status == registrar.ClientActive {
		if err := e.encrypt(ctx, c); err != nil {
			return err
		}
	}
	return e.put(ctx, c, status)
}

// encrypt sets the encryption key of c, if it has one. The client must be confirmed as ours.
func (e *ESignet) encrypt(ctx context.Context, c registrar.Client) error {
	if c.Extensions.EncKey == "" {
		return nil
	}
	key := struct {
		EncKey json.RawMessage `json:"encPublicKey"`
	}{json.RawMessage(c.Extensions.EncKey)}
	_, err := e.call(ctx, http.MethodPatch, e.endpoint(c)+"/"+url.PathEscape(c.ID), c.ID, key)
	return err
}

// put replaces the mutable fields of c. The client must be confirmed as ours.
func (e *ESignet) put(ctx context.Context, c registrar.Client, status registrar.ClientStatus) error {
	body := e.client(c)
	body.Status = status
	_, err := e.call(ctx, http.MethodPut, e.endpoint(c)+"/"+url.PathEscape(c.ID), c.ID, body)
	return err
}

// Remove makes c INACTIVE, since eSignet cannot delete clients. If the owner is unknown it
// registers c first. eSignet accepts that only for a free id, which proves the ownership.
func (e *ESignet) Remove(ctx context.Context, c registrar.Client, _ registrar.ProviderRecord, prior registrar.Prior) (registrar.Prior, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if prior == registrar.PriorUnknown && !e.sole {
		bare := c
		bare.Extensions.EncKey = "" // set by a separate call, and not needed here
		err := e.register(ctx, bare, prior)
		if isRefusal(err) {
			err = outcomeUnknown("eSignet refuses a client %s that it may have: %v", c.ID, err)
		}
		if err != nil {
			return prior, err
		}
		prior = registrar.PriorOurs
	}
	err := e.put(ctx, c, registrar.ClientInactive)
	if isCode(err, "invalid_client_id") { // no such client
		return registrar.PriorNone, nil
	}
	return prior, err
}

// Check gets an access token and calls eSignet once.
func (e *ESignet) Check(ctx context.Context) error { return e.caller.check(ctx) }

// eSignetLimits are the widths of the columns of table client_detail of eSignet 1.0 to 2.0. Its limits for
// ids and logos are those of this service.
// storedHere are the members of metadata that this service keeps itself.
var storedHere = []string{"software_id", "software_version"}

var eSignetLimits = registrar.Limits{Provider: "eSignet", Names: 600, RedirectURIs: 2048, Claims: 2048, ACRs: 1024, Key: 1024}

// Abilities is empty but for the logo. No release until 1.8 can read a client, change its key or
// remove its encryption key.
func (e *ESignet) Abilities() Abilities {
	names := ISONames
	if e.path == "oidc-client" {
		names = NoNames
	}
	return Abilities{NeedsLogo: true, Limits: eSignetLimits, Names: names, Metadata: storedHere,
		Unreadable: "eSignet before 2.0 has no interface to read a client, so nothing can be compared with it"}
}

// Read returns a refusal; see Abilities.
func (e *ESignet) Read(
	_ context.Context,
	_ registrar.Client,
	record registrar.ProviderRecord,
) (registrar.Difference, registrar.ProviderRecord, error) {
	return registrar.Difference{}, record, newRefusal("", e.Abilities().Unreadable)
}

// call sends a client or a part of it. acted reports that an earlier failed try may have had an
// effect.
func (e *ESignet) call(ctx context.Context, method, path, id string, body any) (acted bool, err error) {
	_, acted, err = e.caller.eSignet(ctx, e.caller.client, method, path, id, body)
	return acted, err
}

// eSignet makes a call of client management in the provider's envelope and returns the status of
// the client. acted reports that an earlier failed try may have had an effect.
func (c *caller) eSignet(
	ctx context.Context,
	client *retryablehttp.Client,
	method, path, id string,
	body any,
) (status string, acted bool, err error) {
	if body != nil {
		body = struct {
			RequestTime string `json:"requestTime"`
			Request     any    `json:"request"`
		}{c.now().UTC().Format("2006-01-02T15:04:05.000Z"), body}
	}
	a, err := c.json(ctx, client, c.tokens, method, c.base+path, body)
	if err != nil {
		return "", a.acted, err
	}
	if a.isDenied() {
		return "", a.acted, a.tokenRejection(method + " " + path)
	}
	var reply struct {
		Response *struct {
			ClientID string `json:"clientId"`
			Status   string `json:"status"`
		} `json:"response"`
		Errors []struct {
			Code    string `json:"errorCode"`
			Message string `json:"errorMessage"`
		} `json:"errors"`
	}
	if err := a.decode(&reply); err != nil {
		return "", a.acted, err
	}
	switch {
	case len(reply.Errors) > 0 && reply.Errors[0].Code == "unknown_error" && tooLong.MatchString(reply.Errors[0].Message):
		return "", a.acted, errTooLong
	case len(reply.Errors) > 0 && reply.Errors[0].Code == "unknown_error":
		// eSignet returns this for its own failures, such as a lost database connection.
		return "", a.acted, unreachableError("%s %s: unknown_error", method, path)
	case len(reply.Errors) > 0:
		return "", a.acted, newRefusal(reply.Errors[0].Code, reply.Errors[0].Message)
	case a.status >= 300 || reply.Response == nil || reply.Response.ClientID != id:
		return "", a.acted, a.unusable("%s %s: status %d without the client in it", method, path, a.status)
	}
	return reply.Response.Status, a.acted, nil
}

// isCode reports whether err is a refusal with the given code of eSignet.
func isCode(err error, code string) bool {
	refused, ok := errors.AsType[*refusal.Error](err)
	return ok && registrar.ProviderCode(refused.Reason) == code
}
