package registrar

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/plaintext"
	"github.com/countersign/countersign/libs/refusal"
)

// A client rotates its key in three steps: it adds a second key, moves its instances to that key,
// and removes the first one. In between, both are in its JWK Set. Its id does not change, even if
// it was derived from the first key.

// MaxKeys is the maximum number of signing keys of a client.
const MaxKeys = 5

// Keys returns the keys of the client, the newest first. A public client has none.
func (c Client) Keys() []Key {
	var keys []Key
	if c.Key != (Key{}) {
		keys = append(keys, c.Key)
	}
	return append(keys, c.OtherKeys...)
}

// KeySet returns the client's keys as a JWK Set (RFC 7517 §5).
func (c Client) KeySet() string {
	var list []string
	for _, k := range c.Keys() {
		list = append(list, k.JWK)
	}
	return `{"keys":[` + strings.Join(list, ",") + `]}`
}

// WholeKeySet is KeySet with the encryption key, if the client has one.
func (c Client) WholeKeySet() string {
	if c.Extensions.EncKey == "" {
		return c.KeySet()
	}
	return strings.TrimSuffix(c.KeySet(), "]}") + "," + c.Extensions.EncKey + "]}"
}

// KeyChange is a change to the keys of a client. The zero value changes nothing.
type KeyChange struct {
	Add    Key    // becomes the current key
	Remove string // thumbprint of the key to remove
	Set    []Key  // replaces all keys
}

// IsZero reports whether change changes nothing.
func (change KeyChange) IsZero() bool {
	return change.Add == (Key{}) && change.Remove == "" && change.Set == nil
}

// setKeys gives c these keys, at most MaxKeys.
func (c *Client) setKeys(keys []Key) {
	c.Key, c.OtherKeys = Key{}, nil
	if len(keys) > 0 {
		c.Key, c.OtherKeys = keys[0], slices.Clone(keys[1:])
	}
}

// NewKey checks a key for [Client.AddKey].
func (r Rules) NewKey(raw []byte) (Key, error) {
	var found problems
	key, _, err := r.ParseKey(raw)
	found.addKey(err)
	return key, found.err()
}

// AddKey returns the update that adds a key. The update changes nothing if the client has the key. It refuses a
// client with two keys or more, and another key with the same id.
func (c Client) AddKey(k Key) (Update, error) {
	u := c.statusUpdate(c.Status)
	if err := c.refuseKeys(); err != nil {
		return u, err
	}
	for _, own := range c.Keys() {
		switch {
		case own.Thumbprint == k.Thumbprint:
			return u, nil
		case own.ID == k.ID:
			return u, refusal.New(InvalidKey, "the client has another key with this kid")
		}
	}
	if len(c.Keys()) > 1 {
		return u, refusal.New(InvalidKey, "the client has two keys already; remove one first")
	}
	u.Keys.Add = k
	return u, nil
}

// RemoveKey returns the update that removes the key with the kid, or without one the key with the thumbprint. Two keys
// can have the thumbprint of each other as kid.
func (c Client) RemoveKey(kid, thumbprint string) (Update, error) {
	u, keys := c.statusUpdate(c.Status), c.Keys()
	if err := c.refuseKeys(); err != nil {
		return u, err
	}
	i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == kid || kid == "" && k.Thumbprint == thumbprint })
	switch {
	case i < 0:
		return u, refusal.New(InvalidKey, "the client has no such key")
	case len(keys) == 1:
		return u, refusal.New(InvalidKey, "is the only key of the client; add another one first")
	}
	u.Keys.Remove = keys[i].Thumbprint
	return u, nil
}

// CheckKeys refuses keys of a client that are not 1 to MaxKeys with different ids.
func CheckKeys(keys []Key) error {
	if len(keys) == 0 || len(keys) > MaxKeys {
		return invalidKeys(fmt.Sprintf("must have 1 to %d keys to sign with, not %d", MaxKeys, len(keys)))
	}
	for i, k := range keys {
		if slices.ContainsFunc(keys[:i], func(other Key) bool { return other.ID == k.ID }) {
			return invalidKeys("must have keys with different kid; the thumbprint counts as one: " + shown(k.ID) + " is there twice")
		}
	}
	return nil
}

// ReplaceKeys returns the change that leaves c with these keys, the new ones first. A key of c keeps its members.
func (c Client) ReplaceKeys(keys []Key) (KeyChange, error) {
	if c.IsPublic() {
		return KeyChange{}, invalidKeys(errNoKey.Error())
	}
	if err := CheckKeys(keys); err != nil {
		return KeyChange{}, err
	}
	keys = slices.Clone(keys)
	for i, k := range keys { // without members that it lacks, such as alg
		same := func(own Key) bool { return own.Thumbprint == k.Thumbprint && own.ID == k.ID }
		if own := slices.IndexFunc(c.Keys(), same); own >= 0 {
			keys[i] = c.Keys()[own]
		}
	}
	isOwn := func(k Key) bool { return slices.Contains(c.Keys(), k) }
	added := slices.DeleteFunc(slices.Clone(keys), isOwn)
	if len(added) == 0 && len(keys) == len(c.Keys()) {
		return KeyChange{}, nil
	}
	kept := slices.DeleteFunc(slices.Clone(c.Keys()), func(k Key) bool { return !slices.Contains(keys, k) })
	return KeyChange{Set: append(added, kept...)}, nil
}

func invalidKeys(message string) error {
	return refusal.At(InvalidKey, "/publicKey", "%s", message)
}

// statusUpdate returns the update that sets the status of c and changes no other field.
func (c Client) statusUpdate(status ClientStatus) Update {
	return Update{
		Name: c.Name, LogoURI: c.LogoURI, RedirectURIs: c.RedirectURIs, GrantTypes: c.GrantTypes, AuthMethods: c.AuthMethods, Status: status,
	}
}

// Deactivation returns the update that makes c INACTIVE and changes no other field.
func (c Client) Deactivation() Update { return c.statusUpdate(ClientInactive) }

// withKeys applies a change to the keys.
func (c Client) withKeys(change KeyChange) Client {
	keys := c.Keys()
	if change.Set != nil {
		keys = slices.Clone(change.Set)
	}
	isKey := func(thumbprint string) func(Key) bool {
		return func(k Key) bool { return k.Thumbprint == thumbprint }
	}
	if k := change.Add; k != (Key{}) && !slices.ContainsFunc(keys, isKey(k.Thumbprint)) {
		keys = slices.Insert(keys, 0, k)
	}
	if left := slices.DeleteFunc(slices.Clone(keys), isKey(change.Remove)); len(left) > 0 {
		keys = left
	}
	c.setKeys(keys)
	return c
}

// MergePending returns u as the replacement of a pending update. The key change of the pending update
// remains, unless u has its own.
func (u Update) MergePending(pending Update) Update {
	if u.Keys.IsZero() {
		u.Keys = pending.Keys
	}
	return u
}

// ReservedKeys returns the thumbprints that are reserved for c while u is pending and after it.
func (c Client) ReservedKeys(u Update) []string {
	var list []string
	for _, k := range slices.Concat(c.Keys(), []Key{u.Keys.Add}, u.Keys.Set) {
		if k != (Key{}) && !slices.Contains(list, k.Thumbprint) {
			list = append(list, k.Thumbprint)
		}
	}
	return list
}

// KeyOf parses the key of an existing client without the rules for registrations.
func KeyOf(raw []byte) (Key, error) {
	key, _, err := parseLegacyKey(raw)
	return key, err
}

// parseLegacyKey parses the public members of an existing key. It checks only that it is a public key.
// dropped reports that there were private members.
func parseLegacyKey(raw []byte) (key Key, dropped bool, err error) {
	var m members
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || json.Unmarshal(raw, &m) != nil || m == nil {
		return Key{}, false, badKey("must be one JSON Web Key")
	}
	k := jwk{Kty: m.textOr("kty"), Crv: m.textOr("crv")}
	if k.Kty == "" && m.has("n") { // kty was not always checked
		k.Kty = "RSA"
	}
	names := map[string][]string{"RSA": {"n", "e"}, "EC": {"x", "y"}, "OKP": {"x"}}[k.Kty]
	switch {
	case m.has("keys"):
		return Key{}, false, badKey("must be one key, not a set")
	case k.Kty == "oct":
		return Key{}, false, refusal.New(PrivateKey, "is a symmetric key, which is a secret")
	case names == nil:
		return Key{}, false, badKey("has a kty that is not allowed")
	case k.Kty != "RSA" && checkID(k.Crv, 32) != nil:
		return Key{}, false, badKey("has no crv")
	case k.Kty == "RSA":
		k.Crv = ""
	}
	into := map[string]*string{"n": &k.N, "e": &k.E, "x": &k.X, "y": &k.Y}
	for _, name := range names {
		octets, err := decodeBase64(m.textOr(name))
		if k.Kty == "RSA" {
			octets = bytes.TrimLeft(octets, "\x00")
		}
		if err != nil || len(octets) == 0 || len(octets) > 2<<10 {
			return Key{}, false, badKey("has no %s that is base64url", name)
		}
		*into[name] = base64.RawURLEncoding.EncodeToString(octets)
	}
	key.Thumbprint = thumbprint(k)
	k.Kid = key.Thumbprint
	if kid := m.textOr("kid"); strings.TrimSpace(kid) != "" && utf8.RuneCountInString(kid) <= maxKeyID && plaintext.Check(kid) == nil {
		k.Kid = kid
	}
	for name, value := range map[string]*string{"alg": &k.Alg, "use": &k.Use} {
		if text := m.textOr(name); text != "" && checkID(text, 64) == nil {
			*value = text
		}
	}
	key.JWK, key.ID = string(k.encode()), k.Kid
	return key, m.private() != "", nil
}

// textOr returns a string member, or an empty string.
func (m members) textOr(name string) string {
	text, err := m.text(name)
	if err != nil {
		return ""
	}
	return text
}

// decodeBase64 decodes every variant of base64.
func decodeBase64(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(text))
}
