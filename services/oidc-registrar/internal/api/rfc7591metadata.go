package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// standardSettings are the members that map to settings of additionalConfig.
var standardSettings = []string{"require_pushed_authorization_requests", "dpop_bound_access_tokens"}

// metadata holds a client's metadata (RFC 7591 §2) with the problems that need no rule of the domain. Members that are
// not supported are ignored, as the standard requires, unless isSecurity reports that the client is less secure without
// them.
type metadata struct {
	registrar.Request
	clientID    string
	signingAlg  string
	defaultACRs []string
	keys        [][]byte // signing keys; nil without jwks

	values map[string]json.RawMessage
}

func badMetadata(member, message string) error {
	return refusal.At(registrar.InvalidRequest, "/"+member, "%s", message)
}

// add adds a problem.
func (m *metadata) add(member, format string, args ...any) {
	m.Found = append(m.Found, refusal.Problem{
		Where: "/" + member, Reason: registrar.InvalidRequest, Message: fmt.Sprintf(format, args...),
	})
}

// text returns a member with a string. Null counts as absent.
func (m *metadata) text(name string) (text string) {
	if value := m.values[name]; value != nil && json.Unmarshal(value, &text) != nil {
		m.add(name, "must be a string, not %s", kindOf(value))
	}
	return text
}

// list returns a member with a list of strings, and nil if it is absent or null.
func (m *metadata) list(name string) (list []string) {
	value := m.values[name]
	if value == nil || json.Unmarshal(value, &list) == nil {
		return list
	}
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil {
		m.add(name, "must be a list of strings, not %s", kindOf(value))
		return nil
	}
	for _, element := range elements {
		if json.Unmarshal(element, new(string)) != nil {
			m.add(name, "must be a list of strings: it has %s", kindOf(element))
			break
		}
	}
	return nil
}

// readMetadata parses a client's metadata and applies the defaults of this interface.
func readMetadata(ctx context.Context, body []byte) (*metadata, error) {
	m := &metadata{}
	if json.Unmarshal(body, &m.values) != nil || m.values == nil {
		return nil, badMetadata("body", "must be an object")
	}
	m.Wrong, m.Ignored = map[string]string{}, ignoredMetadata(ctx)
	m.clientID, m.Name, m.LogoURI = m.text("client_id"), m.text("client_name"), m.text("logo_uri")
	m.RedirectURIs, m.GrantTypes = m.list("redirect_uris"), m.list("grant_types")
	if m.values["grant_types"] == nil {
		m.GrantTypes = []string{"authorization_code"}
	}
	if types := m.list("response_types"); types != nil && !slices.Contains(types, "code") {
		m.add("response_types", "must have code, the only one that is supported")
	}
	m.signingAlg, m.defaultACRs = m.text("token_endpoint_auth_signing_alg"), m.list("default_acr_values")
	m.readKeys()
	method := "private_key_jwt"
	if m.keys == nil && m.clientID == "" { // of a registration
		method = "none"
	}
	m.AuthMethods = []string{cmp.Or(m.text("token_endpoint_auth_method"), method)}
	m.readNames()
	m.refuseProtections()
	m.Extensions.Metadata = body
	config := map[string]json.RawMessage{}
	for _, name := range standardSettings {
		if value := m.values[name]; value != nil && string(value) != "null" {
			config[name] = value
		}
	}
	if compact(m.values[userinfoAlg]) == defaultMembers[userinfoAlg] {
		config["userinfo_response_type"] = json.RawMessage(`"JWS"`)
	}
	var err error
	m.Extensions.Config, err = json.Marshal(config)
	return m, err
}

// refuseProtections adds a problem for each member that protects the client and is not supported.
func (m *metadata) refuseProtections() {
	for _, name := range slices.Sorted(maps.Keys(m.values)) {
		switch value := compact(m.values[name]); {
		case slices.Contains(noValues, value):
		case name == "client_secret": // RFC 7592 §2.2: it must be the client's own
			m.add(name, "is not that of the client, which has none")
		case name == "jwks_uri":
			m.add(name, "is not fetched; give jwks")
		case name == "software_statement":
			m.add(name, "is not supported")
		case isSecurity(name) && value != defaultMembers[name]:
			m.add(name, "is not supported with this value, and a client that relies on it must not be registered without it")
		}
	}
}

// securityMembers restrict a client or protect its messages, and are not supported. The list omits
// members that match the patterns of isSecurity.
var securityMembers = []string{
	"subject_type", "sector_identifier_uri", "request_uris", "signed_jwks_uri", "authorization_details_types",
	"backchannel_logout_uri", "frontchannel_logout_uri",
}

// userinfoAlg is the member of the setting userinfo_response_type.
const userinfoAlg = "userinfo_signed_response_alg"

// defaultMembers are the accepted values of security members (OpenID Connect Registration §2). subject_type and the
// algorithm of ID tokens always hold, and userinfoAlg by its setting. RS256 for request objects is accepted by every
// provider that reads them. It is not enforced and protects no client: a client that relies on signed requests needs
// require_signed_request_object, which is refused.
var defaultMembers = map[string]string{
	"subject_type": `"public"`, "id_token_signed_response_alg": `"RS256"`, "request_object_signing_alg": `"RS256"`,
	userinfoAlg: `"RS256"`,
}

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

// noValues are the values with the meaning of an absent member.
var noValues = []string{"null", "false", `""`, "[]"}

// compact returns a value without white space.
func compact(value json.RawMessage) string {
	var text bytes.Buffer
	_ = json.Compact(&text, value) // parsed before
	return text.String()
}

// ignoredMetadata returns the members of the metadata without effect, for the event.
func ignoredMetadata(ctx context.Context) []string {
	return slices.DeleteFunc(slices.Clone(web.UnknownMembers(ctx)), func(member string) bool {
		tag, named := strings.CutPrefix(member, "client_name#")
		return named && registrar.LanguageKey(tag) != "" || isSecurity(member)
	})
}

// readKeys parses the signing keys and the encryption key, if any.
func (m *metadata) readKeys() {
	raw := m.values["jwks"]
	if raw == nil || string(raw) == "null" {
		return
	}
	m.keys = [][]byte{}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(raw, &set) != nil || set.Keys == nil {
		m.Wrong["publicKey"] = "must be a JWK Set, an object with the member keys"
		return
	}
	for _, key := range set.Keys {
		var use struct {
			Use string `json:"use"`
		}
		switch {
		case json.Unmarshal(key, &use) != nil || use.Use != "enc":
			m.keys = append(m.keys, key)
		case m.Extensions.EncKey == nil:
			m.Extensions.EncKey = key
		default:
			m.Wrong["publicKey"] = "must have at most one key to encrypt with"
		}
	}
	if len(m.keys) == 0 && m.Wrong["publicKey"] == "" {
		m.Wrong["publicKey"] = "must have a key to sign with"
	}
}

// withKey sets the keys of a registration. The first is one that the signing algorithm fits.
func (m *metadata) withKey() {
	if m.keys == nil && m.AuthMethods[0] != "none" {
		m.Wrong["publicKey"] = "must have the public keys of the client, with which it authenticates by private_key_jwt"
	}
	m.applyAlg(nil)
	if len(m.keys) > 0 {
		m.PublicKey, m.OtherKeys = m.keys[0], m.keys[1:]
	}
}

// applyAlg moves a key that fits the client's signing algorithm (token_endpoint_auth_signing_alg) to the front, with
// the algorithm as its alg. The alg of the client's own keys, if it has any, does not change.
func (m *metadata) applyAlg(own []registrar.Key) {
	if m.signingAlg == "" || len(m.keys) == 0 {
		if m.signingAlg != "" && m.AuthMethods[0] == "none" {
			m.add("token_endpoint_auth_signing_alg", "is of a client with a key")
		}
		return
	}
	var permitted []string
	for i, raw := range m.keys {
		var members map[string]json.RawMessage
		key, err := registrar.KeyOf(raw)
		if err != nil || json.Unmarshal(raw, &members) != nil {
			return // the rules refuse it
		}
		alg, given := members["alg"]
		at := slices.IndexFunc(own, func(k registrar.Key) bool { return k.Thumbprint == key.Thumbprint })
		switch {
		case at >= 0:
			permitted = append(permitted, own[at].SigningAlg())
		case given && json.Unmarshal(alg, new(string)) == nil:
			permitted = append(permitted, strings.Trim(string(alg), `"`))
		default:
			permitted = append(permitted, key.SigningAlgs()...)
		}
		if !slices.Contains(permitted, m.signingAlg) {
			continue
		}
		if !given && at < 0 {
			members["alg"], _ = json.Marshal(m.signingAlg) // a string
			raw, _ = json.Marshal(members)                 // parsed before
		}
		m.keys = slices.Insert(slices.Delete(m.keys, i, i+1), 0, raw)
		return
	}
	m.add("token_endpoint_auth_signing_alg", "must be an algorithm of a key in jwks: %s", strings.Join(permitted, ", "))
}

// updateAlg is applyAlg for an update. A key that the client has keeps its algorithm.
func (m *metadata) updateAlg(before registrar.Client) {
	hasAlg := func(k registrar.Key) bool { return k.SigningAlg() == m.signingAlg }
	if m.keys == nil {
		if m.signingAlg != "" && !slices.ContainsFunc(before.Keys(), hasAlg) {
			m.add("token_endpoint_auth_signing_alg", "changes only together with the key: "+
				"register another key to sign with %s", m.signingAlg)
		}
		return
	}
	m.applyAlg(before.Keys())
}

// checkACRs adds a problem for each of default_acr_values that the client may not request.
func (m *metadata) checkACRs(granted []string) {
	for i, acr := range m.defaultACRs {
		if !slices.Contains(granted, acr) {
			m.add(fmt.Sprintf("default_acr_values/%d", i), "is not granted by the policy of the client")
		}
	}
}

// readNames parses the names in other languages. A tag that is not of BCP 47 is ignored.
func (m *metadata) readNames() {
	m.Extensions.Names = map[string]string{}
	for _, member := range slices.Sorted(maps.Keys(m.values)) {
		tag, named := strings.CutPrefix(member, "client_name#")
		if key := registrar.LanguageKey(tag); named && key != "" && string(m.values[member]) != "null" {
			m.Extensions.Names[key] = m.text(member)
		}
	}
}

// memberNames maps the fields of partner management to metadata members.
var memberNames = map[string]string{
	"name": "client_name", "clientName": "client_name", "publicKey": "jwks", "logoUri": "logo_uri",
	"redirectUris": "redirect_uris",
	"grantTypes":   "grant_types", "clientAuthMethods": "token_endpoint_auth_method", "encPublicKey": "jwks",
}

// withMetadataNames converts the fields of a refusal to metadata members.
func withMetadataNames(err error) error {
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok || refused.Where == "" && len(refused.Problems) == 0 {
		return err
	}
	problems := slices.Clone(refused.List())
	for i, p := range problems {
		name, step, _ := strings.Cut(strings.TrimPrefix(p.Where, "/"), "/")
		own, mapped := memberNames[name]
		switch {
		case mapped && (step == "" || name != "redirectUris"):
			problems[i].Where = "/" + own
		case mapped:
			problems[i].Where = "/" + own + "/" + step
		case name == registrar.ConfigExtension && step == "userinfo_response_type":
			problems[i].Where = "/" + userinfoAlg
		case name == registrar.ConfigExtension && step != "":
			problems[i].Where = "/" + step
		case name == registrar.NamesExtension:
			problems[i].Where = "/client_name#" + registrar.LanguageTag(step)
		}
	}
	return refusal.Invalid(problems)
}
