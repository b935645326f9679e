package registrar

import (
	"maps"
	"slices"
	"time"
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
	ClientFailed   ClientStatus = "FAILED"   // the identity provider could not be reached for too long; retried on demand
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

	Status ClientStatus

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

// Activate records that the identity provider knows the client. Doing so twice
// changes nothing.
func (c Client) Activate(at time.Time) (Client, error) {
	switch c.Status {
	case ClientActive:
		return c, nil
	case ClientPending:
		return c.become(ClientActive, at), nil
	}
	return c, Refuse(InvalidStatus, "client %s is %s", c.ID, c.Status)
}

// Fail records that the attempts to reach the identity provider are over.
func (c Client) Fail(at time.Time) (Client, error) {
	switch c.Status {
	case ClientFailed:
		return c, nil
	case ClientPending:
		return c.become(ClientFailed, at), nil
	}
	return c, Refuse(InvalidStatus, "client %s is %s", c.ID, c.Status)
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

	Final bool // the door knows no way back from INACTIVE
	Lift  bool // the caller may go it nevertheless
}

// Update applies u. The status may go from ACTIVE to INACTIVE and back.
//
// A FAILED client with u.Status ACTIVE becomes PENDING: the caller wants the
// registration tried again, with the fields of u. A PENDING client cannot be
// updated, since a call to the identity provider with the old fields may be
// under way. An update that changes nothing returns the client as it is.
//
// A client that was switched off one way changes only by an update that may lift it. What
// a policy gave to a partner's client never changes.
func (c Client) Update(u Update, at time.Time) (Client, error) {
	status := u.Status
	if err := c.keepsGrant(u); err != nil {
		return c, err
	}
	switch {
	case c.Status == ClientFailed && u.Status == ClientActive:
		status = ClientPending
	case c.Status != ClientActive && c.Status != ClientInactive:
		return c, Refuse(InvalidStatus, "client %s is %s", c.ID, c.Status)
	}
	changed := c.rolled(u.Keys)
	changed.Name, changed.LogoURI = u.Name, u.LogoURI
	changed.RedirectURIs = slices.Clone(u.RedirectURIs)
	changed.GrantTypes = slices.Clone(u.GrantTypes)
	changed.AuthMethods = slices.Clone(u.AuthMethods)
	if u.UserClaims != nil {
		changed.UserClaims = slices.Clone(u.UserClaims)
	}
	if u.ACRs != nil {
		changed.ACRs = slices.Clone(u.ACRs)
	}
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
	c.Rev++
	return c
}

// Changes lists the fields that an update can change and that differ between c and
// after, by their names at the provider door.
func (c Client) Changes(after Client) []string {
	var names []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"clientName", c.Name == after.Name},
		{"userClaims", slices.Equal(c.UserClaims, after.UserClaims)},
		{"authContextRefs", slices.Equal(c.ACRs, after.ACRs)},
		{"logoUri", c.LogoURI == after.LogoURI},
		{"redirectUris", slices.Equal(c.RedirectURIs, after.RedirectURIs)},
		{"grantTypes", slices.Equal(c.GrantTypes, after.GrantTypes)},
		{"clientAuthMethods", slices.Equal(c.AuthMethods, after.AuthMethods)},
		{NamesExtension, maps.Equal(c.Extensions.Names, after.Extensions.Names)},
		{ConfigExtension, c.Extensions.Config == after.Extensions.Config},
		{EncKeyExtension, c.Extensions.EncKey == after.Extensions.EncKey},
		{"publicKey", !c.rolls(after)},
		{"status", c.Status == after.Status && c.Final == after.Final},
	} {
		if !f.same {
			names = append(names, f.name)
		}
	}
	return names
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
