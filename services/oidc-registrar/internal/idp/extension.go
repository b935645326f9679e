package idp

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// MissingExtensions returns nil: the provider reads the extensions from this service.
func (Local) MissingExtensions(registrar.Extensions) []string { return nil }

// MissingExtensions returns the extensions without a registered member of client metadata.
func (*RFC7591) MissingExtensions(e registrar.Extensions) []string {
	_, lacks := extensionMembers(e, "")
	return lacks
}

// MissingExtensions returns the extensions that a ClientRepresentation has no member for.
func (*Keycloak) MissingExtensions(e registrar.Extensions) []string {
	_, lacks := extensionMembers(e, "")
	return slices.DeleteFunc(lacks, func(name string) bool { return name == pkceExtension })
}

const pkceExtension = registrar.ConfigExtension + ".require_pkce"

// extensionMembers returns the members of client metadata for extensions, except for the key in
// jwks, and the extensions without such a member. A name equal to the default name is omitted:
// client_name applies to languages without a member (OpenID Connect Registration §2.1).
func extensionMembers(e registrar.Extensions, name string) (members map[string]any, lacks []string) {
	members = map[string]any{}
	var config map[string]any
	if e.Config != "" && json.Unmarshal([]byte(e.Config), &config) != nil {
		return nil, e.List()
	}
	for _, extension := range e.List() {
		switch extension {
		case registrar.NamesExtension:
			for code, text := range e.Names {
				if text != name {
					members[namePrefix+registrar.LanguageTag(code)] = text
				}
			}
		case registrar.EncKeyExtension: // part of jwks
		case registrar.ConfigExtension + ".require_pushed_authorization_requests": // RFC 9126 §6
			members["require_pushed_authorization_requests"] = config["require_pushed_authorization_requests"]
		case registrar.ConfigExtension + ".dpop_bound_access_tokens": // RFC 9449 §5.2
			members["dpop_bound_access_tokens"] = config["dpop_bound_access_tokens"]
		case registrar.ConfigExtension + ".userinfo_response_type": // OpenID Connect Registration §2
			if config["userinfo_response_type"] == "JWE" {
				if e.EncKey == "" {
					lacks = append(lacks, extension) // no encryption key
					continue
				}
				members["userinfo_encrypted_response_alg"] = encryptionAlg(e.EncKey)
				members["userinfo_encrypted_response_enc"] = "A256GCM"
			}
			members["userinfo_signed_response_alg"] = "RS256" // supported by every provider
		case pkceExtension: // no metadata of RFC 7591 requires it
			members["require_pkce"] = config["require_pkce"]
			lacks = append(lacks, extension)
		default:
			lacks = append(lacks, extension)
		}
	}
	return members, lacks
}

// encryptionAlg returns the algorithm for encrypting to a key.
func encryptionAlg(jwk string) string {
	var key struct{ Alg, Kty string }
	switch err := json.Unmarshal([]byte(jwk), &key); {
	case err == nil && key.Alg != "":
		return key.Alg
	case err == nil && key.Kty == "EC":
		return "ECDH-ES"
	}
	return "RSA-OAEP-256"
}

// keySet returns the keys of c as a JWK Set, including the encryption key.
func keySet(c registrar.Client) json.RawMessage {
	var list []string
	for _, k := range c.Keys() {
		list = append(list, signingKey(k))
	}
	keys := strings.Join(list, ",")
	if c.Extensions.EncKey != "" {
		keys += "," + c.Extensions.EncKey
	}
	return json.RawMessage(`{"keys":[` + keys + `]}`)
}

// MarshalJSON adds the extensions and the details to the other members.
func (m metadata) MarshalJSON() ([]byte, error) {
	type plain metadata
	all := maps.Clone(m.details)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, m.extensions)
	data, err := json.Marshal(plain(m))
	if err != nil || len(all) == 0 {
		return data, err
	}
	more, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return slices.Concat(data[:len(data)-1], []byte(","), more[1:]), nil
}

// UnmarshalJSON keeps all members.
func (i *information) UnmarshalJSON(data []byte) error {
	type plain information
	if err := json.Unmarshal(data, (*plain)(i)); err != nil {
		return err
	}
	return json.Unmarshal(data, &i.members)
}

// namePrefix begins the members with names in other languages (RFC 7591 §2.2).
const namePrefix = "client_name#"

// dropNames removes the names in other languages and reports whether there were any. Not every provider
// takes them, and no registration fails because of them.
func (m metadata) dropNames() bool {
	all := len(m.extensions)
	maps.DeleteFunc(m.extensions, func(name string, _ any) bool { return strings.HasPrefix(name, namePrefix) })
	return len(m.extensions) < all
}

// includes reports whether the provider has registered the extensions as sent, apart from names. Its answer
// contains all registered metadata (RFC 7591 §3.2.1), so a missing member is not in force.
func (i information) includes(extensions map[string]any) bool {
	for name, sent := range extensions {
		var got any
		if strings.HasPrefix(name, namePrefix) {
			continue
		}
		if json.Unmarshal(i.members[name], &got) != nil || !reflect.DeepEqual(got, sent) {
			return false
		}
	}
	return true
}
