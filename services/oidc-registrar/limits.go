package registrar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"
)

// Limits are the lengths, in characters, that the identity provider can store. Zero is no limit.
type Limits struct {
	Provider string // its name in messages

	Name         int
	Names        int // the names of all languages together, as JSON
	RedirectURI  int // each
	RedirectURIs int // together, as JSON
	Claims       int // as JSON
	ACRs         int // as JSON
	Key          int // as JSON, without x5c
}

// Check refuses, as problems, the fields of after that differ from before and that the provider cannot
// store. before is the zero value for a registration.
func (l Limits) Check(before, after Client) error {
	var found problems
	for _, field := range before.Changes(after) {
		switch field {
		case "clientName":
			if before.ID == "" && after.API == PartnerAPI {
				field = "name"
			}
			found.add(field, InvalidClientName, l.check(after.Name, l.Name))
		case NamesExtension:
			names := maps.Clone(after.Extensions.Names)
			if names != nil {
				names["@none"] = after.Name
			}
			found.add(field, LongLanguageName, l.check(jsonText(names), l.Names))
		case MetadataExtension:
			var kept struct {
				ClientURI string `json:"client_uri"`
			}
			_ = json.Unmarshal([]byte(after.Extensions.Metadata), &kept) // checked before
			found.add("client_uri", InvalidRequest, l.check(kept.ClientURI, l.RedirectURI))
		case "redirectUris":
			for i, uri := range after.RedirectURIs {
				found.add(fmt.Sprintf("%s.%d", field, i), InvalidRedirectURI, l.check(uri, l.RedirectURI))
			}
			found.add(field, InvalidRedirectURI, l.check(jsonText(after.RedirectURIs), l.RedirectURIs))
		case "userClaims":
			found.add(field, InvalidClaim, l.check(jsonText(after.UserClaims), l.Claims))
		case "authContextRefs":
			found.add(field, InvalidACR, l.check(jsonText(after.ACRs), l.ACRs))
		case "publicKey":
			var members map[string]any
			_ = json.Unmarshal([]byte(after.Key.JWK), &members) // checked before
			delete(members, "x5c")
			found.add(field, InvalidKey, l.check(jsonText(members), l.Key))
		}
	}
	return found.err()
}

// check refuses a text that is longer than a limit.
func (l Limits) check(text string, limit int) error {
	if n := utf8.RuneCountInString(text); limit > 0 && n > limit {
		return fmt.Errorf("has %d characters as stored by %s, which has room for %d", n, l.Provider, limit)
	}
	return nil
}

// jsonText returns the JSON of a value of strings without escapes for HTML.
func jsonText(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // strings always encode
	}
	return string(bytes.TrimSpace(text.Bytes()))
}
