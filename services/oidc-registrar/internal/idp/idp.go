// Package idp makes clients known to the identity provider behind the registrar.
// There are four kinds of provider: one that reads its clients from this service
// ([Local]), eSignet until 1.8 ([ESignet]) and from 2.0 ([ESignet2]), and any that speaks
// OAuth 2.0 Dynamic Client Registration ([RFC7591]), with a profile for Keycloak.
package idp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/countersign/countersign/libs/egress"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Connector tells one identity provider about clients. It may be used by many
// goroutines at once. A call lasts at most 12 seconds.
//
// prior says what the provider may have of the client from calls before this one. The
// error of a call is one of these, and none holds a secret or a key:
//
//   - a *registrar.Error with ProviderRefused is the provider's refusal of the client, and
//     repeating the call is useless;
//   - ErrUnreachable means that there was no usable answer: the call may have had its
//     effect and should be repeated. It is ErrNotSent too if nothing has reached the
//     provider;
//   - ErrDoubtful means that there is no telling what the provider has, and that to go on
//     might change what is somebody else's, or fail for ever.
//
// It is ErrOurs too if it is known that the provider has the client, though not all of it.
type Connector interface {
	// Register makes c known and usable. The record is to be stored with the client.
	Register(ctx context.Context, c registrar.Client, prior registrar.Prior) (registrar.ProviderRecord, error)

	// Update makes the provider's record equal to c, which is ACTIVE or INACTIVE. Doing
	// so twice does no harm. The returned record replaces the stored one, after an
	// error too: the stored one may be void.
	Update(ctx context.Context, c registrar.Client, record registrar.ProviderRecord, prior registrar.Prior) (registrar.ProviderRecord, error)

	// Remove makes sure that nobody can use c, which was never ACTIVE here, at the
	// provider. It returns what is known of the provider's record then, after an error too.
	Remove(ctx context.Context, c registrar.Client, record registrar.ProviderRecord, prior registrar.Prior) (registrar.Prior, error)

	// Lacks returns the names of the extensions that the connector cannot tell the
	// provider. A client that has one never gets to Register or Update.
	Lacks(e registrar.Extensions) []string

	// Abilities are constant properties of the provider and of this service's access to it.
	Abilities() Abilities

	// Read compares c, which is ACTIVE or INACTIVE, with what the provider has of it. The
	// returned record replaces the stored one, after an error too.
	Read(ctx context.Context, c registrar.Client, record registrar.ProviderRecord) (registrar.Difference, registrar.ProviderRecord, error)
}

// Abilities are the operations that a provider supports. The zero value supports none.
type Abilities struct {
	// RollsKeys: Update can change the keys of a client.
	RollsKeys bool

	// NeedsLogo: the provider refuses a client without a logo.
	NeedsLogo bool

	// RemovesEncKey: Update can remove the key to encrypt with.
	RemovesEncKey bool

	// Unreadable is the reason why clients cannot be read at the provider; empty if Read works.
	Unreadable string

	// ReadsByToken: Read uses the client's own registration access token, which the provider
	// may replace. No other call for the client may run meanwhile.
	ReadsByToken bool

	// Settles: a repeat of a call whose outcome is unknown begins with a read of the provider,
	// and changes nothing while the read leaves the ownership of the client open.
	Settles bool

	// Unmanaged: changes use the client's own registration access token, and no credentials
	// for all clients.
	Unmanaged bool

	// Rotates: the provider is known to replace that token with each change.
	Rotates bool

	// List calls found for each client that this service has registered at the provider, those too whose
	// registration was not recorded; nil if the provider cannot list.
	List func(ctx context.Context, found func(Listed) error) error
}

// Listed is a client that the provider lists.
type Listed struct {
	ProviderClientID string // its client_id at the provider
	ClientID         string // ID of the client that it was registered for
	Name             string
}

var (
	// ErrUnreachable means that the identity provider gave no usable answer: it was not
	// reached in time, failed, did not accept this service's own credentials, or did not
	// speak its protocol. Its message may be shown to the caller; the errors that wrap it
	// are for the log.
	ErrUnreachable error = &registrar.Error{
		Reason: registrar.ProviderUnreachable, Message: "the identity provider could not be reached",
	}

	// ErrNotSent means, of an ErrUnreachable, that the provider has not got the call.
	ErrNotSent = errors.New("nothing was sent")

	// ErrOurs means, of any error, that what the provider has under the client's id is this
	// client, as an answer of this call has told.
	ErrOurs = errors.New("the provider has the client")

	// ErrMissing means, of a refused update, that the provider does not have the client.
	ErrMissing error = &registrar.Error{
		Reason: registrar.ProviderRefused, Message: "the identity provider does not have the client; oidc-registrar reconcile --repair registers it again",
	}

	// ErrLocked means, of an ErrDoubtful, that the provider does not show the client for its own token either.
	ErrLocked = errors.New("the client cannot be read")

	// ErrDoubtful means that somebody has to look what the provider has.
	ErrDoubtful error = &registrar.Error{
		Reason:  registrar.ProviderDoubtful,
		Message: "nobody can tell what the identity provider has of the client: a PARTNER_ADMIN has to find out, and to confirm or drop it",
	}
)

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

	// TokenFile has the initial access token of an RFC 7591 provider (RFC 7591 §3), in place of those.
	TokenFile string

	// ManageClientID and ManageClientSecret get the tokens for changes of clients at an
	// RFC 7591 provider, in place of the registration access tokens.
	ManageClientID     string
	ManageClientSecret registrar.Secret

	// MetadataURL is where the provider lists the ACRs that it supports; those are sent to
	// an RFC 7591 provider. SendACRs sends all of them, listed or not.
	MetadataURL string
	SendACRs    bool

	// ClientPath is the newest interface of client management that an eSignet has:
	// oidc-client, which is the default, oauth-client or client.
	ClientPath string

	// ClientPatch says that the interface client has PATCH, as since eSignet 1.8: the key to
	// encrypt with is set by it.
	ClientPatch bool

	// SoleWriter says that nobody but this service registers clients at the provider.
	SoleWriter bool

	// Calls is how many calls may be made at a time; 8 if 0.
	Calls int

	// Egress says what may be reached. A Total of zero becomes 3 seconds a try.
	Egress egress.Policy

	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Profiles are the kinds of provider: a protocol with the quirks of one product.
var Profiles = []string{"local", "esignet-1.8", "esignet-2.0", "keycloak", "rfc7591"}

// New returns the connector of a profile.
func New(profile string, o Options) (Connector, error) {
	switch profile {
	case "local":
		return Local{}, nil
	case "esignet-1.8":
		return NewESignet(o)
	case "esignet-2.0":
		return NewESignet2(o)
	case "keycloak":
		return NewKeycloak(o)
	case "rfc7591":
		return NewRFC7591(o)
	}
	return nil, fmt.Errorf("identity provider %q is not one of %s", profile, strings.Join(Profiles, ", "))
}

// Local is the connector of a provider that reads its clients from this service.
// A client is known as soon as it is stored, so there is nothing to do.
type Local struct{}

// Register does nothing.
func (Local) Register(context.Context, registrar.Client, registrar.Prior) (registrar.ProviderRecord, error) {
	return registrar.ProviderRecord{}, nil
}

// Update does nothing.
func (Local) Update(_ context.Context, _ registrar.Client, record registrar.ProviderRecord, _ registrar.Prior) (registrar.ProviderRecord, error) {
	return record, nil
}

// Abilities are all but reading: the provider reads its clients here.
func (Local) Abilities() Abilities {
	return Abilities{RollsKeys: true, RemovesEncKey: true, Unreadable: "the identity provider reads its clients from this service, so there is nothing to compare"}
}

// Read finds no difference.
func (Local) Read(_ context.Context, _ registrar.Client, record registrar.ProviderRecord) (registrar.Difference, registrar.ProviderRecord, error) {
	return registrar.Difference{}, record, nil
}

// Remove does nothing.
func (Local) Remove(context.Context, registrar.Client, registrar.ProviderRecord, registrar.Prior) (registrar.Prior, error) {
	return registrar.PriorNone, nil
}

// codePattern is the form of eSignet's codes. What has it is passed on at both doors,
// whether or not it is known here; anything else stays in the message.
var codePattern = regexp.MustCompile(`^[a-z_]{1,64}$`)

// refused returns the provider's refusal, with its code if that is one for the doors.
func refused(code, message string) error {
	e := &registrar.Error{Reason: registrar.ProviderRefused, Message: "the identity provider refused the client"}
	if codePattern.MatchString(code) {
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

// isRefusal reports whether err is the provider's refusal of the client.
func isRefusal(err error) bool { return errors.Is(err, registrar.ProviderRefused) }

// doubtful returns ErrDoubtful with the cause for the log.
func doubtful(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDoubtful, fmt.Errorf(format, args...))
}

// notSent is an ErrUnreachable of a call that the provider has not got.
type notSent struct{ error }

func (e notSent) Unwrap() []error { return []error{e.error, ErrNotSent} }

// partly is an error of a call that has made the client at the provider.
type partly struct{ error }

func (e partly) Unwrap() []error { return []error{e.error, ErrOurs} }

// unreachable returns ErrUnreachable with the cause for the log.
func unreachable(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnreachable, fmt.Errorf(format, args...))
}
