package registrar

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
)

// ClientRecord is an existing client as a line of an import or an export. Both have the same form
// and every field.
type ClientRecord struct {
	ClientID   string            `json:"clientId"`
	API        API               `json:"api"`
	Name       string            `json:"clientName"`
	PartnerID  string            `json:"partnerId"` // authPartnerId or relyingPartyId
	PolicyID   string            `json:"policyId,omitempty"`
	PublicKey  json.RawMessage   `json:"publicKey"`
	OtherKeys  []json.RawMessage `json:"otherPublicKeys,omitempty"`
	UserClaims []string          `json:"userClaims"`
	ACRs       []string          `json:"authContextRefs"`
	SharedMembers
	Names    map[string]string `json:"clientNameLangMap,omitempty"`
	Config   json.RawMessage   `json:"additionalConfig,omitempty"`
	EncKey   json.RawMessage   `json:"encPublicKey,omitempty"`
	Metadata json.RawMessage   `json:"metadata,omitempty"` // members of the standard API
	Status   ClientStatus      `json:"status"`
	Final    bool              `json:"final,omitempty"`

	// Of an RFC 7591 provider.
	ProviderClientID  string `json:"providerClientId,omitempty"`
	RegistrationURI   string `json:"registrationClientUri,omitempty"`
	RegistrationToken string `json:"registrationAccessToken,omitempty"`

	CreatedBy string         `json:"createdBy,omitempty"`
	CreatedAt *envelope.Time `json:"createdAt,omitempty"`
	UpdatedAt *envelope.Time `json:"updatedAt,omitempty"`
	ExpiresAt *envelope.Time `json:"expiresAt,omitempty"`
}

// Export returns c as a line of an export, with its provider record. The access token is a secret:
// leave it out of r unless the export includes it.
func (c Client) Export(r ProviderRecord) ClientRecord {
	created, updated := envelope.Time{Time: c.CreatedAt}, envelope.Time{Time: c.UpdatedAt}
	var others []json.RawMessage
	for _, k := range c.OtherKeys {
		others = append(others, json.RawMessage(k.JWK))
	}
	return ClientRecord{
		ClientID: c.ID, API: c.API, Name: c.Name, PartnerID: c.PartnerID, PolicyID: c.PolicyID,
		PublicKey: json.RawMessage(c.Key.JWK), OtherKeys: others,
		UserClaims: NotNil(c.UserClaims), ACRs: NotNil(c.ACRs), SharedMembers: c.Shared(),
		Names: c.Extensions.Names, Config: json.RawMessage(c.Extensions.Config), EncKey: json.RawMessage(c.Extensions.EncKey),
		Metadata: json.RawMessage(c.Extensions.Metadata),
		Status:   c.Status, Final: c.Final, ProviderClientID: c.ProviderClientID, RegistrationURI: r.URI, RegistrationToken: string(r.AccessToken),
		CreatedBy: c.CreatedBy, CreatedAt: &created, UpdatedAt: &updated, ExpiresAt: envelope.OptionalTime(c.ExpiresAt),
	}
}

// ImportedClient is a client that was registered elsewhere, parsed from a line of an import.
type ImportedClient struct {
	Client Client         // without the CreatedBy and times that are missing in the line
	Record ProviderRecord // data for managing the client at the provider; may be zero
	Flags  []Flag         // violations of the current rules
}

// Bounds of an import. A value within them is accepted even if it violates the rules for
// registrations.
const (
	maxImportedName  = 1000 // characters
	maxImportedText  = 8 << 10
	maxImportedItems = 100
)

// ParseImported parses a line of an import. It accepts an existing client unchanged; flags name the
// violations of the current rules. It drops private members of keys. A refusal lists the problems, for
// values that cannot be stored, used in a path or parsed.
func (r Rules) ParseImported(line []byte) (ImportedClient, error) {
	in, err := readRecord(line)
	if err != nil {
		return ImportedClient{}, err
	}
	f := ImportedClient{Client: Client{
		ID: in.ClientID, API: in.API, Name: in.Name, PartnerID: in.PartnerID, PolicyID: in.PolicyID,
		UserClaims: in.UserClaims, ACRs: in.ACRs, LogoURI: in.LogoURI, RedirectURIs: in.RedirectURIs,
		GrantTypes: in.GrantTypes, AuthMethods: in.AuthMethods, ProviderClientID: in.ProviderClientID,
		Status: in.Status, Final: in.Final, CreatedBy: in.CreatedBy, CreatedAt: timeOf(in.CreatedAt), UpdatedAt: timeOf(in.UpdatedAt),
		ExpiresAt: timeOf(in.ExpiresAt),
	}}
	var found problems
	found.add("clientId", InvalidClientID, Rules{}.checkClientID(in.ClientID))
	found.checkOwner(in)
	if err := checkImportedText(in.Name); strings.TrimSpace(in.Name) == "" || utf8.RuneCountInString(in.Name) > maxImportedName || err != nil {
		found.add("clientName", InvalidClientName, fmt.Errorf("must have 1 to %d characters, no control characters", maxImportedName))
	}
	found.add("logoUri", InvalidLogoURI, checkImportedText(in.LogoURI))
	found.add("userClaims", InvalidRequest, checkImportedList(in.UserClaims))
	found.add("authContextRefs", InvalidRequest, checkImportedList(in.ACRs))
	found.add("redirectUris", InvalidRequest, checkImportedList(in.RedirectURIs))
	found.add("grantTypes", InvalidRequest, checkImportedList(in.GrantTypes))
	found.add("clientAuthMethods", InvalidRequest, checkImportedList(in.AuthMethods))
	found.checkImportedState(in)
	f.keys(r, &found, in)
	f.extensions(r, &found, in)
	if in.RegistrationURI+in.RegistrationToken+in.ProviderClientID != "" {
		f.Record = ProviderRecord{ClientID: in.ProviderClientID, URI: in.RegistrationURI, AccessToken: Secret(in.RegistrationToken)}
	}
	if len(found) > 0 {
		return ImportedClient{}, found.err()
	}
	f.flag(r)
	return f, nil
}

// readRecord parses the JSON of a line. It refuses an unknown member, since its value would be
// lost.
func readRecord(line []byte) (in ClientRecord, err error) {
	err = strictjson.DecodeClosed(line, strictjson.Limits{Depth: 16, Members: 1000}, &in)
	switch found, ok := errors.AsType[*strictjson.Error](err); {
	case ok && found.Kind == strictjson.Unfit && len(found.Path) > 0:
		return in, refusal.At(InvalidRequest, "/line", "%v %s", found.Path[0], found.Reason)
	case err != nil:
		return in, refusal.At(InvalidRequest, "/line", "is not one strict JSON object: %v", err)
	}
	return in, nil
}

// timeOf returns the zero time for nil.
func timeOf(t *envelope.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// checkOwner adds the problems of the interface, the partner and the policy.
func (p *problems) checkOwner(in ClientRecord) {
	p.add("partnerId", InvalidPartnerID, checkID(in.PartnerID, 100))
	switch {
	case in.API == PartnerAPI:
		p.add("policyId", InvalidPolicyID, checkID(in.PolicyID, 36))
	case in.API != ProviderAPI:
		p.add("api", InvalidRequest, fmt.Errorf("must be %s or %s", PartnerAPI, ProviderAPI))
	case in.PolicyID != "":
		p.add("policyId", InvalidPolicyID, errors.New("is for the partner API alone"))
	}
}

// checkImportedState adds the problems of the status and of the members from earlier registrations.
func (p *problems) checkImportedState(in ClientRecord) {
	p.add("status", InvalidStatus, checkStatus(in.Status))
	if in.Final && in.Status != ClientInactive {
		p.add("final", InvalidStatus, errors.New("is for what is INACTIVE alone"))
	}
	if in.ProviderClientID == "" && in.RegistrationURI+in.RegistrationToken != "" {
		p.add("providerClientId", InvalidRequest, errors.New("is missing, and belongs to registrationClientUri"))
	}
	for _, text := range []struct{ field, value string }{
		{"createdBy", in.CreatedBy}, {"providerClientId", in.ProviderClientID},
		{"registrationClientUri", in.RegistrationURI}, {"registrationAccessToken", in.RegistrationToken},
	} {
		p.add(text.field, InvalidRequest, checkImportedText(text.value))
	}
	for _, at := range []time.Time{timeOf(in.CreatedAt), timeOf(in.UpdatedAt), timeOf(in.ExpiresAt)} {
		if !at.IsZero() && (at.UnixMilli() <= 0 || at.Year() > 9999) {
			p.add("createdAt", InvalidRequest, errors.New("updatedAt and expiresAt must be after 1970 and before 10000"))
		}
	}
}

// keys parses the keys.
func (f *ImportedClient) keys(r Rules, found *problems, in ClientRecord) {
	if f.Client.IsPublic() && len(in.PublicKey) == 0 {
		return
	}
	var err error
	f.Client.Key, err = f.key(r, in.PublicKey)
	found.addKey(err)
	for _, raw := range in.OtherKeys {
		key, err := f.key(r, raw)
		if found.add("otherPublicKeys", InvalidKey, err); err == nil {
			f.Client.OtherKeys = append(f.Client.OtherKeys, key)
		}
	}
	if len(in.OtherKeys) >= MaxKeys {
		found.add("otherPublicKeys", InvalidKey, fmt.Errorf("must have at most %d elements", MaxKeys-1))
	}
	if len(f.Client.ReservedKeys(Update{})) < len(f.Client.Keys()) {
		found.add("otherPublicKeys", InvalidKey, errors.New("has a key that is there twice"))
	}
}

// extensions parses the members that only some interfaces have.
func (f *ImportedClient) extensions(r Rules, found *problems, in ClientRecord) {
	x := &f.Client.Extensions
	if len(in.Names) > 0 {
		x.Names = in.Names
		for _, name := range in.Names {
			found.add(NamesExtension, InvalidLanguage, checkImportedText(name))
		}
	}
	if metadata := bytes.TrimSpace(in.Metadata); len(metadata) > 0 && string(metadata) != "null" {
		if x.Metadata = canonicalJSON(metadata); metadata[0] != '{' {
			found.add(MetadataExtension, InvalidRequest, errors.New("must be an object"))
		}
	}
	if config := bytes.TrimSpace(in.Config); len(config) > 0 && string(config) != "null" && !isEmptyObject(config) {
		if x.Config = canonicalJSON(config); config[0] != '{' {
			found.add(ConfigExtension, InvalidConfig, errors.New("must be an object"))
		}
	}
	if key := bytes.TrimSpace(in.EncKey); len(key) > 0 && string(key) != "null" {
		read, dropped, err := Rules{DropPrivate: true, AllowEd25519: true}.parseKey(key, encryption)
		if err != nil {
			read, dropped, err = parseLegacyKey(key)
			f.add(FlagLegacyField)
		}
		if dropped {
			f.add(FlagPrivateDropped)
		}
		found.add(EncKeyExtension, InvalidEncKey, err)
		x.EncKey = read.JWK
	}
}

// key parses a key by the rules for a registration. A key that violates them is accepted unchanged
// and flagged.
func (f *ImportedClient) key(r Rules, raw []byte) (Key, error) {
	r.DropPrivate = true
	key, dropped, err := r.ParseKey(raw)
	if err != nil {
		if key, dropped, err = parseLegacyKey(raw); err == nil {
			f.add(FlagLegacyKey)
		}
	}
	if dropped {
		f.add(FlagPrivateDropped)
	}
	return key, err
}

func (f *ImportedClient) add(flag Flag) {
	if !slices.Contains(f.Flags, flag) {
		f.Flags = append(f.Flags, flag)
	}
}

// importedMembers are the members whose violations of the rules are flagged.
var importedMembers = Interface{API: PartnerAPI, Whole: true, Registration: slices.Concat(listFields,
	[]string{"clientName", "userClaims", "authContextRefs", "logoUri", NamesExtension})}

// flag adds a flag for each kind of violation of the rules for registrations.
func (f *ImportedClient) flag(r Rules) {
	c := f.Client
	_, odd := r.Register(importedMembers, &Request{
		Name: c.Name, UserClaims: c.UserClaims, ACRs: c.ACRs, LogoURI: c.LogoURI, RedirectURIs: c.RedirectURIs,
		GrantTypes: c.GrantTypes, AuthMethods: c.AuthMethods, Extensions: ExtensionRequest{Names: c.Extensions.Names},
	})
	_, oddConfig := ParseConfig([]byte(c.Extensions.Config))
	if refused, ok := errors.AsType[*refusal.Error](Join(odd, oddConfig)); ok {
		for _, p := range refused.List() {
			flag := FlagLegacyField
			if strings.HasPrefix(p.Where, "/redirectUris") {
				flag = FlagLegacyRedirect
			}
			f.add(flag)
		}
	}
	for _, flag := range (Registration{Client: c}).Flags() {
		f.add(flag)
	}
}

func checkImportedText(text string) error {
	switch {
	case len(text) > maxImportedText:
		return fmt.Errorf("is longer than %d bytes", maxImportedText)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return errors.New("must have no control character")
	}
	return nil
}

func checkImportedList(list []string) error {
	if list == nil {
		return errors.New("is missing")
	}
	if len(list) > maxImportedItems {
		return fmt.Errorf("must have at most %d elements, not %d", maxImportedItems, len(list))
	}
	for i, v := range list {
		if err := checkImportedText(v); err != nil {
			return fmt.Errorf("element %d %w", i, err)
		}
		if strings.TrimSpace(v) == "" {
			return fmt.Errorf("element %d must not be blank", i)
		}
	}
	return nil
}

// CompareImported reports whether the stored client with the id of the line makes the line superfluous. It refuses a
// client that differs: an import does not overwrite changes made here.
//
// A client of partner management is also in the provider's own records, with the same id and key. It belongs to the
// partner API.
func (f ImportedClient) CompareImported(here Client) error {
	c := f.Client
	if c.API == ProviderAPI && here.API == PartnerAPI && c.Key.Thumbprint == here.Key.Thumbprint {
		return nil
	}
	differs := append(here.Changes(c), changedFields(
		field{"api", here.API == c.API}, field{"partnerId", here.PartnerID == c.PartnerID},
		field{"policyId", here.PolicyID == c.PolicyID}, field{"providerClientId", here.ProviderClientID == c.ProviderClientID})...)
	if len(differs) > 0 {
		return refusal.New(DuplicateClientID, "a client with this clientId is here and differs in %s", strings.Join(differs, ", "))
	}
	return nil
}

// Import returns the client to be stored, imported by actor.
func (f ImportedClient) Import(actor string, at time.Time) Client {
	c := f.Client
	c.CreatedBy, c.CreatedAt = cmp.Or(c.CreatedBy, actor), cmp.Or(c.CreatedAt, at)
	c.UpdatedAt = cmp.Or(c.UpdatedAt, c.CreatedAt)
	c.Extensions.Names = maps.Clone(c.Extensions.Names)
	c.Rev = 1
	return c
}
