package registrar

import (
	"errors"
	"slices"
	"strings"
)

// A client rolls its key in three steps: it adds a second one, moves what it runs to that,
// and removes the first. Meanwhile both are in its JWK Set. Its id stays, also where that
// was made from the first key.

// Keys are the keys of the client, the newest first.
func (c Client) Keys() []Key {
	if c.FormerKey == (Key{}) {
		return []Key{c.Key}
	}
	return []Key{c.Key, c.FormerKey}
}

// KeySet is the client's keys as a JWK Set (RFC 7517 §5).
func (c Client) KeySet() string {
	var list []string
	for _, k := range c.Keys() {
		list = append(list, k.JWK)
	}
	return `{"keys":[` + strings.Join(list, ",") + `]}`
}

// WholeKeySet is KeySet with the key to encrypt with, if the client has one.
func (c Client) WholeKeySet() string {
	if c.Extensions.EncKey == "" {
		return c.KeySet()
	}
	return strings.TrimSuffix(c.KeySet(), "]}") + "," + c.Extensions.EncKey + "]}"
}

// KeyChange is a change to the keys of a client. The zero value changes nothing.
type KeyChange struct {
	Add    Key    // becomes the key, and the one before its former key
	Remove string // the thumbprint of the one that goes
}

// NewKey checks a key for [Client.AddKey].
func (r Rules) NewKey(raw []byte) (Key, error) {
	var found Invalid
	key, _, err := r.ParseKey(raw)
	found.addKey(err)
	return key, found.err()
}

// AddKey is the update that adds a key, and changes nothing if the client has it. A client
// has two keys at most, and tells them apart by their ids.
func (c Client) AddKey(k Key) (Update, error) {
	u := c.as(c.Status)
	for _, own := range c.Keys() {
		switch {
		case own.Thumbprint == k.Thumbprint:
			return u, nil
		case own.ID == k.ID:
			return u, Refuse(InvalidKey, "the client has another key with this kid")
		}
	}
	if c.FormerKey != (Key{}) {
		return u, Refuse(InvalidKey, "the client has two keys already; remove one first")
	}
	u.Keys.Add = k
	return u, nil
}

// RemoveKey is the update that removes a key, which is named by its kid or its thumbprint.
func (c Client) RemoveKey(id string) (Update, error) {
	u, keys := c.as(c.Status), c.Keys()
	i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == id || k.Thumbprint == id })
	switch {
	case i < 0:
		return u, Refuse(InvalidKey, "the client has no such key")
	case len(keys) == 1:
		return u, Refuse(InvalidKey, "is the only key of the client; add another one first")
	}
	u.Keys.Remove = keys[i].Thumbprint
	return u, nil
}

// ReplaceKeys is the change that leaves c with these keys, of which one may be new: it is
// added, and what is not among them is removed, as by AddKey and RemoveKey.
func (c Client) ReplaceKeys(keys []Key) (KeyChange, error) {
	var change KeyChange
	has := func(list []Key, k Key) bool {
		return slices.ContainsFunc(list, func(other Key) bool { return other.Thumbprint == k.Thumbprint })
	}
	own := c.Keys()
	for _, k := range keys {
		switch {
		case has(own, k):
		case change.Add != (Key{}):
			return KeyChange{}, wrongKeys("has more than one new key; add one after the other")
		default:
			u, err := c.AddKey(k)
			if refusal, ok := errors.AsType[*Error](err); ok {
				return KeyChange{}, wrongKeys(refusal.Message)
			}
			change = u.Keys
		}
	}
	for _, k := range own {
		if !has(keys, k) {
			change.Remove = k.Thumbprint
		}
	}
	if len(keys) == 0 {
		return KeyChange{}, wrongKeys("has no key to sign with")
	}
	return change, nil
}

func wrongKeys(message string) error {
	return Invalid{{Field: "publicKey", Reason: InvalidKey, Message: message}}
}

// as is the update that gives c a status and leaves the rest as it is.
func (c Client) as(status ClientStatus) Update {
	return Update{
		Name: c.Name, LogoURI: c.LogoURI, RedirectURIs: c.RedirectURIs, GrantTypes: c.GrantTypes, AuthMethods: c.AuthMethods, Status: status,
	}
}

// SwitchOff is the update that makes c INACTIVE and leaves the rest as it is.
func (c Client) SwitchOff() Update { return c.as(ClientInactive) }

// rolled applies a change to the keys.
func (c Client) rolled(change KeyChange) Client {
	if k := change.Add; k != (Key{}) && !slices.ContainsFunc(c.Keys(), func(own Key) bool { return own.Thumbprint == k.Thumbprint }) {
		c.Key, c.FormerKey = k, c.Key
	}
	switch change.Remove {
	case "":
	case c.FormerKey.Thumbprint:
		c.FormerKey = Key{}
	case c.Key.Thumbprint:
		if c.FormerKey != (Key{}) {
			c.Key, c.FormerKey = c.FormerKey, Key{}
		}
	}
	return c
}

// Over is u in the place of an update that waits for the identity provider: what that does
// to the keys goes on waiting, unless u does something to them too.
func (u Update) Over(waiting Update) Update {
	if u.Keys == (KeyChange{}) {
		u.Keys = waiting.Keys
	}
	return u
}

// HeldKeys are the thumbprints that no other client may have while u waits for the identity
// provider, and after it.
func (c Client) HeldKeys(u Update) []string {
	var list []string
	for _, k := range append(c.Keys(), u.Keys.Add) {
		if k != (Key{}) && !slices.Contains(list, k.Thumbprint) {
			list = append(list, k.Thumbprint)
		}
	}
	return list
}
