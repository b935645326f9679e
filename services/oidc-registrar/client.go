package registrar

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Door is the interface through which a client was registered.
type Door string

const (
	PartnerDoor  Door = "partner"  // partner management: names a policy
	ProviderDoor Door = "provider" // the identity provider's client management: names claims and ACRs
)

// ClientStatus is where a client stands. The values are those on the wire.
type ClientStatus string

const (
	ClientPending  ClientStatus = "PENDING"  // stored here; the identity provider has not confirmed it
	ClientActive   ClientStatus = "ACTIVE"   // known to the identity provider and usable
	ClientInactive ClientStatus = "INACTIVE" // switched off, and can be switched on again
	ClientFailed   ClientStatus = "FAILED"   // Failure says why; corrected and tried again, or given up, on demand
)

// Client is a registered OpenID Connect client.
//
// A Client is a value: transitions return a changed copy and leave the receiver
// and its lists alone.
type Client struct {
	ID        string
	Door      Door
	Name      string
	PartnerID string // authPartnerId or relyingPartyId
	PolicyID  string // empty if registered through the provider door
	Key       Key    // the newest
	FormerKey Key    // the one before it, until it is removed; else none

	UserClaims   []string // what the client may read about a user
	ACRs         []string // authentication context references, the preferred one first
	LogoURI      string   // never fetched
	RedirectURIs []string // compared exactly, kept byte for byte
	GrantTypes   []string
	AuthMethods  []string // how the client authenticates at the token endpoint

	Extensions Extensions

	// ProviderClientID is the id that the identity provider gave the client, which the
	// relying party signs in with; empty where it is ID.
	ProviderClientID string

	Status ClientStatus

	// Doubtful says that nobody can tell what became of the last call to the identity
	// provider: whether it took an update, or whose the client is that it has under this
	// id. Nothing is sent until somebody has looked; see [Client.Resolve].
	Doubtful bool

	Failure Failure // of a FAILED client

	// Final says that the client was switched off one way: it stays INACTIVE and as it is,
	// whatever the door, until an admin lifts that.
	Final bool

	CreatedBy string // the caller's subject
	CreatedAt time.Time
	UpdatedAt time.Time

	// Rev counts the changes, from 1. A writer that read an older Rev has lost.
	Rev int64
}

// ProviderRecord is what this service has to remember to manage a client at an identity
// provider that gives out its own identifiers (RFC 7591 §3.2.1). The zero value means
// nothing.
//
// It is kept apart from Client because the access token is a secret that no reader of a
// client needs.
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

// Failure is the error that a registration has failed with.
type Failure struct {
	Reason       Reason
	ProviderCode string
	Message      string
}

// Err returns the failure as the refusal that it was.
func (f Failure) Err() error {
	return &Error{Reason: f.Reason, ProviderCode: f.ProviderCode, Message: f.Message}
}

// Activate records that the identity provider knows the client, by an id of its own if
// providerID is not empty. Doing so twice changes nothing.
func (c Client) Activate(providerID string, at time.Time) (Client, error) {
	switch c.Status {
	case ClientActive:
		return c, nil
	case ClientPending:
		c.ProviderClientID = providerID
		return c.become(ClientActive, at), nil
	}
	return c, Refuse(InvalidStatus, "client %s is %s", c.ID, c.Status)
}

// Fail records that the identity provider will not know the client unless somebody does
// something about it.
func (c Client) Fail(why Failure, at time.Time) (Client, error) {
	if c.Status != ClientFailed && c.Status != ClientPending {
		return c, Refuse(InvalidStatus, "client %s is %s", c.ID, c.Status)
	}
	if c.Status == ClientFailed && c.Failure == why {
		return c, nil
	}
	c = c.become(ClientFailed, at)
	c.Failure = why
	return c, nil
}

// Doubt records that nobody can tell what became of a call for the client.
func (c Client) Doubt(at time.Time) Client {
	status := c.Status
	if status == ClientFailed { // of a client that was given up
		status = ClientPending
	}
	c = c.become(status, at)
	c.Doubtful = true
	return c
}

// Resolve ends a doubt: somebody has looked at the identity provider.
func (c Client) Resolve(at time.Time) (Client, error) {
	if !c.Doubtful {
		return c, Refuse(InvalidStatus, "client %s is not doubtful", c.ID)
	}
	return c.become(c.Status, at), nil
}

// Registering reports whether the identity provider has yet to confirm the client: it
// can be corrected and given up.
func (c Client) Registering() bool { return c.Status == ClientPending || c.Status == ClientFailed }

// GiveUp says that the client is not wanted any more: it is PENDING until the identity
// provider has nothing of it. A client that was ever active is not given up, since
// somebody may be using it; nor is a doubtful one, which may be somebody else's there.
func (c Client) GiveUp(at time.Time) (Client, error) {
	switch {
	case c.Doubtful:
		return c, c.doubtful()
	case !c.Registering():
		return c, Refuse(InvalidStatus, "client %s is %s, and only one that is PENDING or FAILED can be given up; set it INACTIVE", c.ID, c.Status)
	case c.Status == ClientPending:
		return c, nil
	}
	return c.become(ClientPending, at), nil
}

func (c Client) doubtful() error {
	return Refuse(InvalidStatus, "client %s is doubtful: a PARTNER_ADMIN has to find out what the identity provider has, and to confirm or drop it", c.ID)
}

// Update is a checked change to a client, made by [Rules.PartnerUpdate] or
// [Rules.ProviderUpdate], or by [Client.AddKey] and [Client.RemoveKey]. The id, the partner
// and the policy never change.
type Update struct {
	Name         string
	UserClaims   []string // nil leaves them as they are
	ACRs         []string // nil leaves them as they are
	LogoURI      string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Extensions   ExtensionChange
	Status       ClientStatus // ClientActive or ClientInactive

	Keys KeyChange

	Ignored []string // members of the request that its door does not know; they change nothing

	Final bool // the door knows no way back from INACTIVE
	Lift  bool // the caller may go it nevertheless

	Immediate bool   // the client changes here before the identity provider has confirmed it
	Note      string // the caller's reason, for the event
}

// MaxNote is the length in characters of the reason for a change.
const MaxNote = 500

// CheckNote refuses a reason that is blank, longer than MaxNote characters or not plain text.
func CheckNote(note string) error {
	var found Invalid
	switch {
	case wordless(note):
		found.add("reason", InvalidRequest, errors.New("must not be blank"))
	case utf8.RuneCountInString(note) > MaxNote:
		found.add("reason", InvalidRequest, fmt.Errorf("must have 1 to %d characters", MaxNote))
	case !utf8.ValidString(note) || strings.ContainsFunc(note, unruly):
		found.add("reason", InvalidRequest, errors.New("must have no control character and no bidirectional override"))
	}
	return found.err()
}

// Disable is the update that makes c INACTIVE here at once and then at the identity provider, for a reason. Only a
// client that the provider has confirmed can be disabled and enabled.
func (c Client) Disable(reason string) (Update, error) {
	u := c.SwitchOff()
	u.Immediate, u.Note = true, reason
	return u, c.confirmed()
}

// Enable is the update that makes c ACTIVE.
func (c Client) Enable() (Update, error) { return c.as(ClientActive), c.confirmed() }

// confirmed refuses a client that the provider has yet to confirm.
func (c Client) confirmed() error {
	if !c.Registering() || c.Doubtful {
		return nil // Update refuses a doubtful one
	}
	return Refuse(InvalidStatus, "client %s is %s: only one that is ACTIVE or INACTIVE is disabled or enabled", c.ID, c.Status)
}

// Patch is a checked change that names what it changes. What is nil stays as it is.
type Patch struct {
	Name         *string
	UserClaims   []string
	ACRs         []string
	LogoURI      *string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Extensions   ExtensionChange
	Status       *ClientStatus
	Ignored      []string // members of the request that its door does not know
}

// Patched is the update that changes c as p says. Without a status in p, one that is
// neither ACTIVE nor INACTIVE is asked for again.
func (c Client) Patched(p Patch) Update {
	status := ClientActive
	if c.Status == ClientInactive {
		status = ClientInactive
	}
	return Update{
		Name: valueOr(p.Name, c.Name), UserClaims: p.UserClaims, ACRs: p.ACRs, LogoURI: valueOr(p.LogoURI, c.LogoURI),
		RedirectURIs: listOr(p.RedirectURIs, c.RedirectURIs), GrantTypes: listOr(p.GrantTypes, c.GrantTypes),
		AuthMethods: listOr(p.AuthMethods, c.AuthMethods), Extensions: p.Extensions, Status: valueOr(p.Status, status),
		Ignored: p.Ignored,
	}
}

// valueOr is what p points to; other if p is nil.
func valueOr[T any](p *T, other T) T {
	if p == nil {
		return other
	}
	return *p
}

// listOr is a list; other if that is nil.
func listOr(list, other []string) []string {
	if list == nil {
		return other
	}
	return list
}

// Update applies u. The status may go from ACTIVE to INACTIVE and back.
//
// A PENDING or FAILED client is corrected with u.Status ACTIVE: it is PENDING, to be
// registered with the fields of u. A doubtful client cannot be updated. An update that
// changes nothing returns the client as it is.
//
// A client that was switched off one way changes only by an update that may lift it. What
// a policy gave to a partner's client never changes.
func (c Client) Update(u Update, at time.Time) (Client, error) {
	if u.Final && u.Status == ClientInactive && c.Status == ClientActive {
		// Such a door changes either the status or the other fields.
		off := c.SwitchOff()
		off.Final, off.Lift, off.Ignored = true, u.Lift, u.Ignored
		u = off
	}
	status := u.Status
	if err := c.keepsGrant(u); err != nil {
		return c, err
	}
	switch {
	case c.Doubtful:
		return c, c.doubtful()
	case c.Registering() && u.Status == ClientActive:
		status = ClientPending
	case c.Registering():
		return c, Refuse(InvalidStatus, "client %s is %s: correct it with the status ACTIVE, or give it up by DELETE", c.ID, c.Status)
	}
	changed := c.rolled(u.Keys)
	changed.Name, changed.LogoURI = u.Name, u.LogoURI
	changed.RedirectURIs = slices.Clone(u.RedirectURIs)
	changed.GrantTypes = slices.Clone(u.GrantTypes)
	changed.AuthMethods = slices.Clone(u.AuthMethods)
	changed.UserClaims = slices.Clone(listOr(u.UserClaims, c.UserClaims))
	changed.ACRs = slices.Clone(listOr(u.ACRs, c.ACRs))
	changed.Extensions = c.Extensions.with(u.Extensions)
	changed.Status = status
	changed.Final = status == ClientInactive && (c.Final || u.Final)
	if stays := c.Final && len(c.Changes(changed)) > 0 || u.Final && c.Status == ClientInactive; stays && !u.Lift {
		return c, Refuse(AlreadyInactive, "client %s was switched off for good", c.ID)
	}
	if len(c.Changes(changed)) == 0 {
		return c, nil
	}
	return changed.become(status, at), nil
}

func (c Client) become(status ClientStatus, at time.Time) Client {
	c.Status, c.UpdatedAt = status, at
	c.Doubtful, c.Failure = false, Failure{}
	c.Rev++
	return c
}

// Changes lists the fields that an update can change and that differ between c and
// after, by their names at the provider door.
func (c Client) Changes(after Client) []string {
	return differing(
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
		field{"publicKey", c.Key == after.Key && c.FormerKey == after.FormerKey},
		field{"status", c.Status == after.Status && c.Final == after.Final})
}

// Repeats reports whether r, sent by caller, is the registration that made c, sent
// again: the same caller and every field equal, lists in the same order. The claims and
// ACRs of a partner registration come from its policy, which may have changed since, so
// the policy is compared instead of them.
//
// A caller whose answer was lost gets the client's id and status again. Anything
// else with the same id or key is a duplicate.
func (c Client) Repeats(r Registration, caller string) bool {
	same := c.CreatedBy == caller && c.Door == r.Door && c.ID == r.ClientID && c.Name == r.Name &&
		c.PartnerID == r.PartnerID && c.PolicyID == r.PolicyID && c.Key == r.Key && c.LogoURI == r.LogoURI &&
		slices.Equal(c.RedirectURIs, r.RedirectURIs) && slices.Equal(c.GrantTypes, r.GrantTypes) &&
		slices.Equal(c.AuthMethods, r.AuthMethods) && c.Extensions.Equal(r.Extensions)
	if r.Door == PartnerDoor {
		return same
	}
	return same && slices.Equal(c.UserClaims, r.UserClaims) && slices.Equal(c.ACRs, r.ACRs)
}
