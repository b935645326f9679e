package registrar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/countersign/countersign/libs/plaintext"
)

// MetadataExtension names the members of client metadata that only the standard API has (RFC 7591 §2, OpenID Connect
// Registration §2, RP-Initiated Logout §3.1). Extensions.Metadata holds them by their names.
const MetadataExtension = "metadata"

const (
	maxMetadataText = 256 // characters
	maxMetadataList = 10
)

// metadataMembers are these members with their rules, in the order of the report.
var metadataMembers = []struct {
	name  string
	check func(Rules, json.RawMessage) error
}{
	{"client_uri", Rules.checkPage}, {"tos_uri", Rules.checkPage}, {"policy_uri", Rules.checkPage},
	{"contacts", listOf(func(_ Rules, text string) error {
		if address, err := mail.ParseAddress(text); err != nil || address.Address != text {
			return errors.New("must be an e-mail address")
		}
		return nil
	})},
	{"post_logout_redirect_uris", listOf(Rules.CheckRedirectURI)},
	{"default_max_age", func(_ Rules, raw json.RawMessage) error {
		if n, err := strconv.ParseInt(string(raw), 10, 32); err != nil || n < 0 {
			return errors.New("must be a number of seconds")
		}
		return nil
	}},
	{"software_id", checkMetadataText}, {"software_version", checkMetadataText},
}

// MetadataNames lists these members.
var MetadataNames = func() (names []string) {
	for _, m := range metadataMembers {
		names = append(names, m.name)
	}
	return names
}()

// parseMetadata returns the members of raw, a JSON object, that are not null, as canonical JSON, or an empty text. It
// adds the problems of the members.
func (r Rules) parseMetadata(found *problems, raw []byte) string {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return ""
	}
	kept := map[string]json.RawMessage{}
	for _, m := range metadataMembers {
		value := bytes.TrimSpace(given[m.name])
		if len(value) == 0 || string(value) == "null" {
			continue
		}
		found.add(m.name, InvalidRequest, m.check(r, value))
		kept[m.name] = value
	}
	if len(kept) == 0 || len(*found) > 0 {
		return ""
	}
	text, err := json.Marshal(kept)
	if err != nil {
		panic(err) // parsed before
	}
	return canonicalJSON(text)
}

// checkPage accepts the address of a page for people.
func (r Rules) checkPage(raw json.RawMessage) error {
	var uri *string
	if json.Unmarshal(raw, &uri) != nil {
		return errors.New("must be a string")
	}
	return withValue(*uri, r.CheckLogoURI(*uri))
}

func checkMetadataText(_ Rules, raw json.RawMessage) error {
	var text *string
	switch {
	case json.Unmarshal(raw, &text) != nil:
		return errors.New("must be a string")
	case utf8.RuneCountInString(*text) > maxMetadataText:
		return fmt.Errorf("is longer than %d characters", maxMetadataText)
	}
	return plaintext.Check(*text)
}

// listOf returns the check of a list of different strings.
func listOf(check func(Rules, string) error) func(Rules, json.RawMessage) error {
	return func(r Rules, raw json.RawMessage) error {
		var list []*string
		if json.Unmarshal(raw, &list) != nil {
			return errors.New("must be a list of strings")
		}
		if len(list) > maxMetadataList {
			return fmt.Errorf("must have at most %d elements, not %d", maxMetadataList, len(list))
		}
		texts := make([]string, len(list))
		for i, text := range list {
			if text != nil {
				texts[i] = *text
			}
		}
		return checkEach(texts, func(text string) error { return check(r, text) })
	}
}

// LanguageKey returns the key of a name by a language tag (BCP 47): the code of ISO 639-2 for the tag of a language
// alone, the tag itself if it is well-formed, or else an empty text.
func LanguageKey(tag string) string {
	if code := LanguageCode(tag); code != "" {
		return code
	}
	_, err := language.Parse(tag)
	var unknown language.ValueError
	if err != nil && !errors.As(err, &unknown) || len(tag) > 35 {
		return ""
	}
	return tag
}

// ISONames returns the names by codes of ISO 639-2, for a provider that has no others.
func (e Extensions) ISONames() map[string]string {
	names := map[string]string{}
	for key, name := range e.Names {
		if isLanguage(key) {
			names[key] = name
		}
	}
	if len(names) == 0 {
		return nil
	}
	return names
}
