package registrar

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/strictjson"
)

// ClientRecord is a client that exists already, as a line of an import and of an export has
// it: whole, and in the same form for both.
type ClientRecord struct {
	ClientID     string            `json:"clientId"`
	Door         Door              `json:"door"` // the side: partner or provider
	Name         string            `json:"clientName"`
	PartnerID    string            `json:"partnerId"` // authPartnerId or relyingPartyId
	PolicyID     string            `json:"policyId,omitempty"`
	PublicKey    json.RawMessage   `json:"publicKey"`
	FormerKey    json.RawMessage   `json:"formerPublicKey,omitempty"`
	UserClaims   []string          `json:"userClaims"`
	ACRs         []string          `json:"authContextRefs"`
	LogoURI      string            `json:"logoUri"`
	RedirectURIs []string          `json:"redirectUris"`
	GrantTypes   []string          `json:"grantTypes"`
	AuthMethods  []string          `json:"clientAuthMethods"`
	Names        map[string]string `json:"clientNameLangMap,omitempty"`
	Config       json.RawMessage   `json:"additionalConfig,omitempty"`
	EncKey       json.RawMessage   `json:"encPublicKey,omitempty"`
	Status       ClientStatus      `json:"status"`
	Final        bool              `json:"final,omitempty"`

	// Of an RFC 7591 provider.
	ProviderClientID  string `json:"providerClientId,omitempty"`
	RegistrationURI   string `json:"registrationClientUri,omitempty"`
	RegistrationToken string `json:"registrationAccessToken,omitempty"`

	CreatedBy string         `json:"createdBy,omitempty"`
	CreatedAt *envelope.Time `json:"createdAt,omitempty"`
	UpdatedAt *envelope.Time `json:"updatedAt,omitempty"`
}

// Export is c as a line of an export, with what is known of it at the provider. The access
// token is a secret: leave it out of r unless it is asked for.
func (c Client) Export(r ProviderRecord) ClientRecord {
	list := func(l []string) []string { return append([]string{}, l...) }
	created, updated := envelope.Time(c.CreatedAt), envelope.Time(c.UpdatedAt)
	return ClientRecord{
		ClientID: c.ID, Door: c.Door, Name: c.Name, PartnerID: c.PartnerID, PolicyID: c.PolicyID,
		PublicKey: json.RawMessage(c.Key.JWK), FormerKey: json.RawMessage(c.FormerKey.JWK),
		UserClaims: list(c.UserClaims), ACRs: list(c.ACRs), LogoURI: c.LogoURI, RedirectURIs: list(c.RedirectURIs),
		GrantTypes: list(c.GrantTypes), AuthMethods: list(c.AuthMethods),
		Names: c.Extensions.Names, Config: json.RawMessage(c.Extensions.Config), EncKey: json.RawMessage(c.Extensions.EncKey),
		Status: c.Status, Final: c.Final, ProviderClientID: c.ProviderClientID, RegistrationURI: r.URI, RegistrationToken: string(r.AccessToken),
		CreatedBy: c.CreatedBy, CreatedAt: &created, UpdatedAt: &updated,
	}
}

// FoundClient is a client that was registered elsewhere, as a line of an import has it.
type FoundClient struct {
	Client Client         // without CreatedBy and times that the line does not give
	Record ProviderRecord // what it takes to manage it at the provider; may be zero
	Flags  []Flag         // what today's rules would refuse, and it has nevertheless
}

// Bounds of an import. What is within them is taken, whatever the rules for registrations
// say.
const (
	maxFoundName  = 1000 // characters
	maxFoundText  = 8 << 10
	maxFoundItems = 100
)

// Found reads a line of an import: a client that exists, which is taken as it is. Flags name
// what today's rules would refuse. Private members of its keys are nowhere in the result. A
// refusal is an Invalid, of what could not be stored, found by its path, or understood.
func (r Rules) Found(line []byte) (FoundClient, error) {
	in, err := readRecord(line)
	if err != nil {
		return FoundClient{}, err
	}
	var found Invalid
	f := FoundClient{Client: Client{
		ID: in.ClientID, Door: in.Door, Name: in.Name, PartnerID: in.PartnerID, PolicyID: in.PolicyID,
		UserClaims: in.UserClaims, ACRs: in.ACRs, LogoURI: in.LogoURI, RedirectURIs: in.RedirectURIs, GrantTypes: in.GrantTypes, AuthMethods: in.AuthMethods,
		ProviderClientID: in.ProviderClientID, Status: in.Status, Final: in.Final, CreatedBy: in.CreatedBy,
	}}
	f.Client.CreatedAt, f.Client.UpdatedAt = timeOf(in.CreatedAt), timeOf(in.UpdatedAt)
	found.add("clientId", InvalidClientID, Rules{}.checkClientID(in.ClientID))
	found.owner(in)
	found.add("clientName", InvalidClientName, checkFoundName(in.Name))
	found.add("logoUri", InvalidLogoURI, checkFoundText(in.LogoURI))
	for field, list := range map[string][]string{
		"userClaims": in.UserClaims, "authContextRefs": in.ACRs, "redirectUris": in.RedirectURIs, "grantTypes": in.GrantTypes, "clientAuthMethods": in.AuthMethods,
	} {
		found.add(field, InvalidRequest, checkFoundList(list))
	}
	found.standing(in)
	f.keys(r, &found, in)
	f.extensions(r, &found, in)
	if in.RegistrationURI != "" || in.RegistrationToken != "" || in.ProviderClientID != "" {
		f.Record = ProviderRecord{ClientID: in.ProviderClientID, URI: in.RegistrationURI, AccessToken: Secret(in.RegistrationToken)}
	}
	if len(found) > 0 {
		slices.SortStableFunc(found, func(a, b Problem) int { return strings.Compare(a.Field, b.Field) })
		return FoundClient{}, found
	}
	f.flag(r)
	return f, nil
}

// readRecord reads the JSON of a line. A member that is not known is refused: what it says
// would be lost.
func readRecord(line []byte) (in ClientRecord, err error) {
	bad := func(message string) error {
		return Invalid{{Field: "line", Reason: InvalidRequest, Message: message}}
	}
	if err := strictjson.Check(line, strictjson.Limits{Depth: 16, Members: 1000}); err != nil {
		return in, bad("is not one strict JSON object: " + err.Error())
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		if other, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && other.Field != "" {
			return in, bad(other.Field + " is of the wrong type: " + other.Value)
		}
		return in, bad("is not the form of an import: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	if err := strictjson.Decode(line, strictjson.Limits{Depth: 16, Members: 1000}, &in); err != nil {
		return in, bad("is not the form of an import: " + err.Error())
	}
	return in, nil
}

// timeOf is a time to the millisecond, which is what is stored; zero for none.
func timeOf(t *envelope.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return time.Time(*t).UTC().Truncate(time.Millisecond)
}

// owner adds what is wrong with whose client it is.
func (p *Invalid) owner(in ClientRecord) {
	p.add("partnerId", InvalidPartnerID, checkID(in.PartnerID, 100))
	switch {
	case in.Door == PartnerDoor:
		p.add("policyId", InvalidPolicyID, checkID(in.PolicyID, 36))
	case in.Door != ProviderDoor:
		p.add("door", InvalidRequest, fmt.Errorf("must be %s or %s", PartnerDoor, ProviderDoor))
	case in.PolicyID != "":
		p.add("policyId", InvalidPolicyID, errors.New("is for the partner side alone"))
	}
}

// standing adds what is wrong with the status, and with what is known of the client's past.
func (p *Invalid) standing(in ClientRecord) {
	p.add("status", InvalidStatus, checkSwitch(in.Status))
	if in.Final && in.Status != ClientInactive {
		p.add("final", InvalidStatus, errors.New("is for what is INACTIVE alone"))
	}
	for field, text := range map[string]string{
		"createdBy": in.CreatedBy, "providerClientId": in.ProviderClientID, "registrationClientUri": in.RegistrationURI, "registrationAccessToken": in.RegistrationToken,
	} {
		p.add(field, InvalidRequest, checkFoundText(text))
	}
	if in.ProviderClientID == "" && in.RegistrationURI+in.RegistrationToken != "" {
		p.add("providerClientId", InvalidRequest, errors.New("is missing, and belongs to registrationClientUri"))
	}
	for field, at := range map[string]time.Time{"createdAt": timeOf(in.CreatedAt), "updatedAt": timeOf(in.UpdatedAt)} {
		if !at.IsZero() && (at.UnixMilli() <= 0 || at.Year() > 9999) {
			p.add(field, InvalidRequest, errors.New("must be after 1970 and before 10000"))
		}
	}
}

// keys reads the keys.
func (f *FoundClient) keys(r Rules, found *Invalid, in ClientRecord) {
	var err error
	f.Client.Key, err = f.key(r, in.PublicKey)
	found.addKey(err)
	if former := string(bytes.TrimSpace(in.FormerKey)); former != "" && former != "null" {
		f.Client.FormerKey, err = f.key(r, in.FormerKey)
		found.add("formerPublicKey", InvalidKey, err)
	}
	if former := f.Client.FormerKey; former != (Key{}) && former.Thumbprint == f.Client.Key.Thumbprint {
		found.add("formerPublicKey", InvalidKey, errors.New("is publicKey again"))
	}
}

// extensions reads what only some interfaces have.
func (f *FoundClient) extensions(r Rules, found *Invalid, in ClientRecord) {
	x := &f.Client.Extensions
	if len(in.Names) > 0 {
		x.Names = in.Names
		for _, name := range in.Names {
			found.add(NamesExtension, InvalidLanguage, checkFoundText(name))
		}
	}
	if config := bytes.TrimSpace(in.Config); len(config) > 0 && string(config) != "null" && !isEmptyObject(config) {
		if x.Config = oneSpelling(config); config[0] != '{' {
			found.add(ConfigExtension, InvalidConfig, errors.New("must be an object"))
		}
	}
	if key := bytes.TrimSpace(in.EncKey); len(key) > 0 && string(key) != "null" {
		read, dropped, err := Rules{DropPrivate: true, AllowEd25519: true, BlockedKeys: r.BlockedKeys}.parseKey(key, encryption)
		if err != nil {
			read, dropped, err = keyAsFound(key)
			f.add(FlagLegacyField)
		}
		if dropped {
			f.add(FlagPrivateDropped)
		}
		found.add(EncKeyExtension, InvalidEncKey, err)
		x.EncKey = read.JWK
	}
}

// key reads a key as a registration does, or else as it is.
func (f *FoundClient) key(r Rules, raw []byte) (Key, error) {
	r.DropPrivate = true
	key, dropped, err := r.ParseKey(raw)
	if err != nil {
		if key, dropped, err = keyAsFound(raw); err == nil {
			f.add(FlagLegacyKey)
		}
	}
	if dropped {
		f.add(FlagPrivateDropped)
	}
	return key, err
}

func (f *FoundClient) add(flag Flag) {
	if !slices.Contains(f.Flags, flag) {
		f.Flags = append(f.Flags, flag)
	}
}

// flag adds the flags of what the rules for registrations would refuse.
func (f *FoundClient) flag(r Rules) {
	c := f.Client
	if len(r.redirects(c.RedirectURIs)) > 0 {
		f.add(FlagLegacyRedirect)
	}
	odd := r.methods(c.GrantTypes, c.AuthMethods)
	odd.add("clientName", InvalidClientName, checkName(c.Name))
	odd.add("logoUri", InvalidLogoURI, r.CheckLogoURI(c.LogoURI))
	odd.list("userClaims", c.UserClaims, 0, 30, InvalidClaim, InvalidClaim, supported(r.Claims))
	odd.list("authContextRefs", c.ACRs, 1, 30, InvalidACR, InvalidACR, supported(r.ACRs))
	odd.checkNames(c.Extensions.Names)
	if _, err := ParseConfig([]byte(c.Extensions.Config)); err != nil || len(odd) > 0 {
		f.add(FlagLegacyField)
	}
	for _, flag := range (Registration{LogoURI: c.LogoURI, RedirectURIs: c.RedirectURIs}).Flags() {
		f.add(flag)
	}
}

func checkFoundText(text string) error {
	switch {
	case len(text) > maxFoundText:
		return fmt.Errorf("is longer than %d bytes", maxFoundText)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return errors.New("must have no control character")
	}
	return nil
}

func checkFoundName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("must not be blank")
	case utf8.RuneCountInString(name) > maxFoundName:
		return fmt.Errorf("is longer than %d characters", maxFoundName)
	}
	return checkFoundText(name)
}

func checkFoundList(list []string) error {
	if list == nil {
		return errors.New("is missing")
	}
	if len(list) > maxFoundItems {
		return fmt.Errorf("has more than %d elements", maxFoundItems)
	}
	for i, v := range list {
		if err := checkFoundText(v); err != nil {
			return fmt.Errorf("element %d %w", i, err)
		}
		if strings.TrimSpace(v) == "" {
			return fmt.Errorf("element %d must not be blank", i)
		}
	}
	return nil
}

// KeyOf reads a key that somebody else keeps, whatever today's rules say of it.
func KeyOf(raw []byte) (Key, error) {
	key, _, err := keyAsFound(raw)
	return key, err
}

// keyAsFound reads the public members of a key that exists, and judges nothing but that it
// is a public key. dropped says that there were private members.
func keyAsFound(raw []byte) (key Key, dropped bool, err error) {
	var m members
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || json.Unmarshal(raw, &m) != nil || m == nil {
		return Key{}, false, badKey("must be one JSON Web Key")
	}
	k := jwk{Kty: m.textOr("kty"), Crv: m.textOr("crv")}
	if k.Kty == "" && m.has("n") { // of a time when nobody looked at it
		k.Kty = "RSA"
	}
	names := map[string][]string{"RSA": {"n", "e"}, "EC": {"x", "y"}, "OKP": {"x"}}[k.Kty]
	switch {
	case m.has("keys"):
		return Key{}, false, badKey("must be one key, not a set")
	case k.Kty == "oct":
		return Key{}, false, Refuse(PrivateKey, "is a symmetric key, which is a secret")
	case names == nil:
		return Key{}, false, badKey("has a kty that is not allowed")
	case k.Kty != "RSA" && checkID(k.Crv, 32) != nil:
		return Key{}, false, badKey("has no crv")
	case k.Kty == "RSA":
		k.Crv = ""
	}
	into := map[string]*string{"n": &k.N, "e": &k.E, "x": &k.X, "y": &k.Y}
	for _, name := range names {
		octets, err := anyBase64(m.textOr(name))
		if k.Kty == "RSA" {
			octets = bytes.TrimLeft(octets, "\x00")
		}
		if err != nil || len(octets) == 0 || len(octets) > 2<<10 {
			return Key{}, false, badKey("has no %s that is base64url", name)
		}
		*into[name] = base64.RawURLEncoding.EncodeToString(octets)
	}
	key.Thumbprint = thumbprint(k)
	k.Kid = key.Thumbprint
	if kid := m.textOr("kid"); strings.TrimSpace(kid) != "" && utf8.RuneCountInString(kid) <= maxKeyID && strings.IndexFunc(kid, unruly) < 0 {
		k.Kid = kid
	}
	for name, value := range map[string]*string{"alg": &k.Alg, "use": &k.Use} {
		if text := m.textOr(name); text != "" && checkID(text, 64) == nil {
			*value = text
		}
	}
	key.JWK, key.ID = string(k.encode()), k.Kid
	return key, m.private() != "", nil
}

// textOr is a member that is a string, and else empty.
func (m members) textOr(name string) string {
	text, err := m.text(name)
	if err != nil {
		return ""
	}
	return text
}

// anyBase64 reads every spelling of base64.
func anyBase64(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(text))
}

// Standing is what an import makes of a line.
type Standing string

const (
	StandingNew       Standing = "new"       // it is brought in
	StandingUnchanged Standing = "unchanged" // it is here already, just so
	StandingElsewhere Standing = "elsewhere" // it is here already, on the partner side
)

// Beside says how a line stands to the client that is here under its id. One that is here
// and differs is refused: nothing that happened here is undone by an import.
//
// What partner management registers is in the provider's own records too, by the same id
// and key; it is a client of the partner side.
func (f FoundClient) Beside(here Client) (Standing, error) {
	c := f.Client
	if c.Door == ProviderDoor && here.Door == PartnerDoor && c.Key.Thumbprint == here.Key.Thumbprint {
		return StandingElsewhere, nil
	}
	differs := append(here.Changes(c), differing(
		field{"door", here.Door == c.Door}, field{"partnerId", here.PartnerID == c.PartnerID},
		field{"policyId", here.PolicyID == c.PolicyID}, field{"providerClientId", here.ProviderClientID == c.ProviderClientID})...)
	if len(differs) > 0 {
		return "", Refuse(DuplicateClientID, "a client with this clientId is here and differs in %s", strings.Join(differs, ", "))
	}
	return StandingUnchanged, nil
}

// Import is the client that is brought in by actor.
func (f FoundClient) Import(actor string, at time.Time) Client {
	c := f.Client
	c.CreatedBy, c.CreatedAt = cmp.Or(c.CreatedBy, actor), cmp.Or(c.CreatedAt, at)
	c.UpdatedAt = cmp.Or(c.UpdatedAt, c.CreatedAt)
	c.Extensions.Names = maps.Clone(c.Extensions.Names)
	c.Rev = 1
	return c
}
