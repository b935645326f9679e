package idp

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Read reads c (RFC 7592 §2.1) and compares each security-relevant member of the answer. The answer may contain a new token, which voids the previous one. If the
// answer is lost, so may be the token.
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
	a, err := r.call(ctx, r.caller.once, http.MethodGet, record, nil)
	switch {
	case err != nil:
		return none, record, err
	case a.status == http.StatusNotFound || a.status == http.StatusGone:
		return registrar.Difference{Kind: registrar.DifferenceMissing}, record, nil
	case a.isDenied() && r.manage != nil:
		return none, record, a.tokenRejection("read a client")
	case a.isDenied(): // also for a client that it no longer has (RFC 7592 §2.1)
		return registrar.Difference{Kind: registrar.DifferenceLocked}, record, nil
	}
	info, err := a.information()
	if err == nil && info.ClientID != record.ClientID {
		err = unreachableError("read: the answer is about another client")
	}
	if err != nil {
		return none, record, err
	}
	record = info.record(record)
	if fields := info.differences(c, registered(c)); len(fields) > 0 {
		return registrar.Difference{Kind: registrar.DifferenceChanged, Fields: fields}, record, nil
	}
	return none, record, nil
}

// foreignMembers give someone else than the client access to tokens, keys or sessions. This service registers
// none of them, except for those of a client's extensions.
var foreignMembers = []string{
	"jwks_uri", "request_uris", "sector_identifier_uri", "initiate_login_uri", "backchannel_logout_uri", "frontchannel_logout_uri",
	"id_token_encrypted_response_alg", "userinfo_encrypted_response_alg", "tls_client_auth_subject_dn", "tls_client_auth_san_dns",
	"tls_client_auth_san_uri", "tls_client_auth_san_ip", "tls_client_auth_san_email",
}

// differences returns the fields whose value in the answer differs from sent, the metadata of a client. A
// member that the provider adds differs; one that is missing in the answer is not compared, except for the
// keys. A provider may grant refresh_token beside authorization_code, and fewer scopes.
func (i information) differences(c registrar.Client, sent metadata) (fields []string) {
	add := func(field string, differs bool) {
		if differs {
			fields = append(fields, field)
		}
	}
	text := func(member, want string) bool {
		var got string
		return i.members[member] != nil && (json.Unmarshal(i.members[member], &got) != nil || got != want)
	}
	extra := func(member string, known ...string) bool {
		var got []string
		if i.members[member] != nil && json.Unmarshal(i.members[member], &got) != nil {
			return string(i.members[member]) != "null"
		}
		return slices.ContainsFunc(got, func(v string) bool { return !slices.Contains(known, v) })
	}
	var grants []string
	_ = json.Unmarshal(i.members["grant_types"], &grants) // extra reports another type
	var scope string
	_ = json.Unmarshal(i.members["scope"], &scope)
	sorted := func(l []string) []string { return slices.Sorted(slices.Values(l)) }
	add("clientName", text("client_name", sent.ClientName))
	add("logoUri", text("logo_uri", sent.LogoURI))
	add("redirectUris", i.RedirectURIs != nil && !slices.Equal(sorted(i.RedirectURIs), sorted(sent.RedirectURIs)))
	add("post_logout_redirect_uris", extra("post_logout_redirect_uris", append(sent.RedirectURIs, "+", "-")...)) // Keycloak: the same, none
	missing := slices.ContainsFunc(sent.GrantTypes, func(g string) bool { return !slices.Contains(grants, g) })
	add("grantTypes", i.members["grant_types"] != nil && missing || extra("grant_types", append(sent.GrantTypes, "refresh_token")...))
	add("response_types", extra("response_types", append(sent.ResponseTypes, "none")...))
	add("clientAuthMethods", i.AuthMethod != "" && i.AuthMethod != sent.AuthMethod)
	add("publicKey", !slices.Equal(keyNames(i.members["jwks"]), keyNames(sent.JWKS)))
	add("scope", slices.ContainsFunc(strings.Fields(scope), func(s string) bool {
		return !slices.Contains(strings.Fields(sent.Scope), s)
	}))
	add("authContextRefs", extra("default_acr_values", c.ACRs...))
	add("id_token_signed_response_alg", i.members["id_token_signed_response_alg"] != nil && !text("id_token_signed_response_alg", "none"))
	for _, member := range foreignMembers {
		value := string(i.members[member])
		add(member, sent.extensions[member] == nil && !slices.Contains([]string{"", "null", `""`, "[]"}, value))
	}
	for name, want := range sent.extensions {
		if want, ok := want.(string); ok && strings.HasPrefix(name, namePrefix) && text(name, want) {
			add(registrar.NamesExtension, !slices.Contains(fields, registrar.NamesExtension))
		}
	}
	add(registrar.ConfigExtension, !i.includes(sent.extensions))
	return fields
}

// keyNames returns the sorted thumbprints of a JWK Set with the use of a key for encryption. A key that cannot be parsed is named by its text.
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
	slices.Sort(names)
	return names
}
