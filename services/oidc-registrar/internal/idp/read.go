package idp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Read reads c (RFC 7592 §2.1) and compares each security-relevant member of the answer. The answer may contain a new
// token, which voids the previous one. If the answer is lost, so may be the token.
func (r *RFC7591) Read(
	ctx context.Context,
	c registrar.Client,
	record registrar.ProviderRecord,
) (registrar.Difference, registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var none registrar.Difference
	if !r.canManage(record) {
		return none, record, newRefusal("", "it offers no way to read the client (RFC 7592)")
	}
	sent, err := r.metadata(ctx, c)
	if err != nil {
		return none, record, err
	}
	if c.Status == registrar.ClientInactive {
		sent.disable()
	}
	info, err := r.read(ctx, record)
	switch {
	case errors.Is(err, ErrMissing):
		return registrar.Difference{Kind: registrar.DifferenceMissing}, record, nil
	case errors.Is(err, ErrLocked):
		return registrar.DifferentMembers(registrar.OtherValue{
			Member: "registration_access_token", Here: "accepted", There: "rejected; " + NeedsManager,
		}), record, nil
	case err != nil:
		return none, record, err
	}
	return registrar.DifferentMembers(info.differences(c, sent)...), info.record(record), nil
}

// foreignMembers give others than the client access to tokens, keys, sessions or users. This service registers none of
// them, except for those of a client's extensions.
var foreignMembers = []string{
	"jwks_uri", "request_uris", "sector_identifier_uri", "initiate_login_uri", "backchannel_logout_uri",
	"frontchannel_logout_uri", "client_uri", "policy_uri", "tos_uri", "id_token_encrypted_response_alg",
	"userinfo_encrypted_response_alg", "tls_client_auth_subject_dn", "tls_client_auth_san_dns", "tls_client_auth_san_uri",
	"tls_client_auth_san_ip", "tls_client_auth_san_email",
}

// differences returns the members whose value in the answer differs from sent, the metadata of a client. A value that
// the provider adds differs; a member that is missing in the answer is not compared, except for the keys and the
// settings of a client. A provider may add refresh_token and response_types none, and grant fewer scopes.
func (i information) differences(c registrar.Client, sent metadata) (found []registrar.OtherValue) {
	// compare requires the values of required, and permits those of optional.
	compare := func(field string, there, required []string, optional ...string) {
		missing := func(v string) bool { return !slices.Contains(there, v) }
		extra := func(v string) bool { return !slices.Contains(required, v) && !slices.Contains(optional, v) }
		if slices.ContainsFunc(required, missing) || slices.ContainsFunc(there, extra) {
			here := required
			if len(here) == 0 {
				here = optional
			}
			found = append(found, registrar.OtherValue{Member: field, Here: shownValues(here), There: shownValues(there)})
		}
	}
	returned := func(field, member string, required []string, optional ...string) {
		if raw := i.members[member]; raw != nil && string(raw) != "null" {
			compare(field, valuesOf(i.members[member]), required, optional...)
		}
	}
	returned("clientName", "client_name", []string{sent.ClientName})
	returned("logoUri", "logo_uri", valuesOf(jsonOf(sent.LogoURI)))
	returned("redirectUris", "redirect_uris", sent.RedirectURIs)
	for _, member := range registrar.MetadataNames {
		if value := sent.details[member]; value != nil {
			returned(member, member, valuesOf(jsonOf(value)))
		}
	}
	if sent.details["post_logout_redirect_uris"] == nil {
		returned("post_logout_redirect_uris", "post_logout_redirect_uris", nil)
	}
	returned("grantTypes", "grant_types", sent.GrantTypes, "refresh_token")
	returned("response_types", "response_types", sent.ResponseTypes, "none")
	returned("clientAuthMethods", "token_endpoint_auth_method", []string{sent.AuthMethod})
	if sent.SigningAlg != "" { // else any
		returned("token_endpoint_auth_signing_alg", "token_endpoint_auth_signing_alg", []string{sent.SigningAlg})
	}
	compare("publicKey", keyNames(i.members["jwks"]), keyNames(sent.JWKS))
	var scope string
	if json.Unmarshal(i.members["scope"], &scope) == nil {
		compare("scope", strings.Fields(scope), nil, strings.Fields(sent.Scope)...)
	}
	returned("authContextRefs", "default_acr_values", sent.ACRs, c.ACRs...)
	if alg := valuesOf(i.members["id_token_signed_response_alg"]); slices.Contains(alg, "none") {
		compare("id_token_signed_response_alg", alg, nil)
	}
	for _, member := range []string{
		"require_pushed_authorization_requests", "dpop_bound_access_tokens", "tls_client_certificate_bound_access_tokens",
	} {
		if sent.extensions[member] == nil {
			returned(member, member, nil, "false")
		}
	}
	for _, member := range foreignMembers {
		if sent.extensions[member] == nil && sent.details[member] == nil {
			returned(member, member, nil)
		}
	}
	for _, member := range slices.Sorted(maps.Keys(sent.extensions)) {
		if i.members[member] != nil || !strings.HasPrefix(member, namePrefix) { // names may be left out
			compare(member, valuesOf(i.members[member]), valuesOf(jsonOf(sent.extensions[member])))
		}
	}
	return found
}

// valuesOf returns the elements of an array as text, or the only value, or none.
func valuesOf(raw json.RawMessage) (values []string) {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		elements = []json.RawMessage{raw}
	}
	for _, element := range elements {
		var text string
		if json.Unmarshal(element, &text) != nil {
			text = string(element)
		}
		if text != "" {
			values = append(values, text)
		}
	}
	return values
}

func jsonOf(value any) json.RawMessage {
	raw, _ := json.Marshal(value) // texts and booleans
	return raw
}

// shownValues returns sorted values as text for people.
func shownValues(values []string) string {
	return printable(strings.Join(slices.Sorted(slices.Values(values)), " "), 2000)
}

// keyNames returns the thumbprints of a JWK Set with the use of a key for encryption. A key that cannot be parsed is
// named by its text.
func keyNames(jwks json.RawMessage) []string {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	_ = json.Unmarshal(jwks, &set) // a set that cannot be read has no key
	var names []string
	for _, raw := range set.Keys {
		var m struct {
			Use string `json:"use"`
		}
		name := string(raw)
		if key, err := registrar.KeyOf(raw); err == nil && json.Unmarshal(raw, &m) == nil {
			name = key.Thumbprint
			if m.Use == "enc" {
				name += " enc"
			}
		}
		names = append(names, name)
	}
	return names
}
