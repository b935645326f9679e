package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// standardSettings are the members that map to settings of additionalConfig.
var standardSettings = []string{"require_pushed_authorization_requests", "dpop_bound_access_tokens"}

// metadata holds the supported members of a client's metadata (RFC 7591 §2). Other members are
// ignored, as the standard requires, unless dropsSecurity reports that the client is less secure
// without them.
type metadata struct {
	ClientID      string          `json:"client_id"`
	Name          string          `json:"client_name"`
	LogoURI       string          `json:"logo_uri"`
	RedirectURIs  []string        `json:"redirect_uris"`
	GrantTypes    []string        `json:"grant_types"`
	ResponseTypes []string        `json:"response_types"`
	AuthMethod    string          `json:"token_endpoint_auth_method"`
	SigningAlg    string          `json:"token_endpoint_auth_signing_alg"`
	DefaultACRs   []string        `json:"default_acr_values"`
	Secret        string          `json:"client_secret"`
	JWKS          json.RawMessage `json:"jwks"`
	JWKSURI       string          `json:"jwks_uri"`
	Statement     string          `json:"software_statement"`

	keys       [][]byte // signing keys; nil without jwks
	extensions registrar.ExtensionRequest
}

func badMetadata(member, message string) error {
	return refusal.At(registrar.InvalidRequest, "/"+member, "%s", message)
}

// readMetadata parses a client's metadata and applies the defaults of this interface.
func readMetadata(body []byte) (metadata, error) {
	var m metadata
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return m, badMetadata("body", "must be an object")
	}
	if err := json.Unmarshal(body, &m); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return m, badMetadata(wrong.Field, typeMessage(wrong))
		}
		return m, badMetadata("body", "cannot be read")
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if dropsSecurity(member, members[member]) {
			return m, badMetadata(member, "is not supported with this value, and a client that relies on it must not be registered without it")
		}
	}
	switch {
	case m.Secret != "": // RFC 7592 §2.2: it must be the client's own
		return m, badMetadata("client_secret", "is not that of the client, which has none")
	case m.JWKSURI != "":
		return m, badMetadata("jwks_uri", "is not fetched; give jwks")
	case m.Statement != "":
		return m, badMetadata("software_statement", "is not supported")
	case m.ResponseTypes != nil && !slices.Equal(m.ResponseTypes, []string{"code"}):
		return m, badMetadata("response_types", "must be code alone")
	}
	m.AuthMethod = cmp.Or(m.AuthMethod, "private_key_jwt")
	if m.GrantTypes == nil {
		m.GrantTypes = []string{"authorization_code"}
	}
	if err := m.readKeys(); err != nil {
		return m, err
	}
	return m, m.readExtensions(members)
}

// typeMessage returns the message about the expected JSON type of a member.
func typeMessage(wrong *json.UnmarshalTypeError) string {
	kind := map[string]string{"number": "a number", "bool": "a boolean", "object": "an object", "array": "a list",
		"string": "a string"}[strings.Fields(wrong.Value)[0]]
	switch {
	case wrong.Type.Kind() == reflect.Slice:
		return "must be a list of strings, not " + kind
	case slices.Contains([]string{"redirect_uris", "grant_types", "response_types", "default_acr_values"}, wrong.Field):
		return "must be a list of strings: it has " + kind
	}
	return "must be a string, not " + kind
}

// securityMembers restrict a client or protect its messages, and are not supported. The list omits
// members that match the patterns of dropsSecurity.
var securityMembers = []string{
	"subject_type", "sector_identifier_uri", "request_uris", "signed_jwks_uri", "authorization_details_types",
	"backchannel_logout_uri", "frontchannel_logout_uri",
}

// defaultMembers are values of security members that always hold (OpenID Connect Registration §2).
var defaultMembers = map[string]string{"subject_type": `"public"`, "id_token_signed_response_alg": `"RS256"`}

// isSecurity reports whether a member requests a protection that is not supported. Its names are those of the registry
// "OAuth Dynamic Client Registration Metadata". Algorithms, requirements and bound tokens of other specifications are
// recognized by their form.
func isSecurity(member string) bool {
	if member == "token_endpoint_auth_signing_alg" || slices.Contains(standardSettings, member) {
		return false // supported
	}
	has := func(prefix, suffix string) bool {
		return strings.HasPrefix(member, prefix) && strings.HasSuffix(member, suffix)
	}
	return slices.Contains(securityMembers, member) || has("", "_alg") || has("", "_enc") || has("require_", "") ||
		has("tls_client_", "") || has("", "_bound_access_tokens") || has("", "_session_required")
}

// dropsSecurity reports whether a member requests a protection that is not supported and not the default.
func dropsSecurity(member string, value json.RawMessage) bool {
	var compact bytes.Buffer
	if !isSecurity(member) || json.Compact(&compact, value) != nil {
		return isSecurity(member)
	}
	text := compact.String()
	return text != defaultMembers[member] && !slices.Contains([]string{"null", "false", `""`, "[]"}, text)
}

// ignoredMetadata returns the members of the metadata without effect, for the event.
func ignoredMetadata(ctx context.Context) []string {
	return slices.DeleteFunc(slices.Clone(web.UnknownMembers(ctx)), func(member string) bool {
		return strings.HasPrefix(member, "client_name#") || isSecurity(member)
	})
}

// readKeys parses the signing keys and the encryption key, if any.
func (m *metadata) readKeys() error {
	if m.JWKS == nil {
		return nil
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(m.JWKS, &set) != nil || set.Keys == nil {
		return badMetadata("jwks", "must be a JWK Set, an object with the member keys")
	}
	m.keys = [][]byte{}
	for _, key := range set.Keys {
		var use struct {
			Use string `json:"use"`
		}
		switch {
		case json.Unmarshal(key, &use) != nil || use.Use != "enc":
			m.keys = append(m.keys, key)
		case m.extensions.EncKey == nil:
			m.extensions.EncKey = key
		default:
			return badMetadata("jwks", "must have at most one key to encrypt with")
		}
	}
	if len(m.keys) > 2 {
		return badMetadata("jwks", "must have at most two keys to sign with")
	}
	return nil
}

// key returns the signing key of a registration.
func (m metadata) key() ([]byte, error) {
	switch len(m.keys) {
	case 0:
		return nil, badMetadata("jwks", "must have the client's public key, with which it authenticates by private_key_jwt: clients without a key are not supported")
	case 1:
		return m.withAlg(m.keys[0])
	}
	return nil, badMetadata("jwks", "must have one key to sign with; a second one is added by an update")
}

// withAlg returns the key with the client's signing algorithm (token_endpoint_auth_signing_alg) as
// alg, if the metadata contain one. The rules check that it matches the key.
func (m metadata) withAlg(key []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	if m.SigningAlg == "" || json.Unmarshal(key, &members) != nil || members == nil {
		return key, nil
	}
	if parsed, err := registrar.KeyOf(key); err == nil && !slices.Contains(parsed.SigningAlgs(), m.SigningAlg) {
		return nil, badMetadata("token_endpoint_auth_signing_alg", "must be an algorithm of the key: "+strings.Join(parsed.SigningAlgs(), ", "))
	}
	alg, err := json.Marshal(m.SigningAlg)
	if err != nil {
		return nil, err
	}
	if own, given := members["alg"]; given && !bytes.Equal(own, alg) {
		return nil, badMetadata("token_endpoint_auth_signing_alg", "must be the alg of the key in jwks")
	}
	members["alg"] = alg
	return json.Marshal(members)
}

// updateAlg applies token_endpoint_auth_signing_alg to the new key of an update. Without a new key
// the algorithm does not change.
func (m *metadata) updateAlg(before registrar.Client) error {
	if m.SigningAlg == "" {
		return nil
	}
	kept := before.Keys()
	if m.keys != nil {
		kept = nil
	}
	for i, raw := range m.keys {
		key, err := registrar.KeyOf(raw)
		if err != nil {
			return nil // the rules refuse it
		}
		if own := slices.IndexFunc(before.Keys(), func(k registrar.Key) bool { return k.Thumbprint == key.Thumbprint }); own >= 0 {
			kept = append(kept, before.Keys()[own])
			continue
		}
		m.keys[i], err = m.withAlg(raw)
		return err
	}
	if len(kept) > 0 && !slices.ContainsFunc(kept, func(k registrar.Key) bool { return k.SigningAlg() == m.SigningAlg }) {
		return badMetadata("token_endpoint_auth_signing_alg", "changes only together with the key: register another key to sign with "+m.SigningAlg)
	}
	return nil
}

// checkACRs refuses default_acr_values that the client does not have.
func (m metadata) checkACRs(granted func() ([]string, error)) error {
	if len(m.DefaultACRs) == 0 {
		return nil
	}
	acrs, err := granted()
	if err != nil {
		return err
	}
	for i, acr := range m.DefaultACRs {
		if !slices.Contains(acrs, acr) {
			return badMetadata(fmt.Sprintf("default_acr_values/%d", i), "is not granted by the policy of the client")
		}
	}
	return nil
}

// readExtensions parses names in other languages and the settings with a metadata member.
func (m *metadata) readExtensions(members map[string]json.RawMessage) error {
	m.extensions.Names = map[string]string{}
	for member, value := range members {
		tag, named := strings.CutPrefix(member, "client_name#")
		if !named {
			continue
		}
		var name string
		code := registrar.LanguageCode(tag)
		if code == "" || json.Unmarshal(value, &name) != nil {
			return badMetadata("client_name#", "must be a name by the tag of a language alone")
		}
		m.extensions.Names[code] = name
	}
	config := map[string]json.RawMessage{}
	for _, name := range standardSettings {
		if value, given := members[name]; given && !bytes.Equal(value, []byte("null")) {
			config[name] = value
		}
	}
	var err error
	if m.extensions.Config, err = json.Marshal(config); err != nil {
		return err
	}
	return nil
}

// memberNames maps the fields of partner management to metadata members.
var memberNames = map[string]string{
	"name": "client_name", "clientName": "client_name", "publicKey": "jwks", "logoUri": "logo_uri", "redirectUris": "redirect_uris",
	"grantTypes": "grant_types", "clientAuthMethods": "token_endpoint_auth_method", "clientNameLangMap": "client_name#", "encPublicKey": "jwks",
}

// withMetadataNames converts the fields of a refusal to metadata members.
func (m metadata) withMetadataNames(err error) error {
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok || refused.Where == "" {
		return err
	}
	problems := slices.Clone(refused.List())
	for i, p := range problems {
		name, step, _ := strings.Cut(strings.TrimPrefix(p.Where, "/"), "/")
		problems[i].Where = "/" + cmp.Or(memberNames[name], name)
		switch {
		case name == registrar.ConfigExtension && step != "":
			problems[i].Where = "/" + step
		case step != "" && name == "redirectUris":
			problems[i].Where += "/" + step
		}
	}
	return refusal.Invalid(problems)
}
