package idp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Read compares every member of c with that of Keycloak, and its names by language. A member that this service does not
// set differs too, unless Keycloak sets it itself.
func (k *Keycloak) Read(
	ctx context.Context, c registrar.Client, record registrar.ProviderRecord,
) (registrar.Difference, registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var none registrar.Difference
	r, wanted, err := k.prepare(ctx, c)
	if err != nil {
		return none, record, err
	}
	there, found, err := k.find(ctx, c.ID)
	switch {
	case err != nil:
		return none, record, err
	case !found:
		return registrar.Difference{Kind: registrar.DifferenceMissing}, record, nil
	}
	members := there.differences(wanted)
	if texts := r.texts(c); texts != nil {
		more, err := k.textDifferences(ctx, c, texts)
		if err != nil {
			return none, record, err
		}
		members = append(members, more...)
	}
	return registrar.DifferentMembers(members...), record, nil
}

var (
	// ownMembers are members that Keycloak sets, or that give no access.
	ownMembers = []string{"id", "secret", "access", "description", "alwaysDisplayInConsole", "surrogateAuthRequired",
		"nodeReRegistrationTimeout", "registeredNodes", "type"}

	// ownAttributes are likewise attributes.
	ownAttributes = []string{"realm_client", "client.secret.creation.time", "backchannel.logout.session.required",
		"display.on.consent.screen", "consent.screen.text", "login_theme"}
)

// shownMembers are the names of members in the client-management API.
var shownMembers = map[string]string{
	"name": "clientName", "enabled": "status", "@" + markAttribute: "mark", "@jwks.string": "publicKey",
	"@logoUri": "logoUri", "@default.acr.values": "authContextRefs", "@use.refresh.tokens": "grantTypes",
}

// differences returns the members of r, the answer about a client, whose value differs from wanted. An absent value is
// equal to false.
func (r representation) differences(wanted representation) (found []registrar.OtherValue) {
	here, there := wanted.values(), r.values()
	if !wanted.Enabled && r.NotBefore > 0 {
		there["notBefore"] = here["notBefore"] // the time of the call that disabled it
	} else if wanted.Enabled {
		delete(there, "notBefore") // that of the last time
	}
	names := maps.Clone(here)
	maps.Copy(names, there)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if slices.Equal(here[name], there[name]) {
			continue
		}
		found = append(found, registrar.OtherValue{
			Member: cmp.Or(shownMembers[name], name), Here: shownValues(here[name]), There: shownValues(there[name]),
		})
	}
	return found
}

// values returns the members of r as sorted texts: attributes as @NAME, a mapper as userClaims.NAME, keys as
// thumbprints. Empty and false members are absent.
func (r representation) values() map[string][]string {
	members := r.members
	if members == nil { // made here
		raw, _ := json.Marshal(r)         // texts, booleans and numbers
		_ = json.Unmarshal(raw, &members) // as above
	}
	values := map[string][]string{}
	add := func(name string, value ...string) {
		if value = slices.DeleteFunc(value, func(s string) bool { return s == "" || s == "false" }); len(value) > 0 {
			values[name] = slices.Sorted(slices.Values(value))
		}
	}
	for name, value := range members {
		isObject := bytes.HasPrefix(value, []byte("{"))
		if !isObject && name != "protocolMappers" && !slices.Contains(ownMembers, name) {
			add(name, valuesOf(value)...)
		}
	}
	for name, value := range r.Attributes {
		switch {
		case slices.Contains(ownAttributes, name):
		case name == "jwks.string":
			add("@"+name, keyNames(json.RawMessage(value))...)
		default:
			add("@"+name, value)
		}
	}
	for flow, id := range r.Flows {
		add("authenticationFlowBindingOverrides."+flow, id)
	}
	for _, m := range r.ProtocolMappers {
		text := []string{m.Type}
		for name, value := range m.Config {
			if value != "false" {
				text = append(text, name+"="+value)
			}
		}
		add("userClaims."+m.Name, text...)
	}
	return values
}

// textDifferences compares the names of c by locale.
func (k *Keycloak) textDifferences(
	ctx context.Context, c registrar.Client, wanted map[string]string,
) (found []registrar.OtherValue, err error) {
	var locales []string
	if err := k.get(ctx, "/localization", &locales); err != nil {
		return nil, err
	}
	for _, locale := range slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(locales, maps.Keys(wanted))))) {
		a, err := k.call(ctx, http.MethodGet, textPath(locale, c.ID), nil)
		text := ""
		switch {
		case err != nil:
			return nil, err
		case a.status == http.StatusOK:
			text = string(a.body)
		case a.status != http.StatusNotFound:
			return nil, k.rejection("/localization", a)
		}
		if text != wanted[locale] {
			found = append(found, registrar.OtherValue{
				Member: "clientName#" + locale, Here: printablePrefix(wanted[locale]), There: printablePrefix(text),
			})
		}
	}
	return found, nil
}
