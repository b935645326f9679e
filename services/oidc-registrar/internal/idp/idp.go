// Package idp makes clients known to the identity provider behind the registrar.
// There are three kinds of provider: one that reads its clients from this service
// ([Local]), eSignet ([ESignet]), and any that speaks OAuth 2.0 Dynamic Client
// Registration ([RFC7591]).
package idp

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/countersign/countersign/libs/egress"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Connector tells one identity provider about clients. It may be used by many
// goroutines at once. A call lasts at most 12 seconds.
//
// An error is one of two. A *registrar.Error with ProviderRefused is the provider's
// refusal of the client, and repeating the call is useless. ErrUnreachable means that
// there was no usable answer: the call may have had its effect and should be repeated.
// Neither holds a secret or a key.
type Connector interface {
	// Register makes c known and usable. repeated says that an earlier call for the
	// same client ended without a usable answer, so that the provider may know it
	// already. The record is to be stored with the client.
	Register(ctx context.Context, c registrar.Client, repeated bool) (registrar.ProviderRecord, error)

	// Update makes the provider's record equal to c, which is ACTIVE or INACTIVE. Doing
	// so twice does no harm. The returned record replaces the stored one, after an
	// error too: the stored one may be void.
	Update(ctx context.Context, c registrar.Client, record registrar.ProviderRecord) (registrar.ProviderRecord, error)

	// Lacks returns the names of the extensions that the connector cannot tell the
	// provider. A client that has one never gets to Register or Update.
	Lacks(e registrar.Extensions) []string

	// RollsKeys reports whether Update can change the keys of a client.
	RollsKeys() bool
}

// ErrUnreachable means that the identity provider gave no usable answer: it was not
// reached in time, failed, did not accept this service's own credentials, or did not
// speak its protocol. Its message may be shown to the caller; the errors that wrap it
// are for the log.
var ErrUnreachable error = &registrar.Error{
	Reason: registrar.ProviderUnreachable, Message: "the identity provider could not be reached",
}

// How long a connector tries.
const (
	tryTimeout  = 3 * time.Second
	retries     = 2
	callTimeout = 12 * time.Second // three tries, the waits between them, and a token
)

// Options say where the identity provider is and how to sign in to it.
type Options struct {
	// URL is the provider: for eSignet the address before /client-mgmt, for RFC 7591
	// the registration endpoint itself.
	URL string

	// TokenURL is where client credentials get an access token (RFC 6749 §4.4). Without
	// it the calls carry no token.
	TokenURL     string
	ClientID     string
	ClientSecret registrar.Secret
	Scope        string // optional

	// Egress says what may be reached. A Total of zero becomes 3 seconds a try.
	Egress egress.Policy

	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// New returns the connector of a kind: local, esignet or rfc7591.
func New(kind string, o Options) (Connector, error) {
	switch kind {
	case "local":
		return Local{}, nil
	case "esignet":
		return NewESignet(o)
	case "rfc7591":
		return NewRFC7591(o)
	}
	return nil, fmt.Errorf("identity provider %q is not one of local, esignet, rfc7591", kind)
}

// Local is the connector of a provider that reads its clients from this service.
// A client is known as soon as it is stored, so there is nothing to do.
type Local struct{}

// Register does nothing.
func (Local) Register(context.Context, registrar.Client, bool) (registrar.ProviderRecord, error) {
	return registrar.ProviderRecord{}, nil
}

// Update does nothing.
func (Local) Update(_ context.Context, _ registrar.Client, record registrar.ProviderRecord) (registrar.ProviderRecord, error) {
	return record, nil
}

// RollsKeys is true: the provider reads the keys here.
func (Local) RollsKeys() bool { return true }

// providerCodes are the codes of the provider door, which both doors pass on. Any other
// code stays in the message.
var providerCodes = map[string]bool{
	"invalid_request": true, "invalid_input": true, "invalid_client_id": true, "invalid_client_name": true,
	"invalid_public_key": true, "invalid_rp_id": true, "invalid_claim": true, "invalid_acr": true, "invalid_uri": true,
	"invalid_redirect_uri": true, "invalid_grant_type": true, "invalid_client_auth": true, "invalid_status": true,
	"duplicate_client_id": true, "duplicate_public_key": true,
}

// refused returns the provider's refusal.
func refused(code, message string) error {
	e := &registrar.Error{Reason: registrar.ProviderRefused, Message: "the identity provider refused the client"}
	if providerCodes[code] {
		e.ProviderCode = code
	}
	for _, text := range []string{code, message} {
		if text = printable(text); text != "" {
			e.Message += ": " + text
		}
	}
	return e
}

// printable returns the first characters of a foreign text, without those that could
// disturb a log or a reader.
func printable(text string) string {
	const limit = 200
	runes := []rune(strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) || c == unicode.ReplacementChar {
			return -1
		}
		return c
	}, text))
	return strings.TrimSpace(string(runes[:min(len(runes), limit)]))
}

// unreachable returns ErrUnreachable with the cause for the log.
func unreachable(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnreachable, fmt.Errorf(format, args...))
}
