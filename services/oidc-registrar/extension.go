package registrar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/refusal"
)

// Extensions are the fields of a client that only some interfaces have and only some providers
// support. The zero value has no extensions.
type Extensions struct {
	// Names are names in other languages: clientNameLangMap. A key is a code of ISO 639-2, or in the standard API another
	// tag of BCP 47.
	Names map[string]string

	// Config is eSignet's additionalConfig as canonical JSON: sorted, without white space. Equal
	// texts are equal settings.
	Config string

	// EncKey is the public JWK for encrypting to the client, in the form of Key.JWK: encPublicKey.
	EncKey string

	// Metadata holds further members of client metadata as canonical JSON; see MetadataExtension.
	Metadata string
}

// The names of extensions in the client-management API. A member of additionalConfig is named by both
// names, separated by a dot.
const (
	NamesExtension  = "clientNameLangMap"
	ConfigExtension = "additionalConfig"
	EncKeyExtension = "encPublicKey"
)

// List returns the names of the extensions that e has, in a fixed order.
func (e Extensions) List() []string {
	var names []string
	if len(e.Names) > 0 {
		names = append(names, NamesExtension)
	}
	if e.Config != "" {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(e.Config), &members) != nil {
			return append(names, ConfigExtension) // no provider supports this
		}
		for _, member := range slices.Sorted(maps.Keys(members)) {
			names = append(names, ConfigExtension+"."+member)
		}
	}
	if e.EncKey != "" {
		names = append(names, EncKeyExtension)
	}
	return names
}

// RefuseExtensions refuses, as problems, the extensions with these names, which the provider does
// not support. An accepted extension must take effect at the provider. It returns nil if names is
// empty.
func RefuseExtensions(names []string) error {
	var found problems
	for _, name := range names {
		found.add(name, extensionReason(name), errors.New("is not supported by the identity provider behind this service"))
	}
	return found.err()
}

func extensionReason(name string) Reason {
	switch name {
	case NamesExtension:
		return InvalidLanguage
	case EncKeyExtension:
		return InvalidEncKey
	}
	return InvalidConfig
}

// Equal reports whether e and other are the same.
func (e Extensions) Equal(other Extensions) bool {
	return maps.Equal(e.Names, other.Names) && e.Config == other.Config && e.EncKey == other.EncKey &&
		e.Metadata == other.Metadata
}

// ExtensionChange is a change to extensions. Nil members are unchanged.
type ExtensionChange struct {
	Names  map[string]string // empty: remove all
	Config *string
	EncKey *string

	Metadata *string
}

// apply returns a deep copy of e with c applied.
func (e Extensions) apply(c ExtensionChange) Extensions {
	e.Names = maps.Clone(e.Names)
	if c.Names != nil {
		e.Names = maps.Clone(c.Names)
	}
	if len(e.Names) == 0 {
		e.Names = nil // canonical form of an empty map
	}
	e.Config, e.EncKey = valueOr(c.Config, e.Config), valueOr(c.EncKey, e.EncKey)
	e.Metadata = valueOr(c.Metadata, e.Metadata)
	return e
}

const (
	maxNames  = 100
	nameLimit = 50 // characters of a name in another language
	maxConfig = 16 << 10
)

// checkNames adds at most one problem with names in other languages. With tags, keys of BCP 47 are accepted.
func (p *problems) checkNames(names map[string]string, tags bool) {
	if len(names) > maxNames {
		p.add(NamesExtension, InvalidLanguage, fmt.Errorf("must have at most %d names, not %d", maxNames, len(names)))
		return
	}
	for _, code := range slices.Sorted(maps.Keys(names)) {
		name, field := names[code], NamesExtension+"."+code
		var err error
		switch {
		case !isLanguage(code) && !(tags && LanguageKey(code) == code):
			p.add(NamesExtension, InvalidLanguage,
				fmt.Errorf("has the member %s, which is not a language code of ISO 639-2, such as fra", shown(code)))
		case utf8.RuneCountInString(name) > nameLimit && !tags:
			p.add(field, LongLanguageName, fmt.Errorf("is longer than %d characters", nameLimit))
		default:
			if err = checkName(name); err == nil {
				continue
			}
			p.add(field, InvalidLanguageName, err)
		}
		return
	}
}

// ParseConfig parses additionalConfig, whose schema is closed. It returns an empty text for empty
// input, null and an empty object. A refusal lists the problems.
func ParseConfig(raw []byte) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var found problems
	var members map[string]json.RawMessage
	switch {
	case len(raw) > maxConfig:
		found.add(ConfigExtension, InvalidConfig, fmt.Errorf("is longer than %d bytes", maxConfig))
	case json.Unmarshal(raw, &members) != nil:
		found.add(ConfigExtension, InvalidConfig, errors.New("must be an object"))
	case len(members) == 0:
		return "", nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		check := configMembers[name]
		if check == nil {
			found.add(ConfigExtension, InvalidConfig, unknownMember(name, slices.Sorted(maps.Keys(configMembers))))
			continue
		}
		found.add(ConfigExtension+"."+name, InvalidConfig, check(members[name]))
	}
	if err := found.err(); err != nil {
		return "", err
	}
	return canonicalJSON(raw), nil
}

// ExtensionRequest holds the unparsed extensions of a request. A nil member is missing; Config and
// EncKey are JSON.
type ExtensionRequest struct {
	Names          map[string]string
	Config, EncKey []byte

	Metadata []byte // a JSON object; see MetadataExtension
}

// settings adds the problems of the settings or of the encryption key of a request to p, or their change to change.
func (p *problems) settings(r Rules, in ExtensionRequest, member string, change *ExtensionChange) {
	switch {
	case member == ConfigExtension && in.Config != nil:
		config, err := ParseConfig(in.Config)
		if refused, ok := errors.AsType[*refusal.Error](err); ok {
			*p = append(*p, refused.List()...)
		}
		change.Config = &config
	case member == MetadataExtension && in.Metadata != nil:
		var found problems
		metadata := r.parseMetadata(&found, in.Metadata)
		*p, change.Metadata = append(*p, found...), &metadata
	case member == EncKeyExtension && in.EncKey != nil:
		key, err := r.ParseEncKey(in.EncKey)
		p.add(EncKeyExtension, InvalidEncKey, err)
		change.EncKey = &key
	}
}

// needEncKey adds a problem for each response that is encrypted to a client without a key. It adds none if
// the key of the request is refused itself.
func (p *problems) needEncKey(e Extensions) {
	refused := slices.ContainsFunc(*p, func(q refusal.Problem) bool { return q.Where == "/"+EncKeyExtension })
	var config map[string]any
	if refused || e.EncKey != "" || json.Unmarshal([]byte(e.Config), &config) != nil {
		return
	}
	for _, member := range []string{"id_token_response_type", "userinfo_response_type"} {
		if config[member] == "JWE" {
			p.add(ConfigExtension+"."+member, InvalidConfig, errors.New("JWE needs a key to encrypt with: give encPublicKey"))
		}
	}
}

// needNames adds at most one problem with the form of names in other languages, if the interface
// requires them.
func (p *problems) needNames(names map[string]string, needed bool) {
	switch {
	case !needed:
		return
	case len(names) == 0:
		p.add(NamesExtension, WrongNames, errors.New("must not be empty"))
		return
	}
	for _, code := range slices.Sorted(maps.Keys(names)) {
		if utf8.RuneCountInString(code) != 3 {
			p.add(NamesExtension, WrongNames,
				fmt.Errorf("has the member %s, which is not a language code of three letters, such as fra", shown(code)))
			return
		}
		if strings.TrimSpace(names[code]) == "" {
			p.add(NamesExtension, WrongNames, errors.New("must not have a blank name"))
			return
		}
	}
}

// canonicalJSON returns valid JSON with sorted members and without white space.
func canonicalJSON(raw []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	err := decoder.Decode(&tree)
	if err == nil {
		raw, err = json.Marshal(tree)
	}
	if err != nil {
		panic(err) // parsed before
	}
	return string(raw)
}

// configMembers is the schema of additionalConfig: additional_config_request_schema.json
// of eSignet 1.8.
var configMembers = map[string]func(json.RawMessage) error{
	"userinfo_response_type":                oneOf("JWS", "JWE"),
	"id_token_response_type":                oneOf("JWS", "JWE"), // of eSignet 2.0
	"purpose":                               checkPurpose,
	"signup_banner_required":                isBool,
	"forgot_pwd_link_required":              isBool,
	"consent_expire_in_mins":                isConsentTime,
	"require_pushed_authorization_requests": isBool,
	"dpop_bound_access_tokens":              isBool,
	"require_pkce":                          isBool,
}

func oneOf(words ...string) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var s *string
		if json.Unmarshal(raw, &s) != nil || s == nil || !slices.Contains(words, *s) {
			return errors.New("must be one of " + strings.Join(words, ", "))
		}
		return nil
	}
}

func isBool(raw json.RawMessage) error {
	var b *bool
	if json.Unmarshal(raw, &b) != nil || b == nil {
		return errors.New("must be true or false")
	}
	return nil
}

func isConsentTime(raw json.RawMessage) error {
	var n *json.Number
	if bytes.HasPrefix(raw, []byte(`"`)) || json.Unmarshal(raw, &n) != nil || n == nil {
		return errors.New("must be a number")
	}
	if f, err := strconv.ParseFloat(n.String(), 64); err != nil || f < 10 {
		return errors.New("must be at least 10")
	}
	return nil
}

func unknownMember(name string, permitted []string) error {
	return fmt.Errorf("has the unknown member %s; permitted: %s", shown(name), strings.Join(permitted, ", "))
}

// checkPurpose accepts null, or a type with texts by language.
func checkPurpose(raw json.RawMessage) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return errors.New("must be an object or null")
	}
	if members == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch name {
		case "type":
		case "title", "subTitle":
			if err := checkTexts(members[name]); err != nil {
				return fmt.Errorf("has a %s that %w", name, err)
			}
		default:
			return unknownMember(name, []string{"type", "title", "subTitle"})
		}
	}
	if err := oneOf("none", "verify", "link", "login")(members["type"]); err != nil {
		return fmt.Errorf("has a type that %w", err)
	}
	return nil
}

// checkTexts accepts null, or texts by language with a default.
func checkTexts(raw json.RawMessage) error {
	var texts map[string]text
	if json.Unmarshal(raw, &texts) != nil {
		return errors.New("is not null or a map of texts")
	}
	if _, ok := texts["@none"]; texts != nil && !ok {
		return errors.New("has no text @none")
	}
	return nil
}

// text is a JSON string; unlike a Go string it rejects null.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte(`"`)) {
		return errors.New("not a string")
	}
	return json.Unmarshal(data, (*string)(t))
}
