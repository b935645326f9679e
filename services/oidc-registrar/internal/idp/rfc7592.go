package idp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Changes of clients by RFC 7592. A provider may replace the registration access token of a client
// in each answer. A write with such a token is therefore tried once: if its answer is lost, the
// token may be void and the outcome is unknown. With this service's own credentials
// (Options.ManageClientID) a write is repeated like any other call.

// Update replaces the metadata of c (RFC 7592 §2.2).
func (r *RFC7591) Update(
	ctx context.Context,
	c registrar.Client,
	record registrar.ProviderRecord,
	prior registrar.Prior,
) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if !r.canManage(record) {
		return record, newRefusal("", "it offers no way to change a client (RFC 7592)")
	}
	if prior != registrar.PriorNone && r.manage == nil {
		// An earlier update had no answer, and the token may be void. A read decides, and its
		// answer contains the token for this update. If it is void, that outcome remains unknown.
		info, err := r.read(ctx, record)
		if errors.Is(err, ErrLocked) {
			err = fmt.Errorf("%w: %w", err, voidToken("update: an earlier one was not answered, and the provider does not "+
				"accept the registration access token of before"))
		}
		if err != nil {
			return record, err
		}
		record = info.record(record)
	}
	body, err := r.metadata(ctx, c)
	if err != nil {
		return record, notSentError{err}
	}
	body.ClientID = record.ClientID
	if c.Status == registrar.ClientInactive {
		body.disable()
	}
	a, err := r.write(ctx, http.MethodPut, record, body)
	if err == nil && a.status == http.StatusBadRequest && body.dropNames() {
		a, err = r.write(ctx, http.MethodPut, record, body)
	}
	if err != nil {
		return record, r.classifyMissing(ctx, record, a, err)
	}
	info, err := a.informationAbout(record)
	if err != nil {
		return record, r.classifyMissing(ctx, record, a, r.classifyLost(a, err))
	}
	return info.record(record), info.check(body)
}

// record returns the record of a client after an answer. A new URI or token replaces the old one.
func (i information) record(before registrar.ProviderRecord) registrar.ProviderRecord {
	before.URI, before.AccessToken = cmp.Or(i.URI, before.URI), cmp.Or(i.AccessToken, before.AccessToken)
	return before
}

// informationAbout is information about the client of a record.
func (a answer) informationAbout(record registrar.ProviderRecord) (information, error) {
	info, err := a.information()
	if err == nil && info.ClientID != record.ClientID {
		err = unreachableError("status %d with another client", a.status)
	}
	return info, err
}

// read reads a client (RFC 7592 §2.1). The error is ErrMissing, or ErrLocked if the provider rejects the client's own
// token.
func (r *RFC7591) read(ctx context.Context, record registrar.ProviderRecord) (information, error) {
	a, err := r.call(ctx, r.caller.once, http.MethodGet, record, nil)
	switch {
	case err != nil:
		return information{}, err
	case a.status == http.StatusNotFound || a.status == http.StatusGone:
		return information{}, ErrMissing
	case a.isDenied() && r.manage != nil:
		return information{}, a.tokenRejection("read a client")
	case a.isDenied(): // also for a client that it no longer has (RFC 7592 §2.1)
		return information{}, ErrLocked
	}
	return a.informationAbout(record)
}

// classifyMissing distinguishes a missing client from a failure: providers answer a change of a missing
// client with 404 or 500. A read with this service's own credentials decides.
func (r *RFC7591) classifyMissing(ctx context.Context, record registrar.ProviderRecord, a answer, err error) error {
	if r.manage == nil || a.status != http.StatusNotFound && a.status < 500 {
		return err
	}
	if _, readErr := r.read(ctx, record); errors.Is(readErr, ErrMissing) {
		return ErrMissing
	}
	return err
}

// canManage reports whether the client can be changed. This service's own credentials are sent only
// to the provider itself.
func (r *RFC7591) canManage(record registrar.ProviderRecord) bool {
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
		return a, r.classifyLost(a, err)
	case a.isDenied() && r.manage != nil:
		return a, a.tokenRejection("change a client")
	case a.isDenied(): // also for a client that it no longer has (RFC 7592 §2.2)
		return a, newRefusal("", "it does not accept the client's registration access token any more; "+NeedsManager)
	}
	return a, nil
}

// call makes a call about a client with this service's own credentials, or with the given HTTP
// client and the client's own token.
func (r *RFC7591) call(ctx context.Context, client *retryablehttp.Client, method string, record registrar.ProviderRecord, body any) (answer, error) {
	if r.manage != nil {
		return r.caller.json(ctx, r.caller.client, r.manage, method, record.URI, body)
	}
	return r.caller.jsonWith(ctx, client, method, record.URI, body, string(record.AccessToken))
}

// classifyLost classifies the error of a write. If the token may be void, the outcome is unknown.
func (r *RFC7591) classifyLost(a answer, err error) error {
	switch {
	case r.manage != nil, !errors.Is(err, ErrUnreachable), errors.Is(err, ErrNotSent):
		return err
	case a.status == http.StatusServiceUnavailable, a.status >= 400 && a.status < 500: // not processed
		return notSentError{err}
	}
	return voidToken("update: %v", err)
}

// NeedsManager names the setting that manages clients whose registration access token is void.
const NeedsManager = "REGISTRAR_IDP_MANAGE_CLIENT_ID changes clients without it"

// errVoidToken reports an update with an unknown outcome whose answer may have contained a new
// token.
var errVoidToken error = &refusal.Error{
	Reason: registrar.ProviderOutcomeUnknown,
	Message: "the outcome of a change at the identity provider is unknown, and the client's registration access token may be void: " + NeedsManager +
		"; else a PARTNER_ADMIN has to confirm or drop the change",
}

// voidToken returns an ErrOutcomeUnknown that names the required setting, with the cause for the log.
func voidToken(format string, args ...any) error {
	return fmt.Errorf("%w: %w: %w", errVoidToken, ErrOutcomeUnknown, fmt.Errorf(format, args...))
}

// Abilities includes all. The provider may replace the registration access token of a client in
// each answer.
func (r *RFC7591) Abilities() Abilities {
	own := r.manage == nil
	return Abilities{ChangesKeys: true, RemovesEncKey: true, Settles: true, ReadsByToken: own, Unmanaged: own, AssignsIDs: true,
		Names: AllNames, Metadata: registrar.MetadataNames}
}

// Remove deletes c (RFC 7592 §2.3) if an answer contained its URI and token. After a lost answer
// the client remains at the provider, unused.
func (r *RFC7591) Remove(ctx context.Context, _ registrar.Client, record registrar.ProviderRecord, prior registrar.Prior) (registrar.Prior, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return prior, r.deleteClient(ctx, record)
}

// deleteClient deletes a client of the provider. It is idempotent: a missing client is 401 (RFC 7592
// §2.3).
func (r *RFC7591) deleteClient(ctx context.Context, record registrar.ProviderRecord) error {
	if !r.canManage(record) {
		return nil
	}
	a, err := r.call(ctx, r.caller.client, http.MethodDelete, record, nil)
	switch {
	case err != nil:
		return err
	case a.status < 300, a.status == http.StatusNotFound, a.status == http.StatusUnauthorized && r.manage == nil:
		return nil
	case a.isDenied():
		return a.tokenRejection("delete a client")
	}
	return newRefusal("", "it does not delete the client")
}
