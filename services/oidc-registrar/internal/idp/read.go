package idp

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Read reads c (RFC 7592 §2.1) and compares the relevant members in the answer: a provider may add
// metadata of its own. The answer may contain a new token, which voids the previous one. If the
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
	if fields := info.differences(c); len(fields) > 0 {
		return registrar.Difference{Kind: registrar.DifferenceChanged, Fields: fields}, record, nil
	}
	return none, record, nil
}

// differences returns the fields whose value in the answer differs from c. It ignores members that are
// missing in the answer.
func (i information) differences(c registrar.Client) (fields []string) {
	sent := newMetadata(c)
	add := func(field string, differs bool) {
		if differs {
			fields = append(fields, field)
		}
	}
	text := func(member, want string) bool {
		var got string
		return i.members[member] != nil && (json.Unmarshal(i.members[member], &got) != nil || got != want)
	}
	sorted := func(l []string) []string { return slices.Sorted(slices.Values(l)) }
	add("clientName", text("client_name", sent.ClientName))
	add("logoUri", text("logo_uri", sent.LogoURI))
	add("redirectUris", i.RedirectURIs != nil && !slices.Equal(sorted(i.RedirectURIs), sorted(sent.RedirectURIs)))
	var grants []string
	if json.Unmarshal(i.members["grant_types"], &grants) == nil {
		add("grantTypes", slices.ContainsFunc(sent.GrantTypes, func(g string) bool { return !slices.Contains(grants, g) })) // the provider may add others
	}
	add(registrar.ConfigExtension, !i.includes(sent.extensions))
	if c.Status == registrar.ClientInactive { // disabled by a discarded key
		add("status", i.AuthMethod != "" && i.AuthMethod != "private_key_jwt" || slices.ContainsFunc(c.Keys(), i.hasKey))
		return fields
	}
	add("clientAuthMethods", i.AuthMethod != "" && i.AuthMethod != sent.AuthMethod)
	add(
		"publicKey",
		i.keys() != nil && (len(i.keys()) != len(c.Keys()) || slices.ContainsFunc(c.Keys(), func(k registrar.Key) bool { return !i.hasKey(k) })),
	)
	return fields
}

// hasKey reports whether the answer contains a key.
func (i information) hasKey(k registrar.Key) bool { return slices.Contains(i.keys(), k.Thumbprint) }

// keys returns the thumbprints of the signing keys in the answer, or nil if there are none.
func (i information) keys() (thumbprints []string) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(i.members["jwks"], &set) != nil {
		return nil
	}
	thumbprints = []string{}
	for _, raw := range set.Keys {
		var m struct {
			Use string `json:"use"`
		}
		if key, err := registrar.KeyOf(raw); err == nil && json.Unmarshal(raw, &m) == nil && m.Use != "enc" {
			thumbprints = append(thumbprints, key.Thumbprint)
		}
	}
	return thumbprints
}
