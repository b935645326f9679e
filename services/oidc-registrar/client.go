package registrar

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/plaintext"
	"github.com/countersign/countersign/libs/refusal"
)

// API is the interface through which a client was registered.
type API string

const (
	PartnerAPI  API = "partner"  // partner management: names a policy
	ProviderAPI API = "provider" // the identity provider's client management: names claims and ACRs
)

// Values returns every value.
func (API) Values() []API { return []API{PartnerAPI, ProviderAPI} }

// Origin is the API that a client came through. A client of the RFC 7591 API belongs to PartnerAPI.
type Origin string

const (
	OriginPartner  Origin = "partner"
	OriginProvider Origin = "provider"
	OriginStandard Origin = "rfc7591" // RFC 7591, by an initial access token
)

// Values returns every value.
func (Origin) Values() []Origin { return []Origin{OriginPartner, OriginProvider, OriginStandard} }

// InitialTokenActor is the first part of the actor of registrations by an initial access token. The id of
// the token follows.
const InitialTokenActor = "initial access token:"

// OpenActor is the first part of the actor of an open registration. The caller's address follows.
const OpenActor = "open registration:"

// Origin returns the API that the client came through.
func (c Client) Origin() Origin {
	if strings.HasPrefix(c.CreatedBy, InitialTokenActor) || strings.HasPrefix(c.CreatedBy, OpenActor) {
		return OriginStandard
	}
	return Origin(c.API)
}

// CurrentKeySince returns the time since which the current key is that of the client.
func (c Client) CurrentKeySince() time.Time {
	if c.KeySince.IsZero() {
		return c.CreatedAt
	}
	return c.KeySince
}

// ClientStatus is the state of a client. The values are those of the API.
type ClientStatus string

const (
	ClientPending  ClientStatus = "PENDING"  // stored; not confirmed by the identity provider
	ClientActive   ClientStatus = "ACTIVE"   // confirmed by the identity provider and usable
	ClientInactive ClientStatus = "INACTIVE" // disabled; can be enabled again
	ClientFailed   ClientStatus = "FAILED"   // Failure holds the reason; can be corrected and retried, or abandoned
)

// Values returns every value.
func (ClientStatus) Values() []ClientStatus {
	return []ClientStatus{ClientPending, ClientActive, ClientInactive, ClientFailed}
}

// Client is a registered OpenID Connect client.
//
// A Client is a value: transitions return a changed copy and do not modify the receiver or its
// lists.
type Client struct {
	ID        string
	API       API
	Name      string
	PartnerID string // authPartnerId or relyingPartyId
	PolicyID  string // empty if registered through the client-management API
	Key       Key    // current key; zero for a public client
	OtherKeys []Key  // further keys until their removal, the newest first

	// KeySince is the time since which Key is the current key; zero for the time of the registration.
	KeySince time.Time

	UserClaims   []string // claims about a user that the client may read
	ACRs         []string // authentication context references, the preferred one first
	LogoURI      string   // never fetched
	RedirectURIs []string // compared exactly, kept byte for byte
	GrantTypes   []string
	AuthMethods  []string // authentication methods at the token endpoint

	Extensions Extensions

	// ProviderClientID is the id that the identity provider assigned. Relying parties sign in with
	// it. It is empty if it equals ID.
	ProviderClientID string

	// Mark is random and identifies the registration at an identity provider that keeps it. It is not shown.
	Mark string

	Status ClientStatus

	// OutcomeUnknown reports that the outcome of the last call to the identity provider is unknown.
	// Either the result of an update is unknown or the owner of the provider's client with this id.
	// No call is sent until an admin resolves it; see [Client.Resolve].
	OutcomeUnknown bool

	Failure Failure // of a FAILED client

	// Final reports a deactivation by an admin, or a one-way deactivation: the client stays INACTIVE and
	// unchanged through every interface until an admin lifts it.
	Final bool

	// Suspended reports that the client is INACTIVE because its approval has ended. A new approval
	// enables it. It is false after a manual disable.
	Suspended bool

	CreatedBy string // the caller's subject
	CreatedAt time.Time
	UpdatedAt time.Time
	ExpiresAt time.Time // from then on INACTIVE for good; zero for never

	// Rev counts the changes, from 1. A writer with an older Rev is rejected.
	Rev int64
}

// SharedMembers are members of a client with the same names in every interface, webhook, import and export.
type SharedMembers struct {
	LogoURI      string   `json:"logoUri" doc:"Logo of the client, an https URL."`
	RedirectURIs []string `json:"redirectUris" doc:"Redirect URIs, compared exactly."`
	GrantTypes   []string `json:"grantTypes" doc:"OAuth grant types that the client uses."`
	AuthMethods  []string `json:"clientAuthMethods" doc:"Authentication methods at the token endpoint."`
}

// Shared returns the shared members of c. No list is nil.
func (c Client) Shared() SharedMembers {
	return SharedMembers{c.LogoURI, NotNil(c.RedirectURIs), NotNil(c.GrantTypes), NotNil(c.AuthMethods)}
}

// NotNil returns a copy of list, which is not nil.
func NotNil(list []string) []string { return append([]string{}, list...) }

// ProviderRecord holds the data for managing a client at an identity provider that assigns its own
// identifiers (RFC 7591 §3.2.1). The zero value means that there are none.
//
// It is separate from Client because the access token is a secret that readers of a client do not
// need.
type ProviderRecord struct {
	ClientID    string // client_id that the provider assigned
	URI         string // registration_client_uri
	AccessToken Secret // registration_access_token
}

// Secret is a string that prints as [redacted]. Convert it to string where its
// value is needed.
type Secret string

func (s Secret) String() string { return "[redacted]" }

// GoString covers %#v.
func (s Secret) GoString() string { return "[redacted]" }

// MarshalText covers encoding/json and slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte("[redacted]"), nil }

// Failure is the error of a failed registration.
type Failure struct {
	Reason       Reason
	ProviderCode string
	Message      string
}

// Err returns the failure as a refusal.
func (f Failure) Err() error {
	reason := f.Reason
	if f.ProviderCode != "" {
		reason += Reason("/" + f.ProviderCode)
	}
	return &refusal.Error{Reason: reason, Message: f.Message}
}

// Activate records that the identity provider has confirmed the client, with an id of its own
// unless providerID is empty. It is idempotent.
func (c Client) Activate(providerID string, at time.Time) (Client, error) {
	switch c.Status {
	case ClientActive:
		return c, nil
	case ClientPending:
		c.ProviderClientID = providerID
		return c.withStatus(ClientActive, at), nil
	}
	return c, refusal.New(InvalidStatus, "client %s is %s", c.ID, c.Status)
}

// Fail records that the registration failed and needs a correction or a retry.
func (c Client) Fail(why Failure, at time.Time) (Client, error) {
	if c.Status != ClientFailed && c.Status != ClientPending {
		return c, refusal.New(InvalidStatus, "client %s is %s", c.ID, c.Status)
	}
	if c.Status == ClientFailed && c.Failure == why {
		return c, nil
	}
	c = c.withStatus(ClientFailed, at)
	c.Failure = why
	return c, nil
}

// RecordUnknownOutcome records that the outcome of a call for the client is unknown.
func (c Client) RecordUnknownOutcome(at time.Time) Client {
	status := c.Status
	if status == ClientFailed { // an abandoned client
		status = ClientPending
	}
	c = c.withStatus(status, at)
	c.OutcomeUnknown = true
	return c
}

// Resolve records that the state at the identity provider is known again. It refuses a client whose
// outcome is not unknown.
func (c Client) Resolve(at time.Time) (Client, error) {
	if !c.OutcomeUnknown {
		return c, refusal.New(InvalidStatus, "client %s is not doubtful", c.ID)
	}
	return c.withStatus(c.Status, at), nil
}

// IsUnconfirmed reports whether the identity provider has not yet confirmed the client. Such a client
// can be corrected or abandoned.
func (c Client) IsUnconfirmed() bool { return c.Status == ClientPending || c.Status == ClientFailed }

// Abandon abandons the registration: the client is PENDING until the identity provider has deleted
// it. It refuses a client that was ever active, since it may be in use. It refuses a client with an
// unknown outcome, since the provider's client may have another owner.
func (c Client) Abandon(at time.Time) (Client, error) {
	switch {
	case c.OutcomeUnknown:
		return c, c.refuseUnknownOutcome()
	case !c.IsUnconfirmed():
		return c, refusal.New(InvalidStatus, "client %s is %s, and only one that is PENDING or FAILED can be deleted; set it INACTIVE", c.ID, c.Status)
	case c.Status == ClientPending:
		return c, nil
	}
	return c.withStatus(ClientPending, at), nil
}

func (c Client) refuseUnknownOutcome() error {
	return refusal.New(InvalidStatus, "client %s is doubtful: a PARTNER_ADMIN must inspect the identity provider and confirm or drop it", c.ID)
}

// Update is a checked change to a client. It is made by [Rules.Update], [Client.AddKey] or [Client.RemoveKey]. The id, the partner and the policy
// never change.
type Update struct {
	Name         string
	UserClaims   []string // nil: unchanged
	ACRs         []string // nil: unchanged
	LogoURI      string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Extensions   ExtensionChange
	Status       ClientStatus // ClientActive or ClientInactive

	Keys KeyChange

	Ignored []string // unknown members of the request; ignored

	Final bool // in this interface, INACTIVE is final
	Lift  bool // an admin updates: lifts a Final deactivation, and makes INACTIVE Final

	Suspend bool // INACTIVE until a new approval

	Immediate bool   // the stored client changes before the identity provider confirms
	Note      string // the caller's reason, for the event
}

// MaxNote is the maximum length of the reason for a change, in characters.
const MaxNote = 500

// CheckNote refuses a reason that is blank, longer than MaxNote characters or not plain text.
func CheckNote(note string) error {
	var found problems
	switch {
	case isBlank(note):
		found.add("reason", InvalidRequest, errors.New("must not be blank"))
	case utf8.RuneCountInString(note) > MaxNote:
		found.add("reason", InvalidRequest, fmt.Errorf("must have 1 to %d characters", MaxNote))
	default:
		found.add("reason", InvalidRequest, plaintext.Check(note))
	}
	return found.err()
}

// Disable returns the update that makes c INACTIVE immediately, and then at the identity provider.
// It refuses a client that the provider has not confirmed.
func (c Client) Disable(reason string) (Update, error) {
	u := c.Deactivation()
	u.Immediate, u.Note = true, reason
	return u, c.requireConfirmed()
}

// Enable returns the update that makes c ACTIVE.
func (c Client) Enable() (Update, error) { return c.statusUpdate(ClientActive), c.requireConfirmed() }

// Retry returns the update that registers c again. It refuses a client that the provider has confirmed.
func (c Client) Retry() (Update, error) {
	if !c.IsUnconfirmed() {
		return Update{}, refusal.New(InvalidStatus, "client %s is %s: only one that is PENDING or FAILED is registered again", c.ID, c.Status)
	}
	return c.statusUpdate(ClientActive), nil
}

// requireConfirmed refuses a client that the provider has not confirmed.
func (c Client) requireConfirmed() error {
	if !c.IsUnconfirmed() || c.OutcomeUnknown {
		return nil // Update refuses an unknown outcome
	}
	return refusal.New(InvalidStatus, "client %s is %s: only one that is ACTIVE or INACTIVE is disabled or enabled", c.ID, c.Status)
}

// Fill returns u, the update of a patch, with the current values of the members that it lacks. Without a status, a
// client that is neither ACTIVE nor INACTIVE is registered again.
func (c Client) Fill(u Update) Update {
	status := ClientActive
	if c.Status == ClientInactive {
		status = ClientInactive
	}
	u.Name, u.LogoURI, u.Status = cmp.Or(u.Name, c.Name), cmp.Or(u.LogoURI, c.LogoURI), cmp.Or(u.Status, status)
	u.RedirectURIs, u.GrantTypes = listOr(u.RedirectURIs, c.RedirectURIs), listOr(u.GrantTypes, c.GrantTypes)
	u.AuthMethods = listOr(u.AuthMethods, c.AuthMethods)
	return u
}

// valueOr returns *p, or other if p is nil.
func valueOr[T any](p *T, other T) T {
	if p == nil {
		return other
	}
	return *p
}

// listOr returns list, or other if list is nil.
func listOr(list, other []string) []string {
	if list == nil {
		return other
	}
	return list
}

// Update applies u. The status can change from ACTIVE to INACTIVE and back.
//
// A PENDING or FAILED client is corrected by an update with the status ACTIVE and becomes PENDING,
// to be registered with the fields of u. Update refuses a client with an unknown outcome. An update
// without a change returns the client as it is.
//
// A client with a Final deactivation changes only by the update of an admin. Claims and ACRs
// that a policy granted never change.
func (c Client) Update(u Update, at time.Time) (Client, error) {
	if u.Final && u.Status == ClientInactive && (c.Status == ClientActive || c.Suspended) {
		// Such an interface changes either the status or the other fields.
		off := c.Deactivation()
		off.Final, off.Lift, off.Ignored = true, u.Lift, u.Ignored
		u = off
	}
	status := u.Status
	if err := c.checkGrant(u); err != nil {
		return c, err
	}
	switch {
	case c.OutcomeUnknown:
		return c, c.refuseUnknownOutcome()
	case c.IsUnconfirmed() && u.Status == ClientActive:
		status = ClientPending
	case c.IsUnconfirmed():
		return c, refusal.New(InvalidStatus, "client %s is %s: correct it with the status ACTIVE, or give it up by DELETE", c.ID, c.Status)
	}
	changed := c.withFields(u)
	if changed.IsPublic() != c.IsPublic() {
		return c, refusal.At(InvalidAuthMethod, "/clientAuthMethods", "cannot be changed between none and others: the type of a client never changes")
	}
	if !changed.Extensions.Equal(c.Extensions) {
		var found problems
		if found.needEncKey(changed.Extensions); len(found) > 0 {
			return c, found.err()
		}
	}
	changed.Status = status
	disables := u.Immediate || c.Status != ClientInactive
	changed.Final = status == ClientInactive && (c.Final || u.Final || u.Lift && disables)
	changed.Suspended = status == ClientInactive && (u.Suspend && c.Status == ClientActive || c.Suspended && !u.isManual())
	isOff := c.Status == ClientInactive && !c.Suspended
	if stays := c.Final && len(c.Changes(changed)) > 0 || u.Final && isOff; stays && !u.Lift {
		return c, refusal.New(AlreadyInactive,
			"client %s is INACTIVE by a PARTNER_ADMIN, or for good: only a PARTNER_ADMIN enables or changes it", c.ID)
	}
	if len(c.Changes(changed)) == 0 {
		return c, nil
	}
	if changed.Key != c.Key {
		changed.KeySince = at
	}
	return changed.withStatus(status, at), nil
}

// HasExpired reports whether the time of the client is over.
func (c Client) HasExpired(at time.Time) bool {
	return !c.ExpiresAt.IsZero() && !at.Before(c.ExpiresAt)
}

// Expire makes c INACTIVE for good, at the end of its time.
func (c Client) Expire(at time.Time) Client {
	c = c.withStatus(ClientInactive, at)
	c.Final, c.Suspended = true, false
	return c
}

// RefuseExpired refuses an update that makes c ACTIVE after the end of its time.
func (c Client) RefuseExpired(u Update, at time.Time) error {
	if !c.HasExpired(at) || u.Status == ClientInactive {
		return nil
	}
	return refusal.New(AlreadyInactive, "client %s has expired and stays INACTIVE: register another one", c.ID)
}

// isManual reports a disable that a new approval does not undo.
func (u Update) isManual() bool { return u.Immediate || u.Final }

// WithStatus returns u as an update with a status that the caller has given. INACTIVE for a suspended client
// is a manual disable if no other field changes.
func (c Client) WithStatus(u Update) Update {
	if c.Suspended && u.Status == ClientInactive && len(c.Changes(c.withFields(u))) == 0 {
		u.Immediate = true
	}
	return u
}

// withFields returns c with the fields of u, apart from the status.
func (c Client) withFields(u Update) Client {
	changed := c.withKeys(u.Keys)
	changed.Name, changed.LogoURI = u.Name, u.LogoURI
	changed.RedirectURIs = slices.Clone(u.RedirectURIs)
	changed.GrantTypes = slices.Clone(u.GrantTypes)
	changed.AuthMethods = slices.Clone(u.AuthMethods)
	changed.UserClaims = slices.Clone(listOr(u.UserClaims, c.UserClaims))
	changed.ACRs = slices.Clone(listOr(u.ACRs, c.ACRs))
	changed.Extensions = c.Extensions.apply(u.Extensions)
	if c.IsPublic() && strings.Contains(c.Extensions.Config, pkceSetting) {
		changed.Extensions.Config = withPKCE(changed.Extensions.Config)
	}
	return changed
}

func (c Client) withStatus(status ClientStatus, at time.Time) Client {
	c.Status, c.UpdatedAt = status, at
	c.OutcomeUnknown, c.Failure = false, Failure{}
	c.Rev++
	return c
}

// Changes lists the updatable fields that differ between c and after, by their names in the
// client-management API.
func (c Client) Changes(after Client) []string {
	return changedFields(
		field{"clientName", c.Name == after.Name},
		field{"userClaims", slices.Equal(c.UserClaims, after.UserClaims)},
		field{"authContextRefs", slices.Equal(c.ACRs, after.ACRs)},
		field{"logoUri", c.LogoURI == after.LogoURI},
		field{"redirectUris", slices.Equal(c.RedirectURIs, after.RedirectURIs)},
		field{"grantTypes", slices.Equal(c.GrantTypes, after.GrantTypes)},
		field{"clientAuthMethods", slices.Equal(c.AuthMethods, after.AuthMethods)},
		field{NamesExtension, maps.Equal(c.Extensions.Names, after.Extensions.Names)},
		field{ConfigExtension, c.Extensions.Config == after.Extensions.Config},
		field{EncKeyExtension, c.Extensions.EncKey == after.Extensions.EncKey},
		field{MetadataExtension, c.Extensions.Metadata == after.Extensions.Metadata},
		field{"publicKey", slices.Equal(c.Keys(), after.Keys())},
		field{"status", c.Status == after.Status && c.Final == after.Final && c.Suspended == after.Suspended})
}

// Repeats reports whether r is a repetition of the registration that created c. The caller and
// every field must be equal, with lists in the same order. The claims and ACRs of a partner
// registration come from its policy, which may have changed, so the policy is compared instead.
//
// A repetition returns the client's id and status. Any other registration with the same id or key
// is a duplicate.
func (c Client) Repeats(r Registration, caller string) bool {
	other := r.Client
	other.Status, other.Final, other.Suspended = c.Status, c.Final, c.Suspended
	if r.API == PartnerAPI {
		other.UserClaims, other.ACRs = c.UserClaims, c.ACRs
	}
	return c.CreatedBy == caller && c.API == r.API && c.ID == r.ID && c.PartnerID == r.PartnerID &&
		c.PolicyID == r.PolicyID && len(c.Changes(other)) == 0
}
