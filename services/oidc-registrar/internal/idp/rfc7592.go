package idp

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/hashicorp/go-retryablehttp"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Changes of clients by RFC 7592. A provider may replace the registration access token of a
// client with each answer, so a write is tried once with a token: if its answer is lost, the
// token may be void, and there is no telling whether the write was done. With credentials of
// this service's own (Options.ManageClientID) a write is repeated like any other call.

// Update replaces the metadata of c (RFC 7592 §2.2).
func (r *RFC7591) Update(ctx context.Context, c registrar.Client, record registrar.ProviderRecord, prior registrar.Prior) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if !r.manages(record) {
		return record, refused("", "it offers no way to change a client (RFC 7592)")
	}
	if prior == registrar.PriorUnknown && r.manage == nil { // the token may be void
		return record, doubtful("update: an earlier one with the same registration access token was not answered")
	}
	body, err := r.metadata(ctx, c)
	if err != nil {
		return record, notSent{err}
	}
	body.ClientID = record.ClientID
	if c.Status == registrar.ClientInactive {
		if body.JWKS, err = nobodysKey(); err != nil {
			return record, err
		}
		body.AuthMethod, body.SigningAlg = "private_key_jwt", "ES256"
	}
	a, err := r.write(ctx, http.MethodPut, record, body)
	if err != nil {
		return record, err
	}
	info, err := a.information()
	if err == nil && info.ClientID != record.ClientID {
		err = unreachable("update: the answer is about another client")
	}
	if err != nil {
		return record, r.lost(a, err)
	}
	// The provider may replace both (RFC 7592 §3). The old ones are void then.
	record.URI = cmp.Or(info.URI, record.URI)
	record.AccessToken = cmp.Or(info.AccessToken, record.AccessToken)
	return record, info.check(body)
}

// manages reports whether the provider has said how to change the client. Our own
// credentials go nowhere but to the provider itself.
func (r *RFC7591) manages(record registrar.ProviderRecord) bool {
	if r.manage == nil {
		return record.URI != "" && record.AccessToken != ""
	}
	own, err := url.Parse(r.caller.base)
	if err != nil {
		return false
	}
	uri, err := url.Parse(record.URI)
	return err == nil && uri.Scheme == own.Scheme && uri.Host == own.Host
}

// write makes a call that changes a client.
func (r *RFC7591) write(ctx context.Context, method string, record registrar.ProviderRecord, body any) (answer, error) {
	a, err := r.call(ctx, r.caller.once, method, record, body)
	switch {
	case err != nil:
		return a, r.lost(a, err)
	case a.denied() && r.manage != nil:
		return a, a.rejected("change a client")
	case a.denied(): // also for a client that it does not know any more (RFC 7592 §2.2)
		return a, refused("", "it does not accept the client's registration access token any more")
	}
	return a, nil
}

// call makes a call about a client: with credentials of this service's own or else, by client,
// with the client's own token.
func (r *RFC7591) call(ctx context.Context, client *retryablehttp.Client, method string, record registrar.ProviderRecord, body any) (answer, error) {
	if r.manage != nil {
		return r.caller.json(ctx, r.manage, method, record.URI, body)
	}
	return r.caller.jsonWith(ctx, client, method, record.URI, body, string(record.AccessToken))
}

// lost is what an error of a write means: with a token that may be void now, doubt.
func (r *RFC7591) lost(a answer, err error) error {
	switch {
	case r.manage != nil, !errors.Is(err, ErrUnreachable), errors.Is(err, ErrNotSent):
		return err
	case a.status == http.StatusServiceUnavailable, a.status >= 400 && a.status < 500: // it has not tried
		return notSent{err}
	}
	return doubtful("update: %v", err)
}

// NeedsLogo is false: no metadata but redirect URIs are required (RFC 7591 §2).
func (r *RFC7591) NeedsLogo() bool { return false }

// RollsKeys is true: the metadata of a client have its JWK Set.
func (r *RFC7591) RollsKeys() bool { return true }

// Remove deletes c (RFC 7592 §2.3), if an answer has told how. What an answer that was lost
// has told cannot be known: such a client stays there, and nobody learns its id.
func (r *RFC7591) Remove(ctx context.Context, _ registrar.Client, record registrar.ProviderRecord, prior registrar.Prior) (registrar.Prior, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return prior, r.forget(ctx, record)
}

// forget deletes a client of the provider. It may be repeated: a client that is gone is 401
// (RFC 7592 §2.3).
func (r *RFC7591) forget(ctx context.Context, record registrar.ProviderRecord) error {
	if !r.manages(record) {
		return nil
	}
	a, err := r.call(ctx, r.caller.client, http.MethodDelete, record, nil)
	switch {
	case err != nil:
		return err
	case a.status < 300, a.status == http.StatusNotFound, a.status == http.StatusUnauthorized && r.manage == nil:
		return nil
	case a.denied():
		return a.rejected("delete a client")
	}
	return refused("", "it does not delete the client")
}
