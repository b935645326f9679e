// Package idp registers clients at the identity provider behind the registrar. There are five kinds
// of provider. One reads its clients from this service ([Local]). eSignet has a connector until 1.8
// ([ESignet]) and one from 2.0 ([ESignet2]). [Keycloak] uses its admin API, and [RFC7591] OAuth 2.0
// Dynamic Client Registration.
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
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Connector manages clients at one identity provider. It is safe for concurrent use. A call lasts
// at most 12 seconds.
//
// prior is the possible state at the provider after earlier calls. The errors of a call contain no
// secret or key:
//
// A *registrar.Error with ProviderRefused is the provider's refusal of the client. A repetition is
// useless.
//
// ErrUnreachable reports that there was no usable answer. The call may have had an effect and
// should be repeated. It is also ErrNotSent if no data has reached the provider.
//
// ErrOutcomeUnknown reports an unknown state at the provider. A further call could change another owner's
// client or fail permanently.
//
// Each of these is also ErrOurs if the provider is proved to have the client, though not
// completely.
type Connector interface {
	// Register creates c at the provider and makes it usable. The caller stores the record with the
	// client.
	Register(ctx context.Context, c registrar.Client, prior registrar.Prior) (registrar.ProviderRecord, error)

	// Update makes the provider's record equal to c, which is ACTIVE or INACTIVE. It is idempotent.
	// The returned record replaces the stored one, also after an error: the stored one may be void.
	Update(ctx context.Context, c registrar.Client, record registrar.ProviderRecord, prior registrar.Prior) (registrar.ProviderRecord, error)

	// Remove makes c, which was never ACTIVE here, unusable at the provider. It returns the state
	// at the provider, also after an error.
	Remove(ctx context.Context, c registrar.Client, record registrar.ProviderRecord, prior registrar.Prior) (registrar.Prior, error)

	// MissingExtensions returns the extensions that the connector does not support. A client with one of them
	// is never passed to Register or Update.
	MissingExtensions(e registrar.Extensions) []string

	// Abilities are properties of the provider and of this service's access to it.
	Abilities() Abilities

	// Check gets an access token and calls the provider once. It changes nothing.
	Check(ctx context.Context) error

	// Read compares c, which is ACTIVE or INACTIVE, with the provider's record. The returned record
	// replaces the stored one, also after an error.
	Read(ctx context.Context, c registrar.Client, record registrar.ProviderRecord) (registrar.Difference, registrar.ProviderRecord, error)
}

// Abilities are the operations that a provider supports. The zero value supports none.
type Abilities struct {
	// ChangesKeys: Update can change the keys of a client.
	ChangesKeys bool

	// NeedsLogo: the provider refuses a client without a logo.
	NeedsLogo bool

	// RemovesEncKey: Update can remove the encryption key.
	RemovesEncKey bool

	// Unreadable is the reason that the provider's clients cannot be read; empty if Read works.
	Unreadable string

	// Unreturned are security-relevant members that the provider's answers never contain, for people.
	Unreturned []string

	// ReadsByToken: Read uses the client's own registration access token, which the provider
	// may replace. The caller leases the client, so that no other call uses the previous token.
	ReadsByToken bool

	// Settles: a repeated call with an unknown outcome begins with a read of the provider. It
	// changes nothing while the owner of the client is unknown.
	Settles bool

	// Unmanaged: changes use the client's own registration access token, and no credentials
	// for all clients.
	Unmanaged bool

	// Limits are the lengths that the provider can store.
	Limits registrar.Limits

	// AssignsIDs: the provider assigns the id of a client, which has none before.
	AssignsIDs bool

	// EnforcesPKCE: the provider requires PKCE with S256 of a client with that setting.
	EnforcesPKCE bool

	// Metadata are the members of [registrar.MetadataNames] that the provider or this service keeps, and Names the
	// names in other languages.
	Metadata []string
	Names    NameSupport

	// Fault is what an operator must repair, such as a role that the last answer missed; empty for nothing.
	Fault string

	// Scope returns the scopes that a client may request there; nil if they are those of [registrar.Client.Scope].
	Scope func(registrar.Client) string

	// List calls found for each client of the provider that can be one of this service. It is nil if the provider
	// cannot list.
	List func(ctx context.Context, found func(Listed) error) error
}

// NameSupport tells the names in other languages that a provider takes.
type NameSupport int

const (
	NoNames  NameSupport = iota
	ISONames             // by codes of ISO 639-2
	AllNames             // by tags of BCP 47
)

// Listed is a client that the provider lists.
type Listed struct{ ClientID, Name string }

var (
	// ErrUnreachable reports that the identity provider gave no usable answer. It timed out,
	// failed, rejected this service's credentials, or violated its protocol. Its message is for the
	// caller; the errors that wrap it are for the log.
	ErrUnreachable error = &refusal.Error{
		Reason: registrar.ProviderUnreachable, Message: "the identity provider could not be reached",
	}

	// ErrNotSent qualifies an ErrUnreachable: the provider has not received the call.
	ErrNotSent = errors.New("nothing was sent")

	// ErrOurs qualifies any error: an answer of this call proved that the provider's client with
	// the id is this client.
	ErrOurs = errors.New("the provider has the client")

	// ErrMissing qualifies a refused update: the provider does not have the client.
	ErrMissing error = &refusal.Error{
		Reason: registrar.ProviderRefused, Message: "the identity provider does not have the client; an admin sends it again in the console",
	}

	// ErrLocked reports that the provider rejects the client's own token for reads. It qualifies an ErrOutcomeUnknown.
	ErrLocked = errors.New("the client cannot be read")

	// ErrOutcomeUnknown reports that an admin must determine the state at the provider.
	ErrOutcomeUnknown error = &refusal.Error{
		Reason:  registrar.ProviderOutcomeUnknown,
		Message: "the outcome of a call to the identity provider is unknown: a PARTNER_ADMIN must confirm or drop the client",
	}
)

// Time limits and retries of a connector.
const (
	tryTimeout  = 3 * time.Second
	retries     = 2
	callTimeout = 12 * time.Second // three tries, the waits between them, and a token
)

// Options holds the address of the identity provider and the credentials for it.
type Options struct {
	// URL is the provider: for eSignet the address before /client-mgmt, for Keycloak the realm, for
	// RFC 7591 the registration endpoint itself.
	URL string

	// TokenURL is the token endpoint for client credentials (RFC 6749 §4.4). Without it the calls
	// have no token.
	TokenURL     string
	ClientID     string
	ClientSecret registrar.Secret
	Scope        string // optional

	// ManageClientID and ManageClientSecret are the credentials for changes of clients at an RFC
	// 7591 provider. They replace the registration access tokens.
	ManageClientID     string
	ManageClientSecret registrar.Secret

	// MetadataURL is the address of the provider's metadata. The ACRs listed there are sent to an
	// RFC 7591 provider.
	MetadataURL string

	// ClientPath is the newest interface of client management of an eSignet: oidc-client (the
	// default), oauth-client or client.
	ClientPath string

	// ClientPatch reports that the interface client has PATCH, as since eSignet 1.8. It sets the
	// encryption key.
	ClientPatch bool

	// Claims are attributes of users of Keycloak by claim, and OtherClients the ids of its clients that are
	// not this service's.
	Claims       map[string]string
	OtherClients []string

	// SoleWriter reports that only this service registers clients at the provider.
	SoleWriter bool

	// Calls is the limit of concurrent calls; 8 if 0.
	Calls int

	// Egress restricts the reachable addresses. A Total of zero becomes 3 seconds a try.
	Egress egress.Policy

	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// codePattern is the form of eSignet's codes. A matching code is returned through both interfaces,
// whether or not this service defines it. Any other text remains in the message.
var codePattern = regexp.MustCompile(`^[a-z_]{1,64}$`)

// newRefusal returns the provider's refusal, with its code if it has the form of eSignet's codes.
func newRefusal(code, message string) error {
	full := "the identity provider refused the client"
	for _, text := range []string{code, message} {
		if text = printablePrefix(text); text != "" {
			full += ": " + text
		}
	}
	if !codePattern.MatchString(code) {
		code = ""
	}
	return registrar.ErrorOfProvider(code, full)
}

// printablePrefix returns the first characters of an external text, without unprintable ones.
func printablePrefix(text string) string { return printable(text, 200) }

func printable(text string, limit int) string {
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

// outcomeUnknown returns ErrOutcomeUnknown with the cause for the log.
func outcomeUnknown(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrOutcomeUnknown, fmt.Errorf(format, args...))
}

// notSentError is an ErrUnreachable of a call that the provider has not received.
type notSentError struct{ error }

func (e notSentError) Unwrap() []error { return []error{e.error, ErrNotSent} }

// partialError is an error of a call that has created the client at the provider.
type partialError struct{ error }

func (e partialError) Unwrap() []error { return []error{e.error, ErrOurs} }

// unreachableError returns ErrUnreachable with the cause for the log.
func unreachableError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnreachable, fmt.Errorf(format, args...))
}
