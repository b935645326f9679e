package registrar

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// PartnerRequest is the unchecked request of the partner API.
type PartnerRequest struct {
	Name          string
	PolicyID      string
	PublicKey     []byte // JSON; nil if missing
	AuthPartnerID string
	LogoURI       string
	RedirectURIs  []string
	GrantTypes    []string
	AuthMethods   []string

	Extensions   ExtensionRequest
	NeedsNames   bool     // names in other languages are required
	LogoOptional bool     // the logo is optional
	Ignored      []string // unknown members
}

// ProviderRequest is the unchecked request of the client-management API. A nil list is a missing one.
type ProviderRequest struct {
	ClientID       string
	ClientName     string
	PublicKey      []byte // JSON; nil if missing
	RelyingPartyID string
	UserClaims     []string
	ACRs           []string
	LogoURI        string
	RedirectURIs   []string
	GrantTypes     []string
	AuthMethods    []string
	Extensions     ExtensionRequest
	Ignored        []string // unknown members
}

// Fixed holds the members of an update that never change. An empty one is absent.
type Fixed struct {
	ClientID       string
	PolicyID       string
	AuthPartnerID  string
	RelyingPartyID string
	PublicKey      []byte // JSON: a JWK, or its text as a string
}

// CheckFixed refuses the members of f that differ from c, as problems. Only a key has an operation that
// replaces it.
func (c Client) CheckFixed(f Fixed) error {
	var found problems
	same := func(field string, reason Reason, value, stored string) {
		if value != "" && value != stored {
			found.add(field, reason, fmt.Errorf("cannot be changed: %.80q is not the registered value, %q", value, stored))
		}
	}
	same("clientId", InvalidClientID, f.ClientID, c.ID)
	same("policyId", InvalidPolicyID, f.PolicyID, c.PolicyID)
	if !c.hasKey(f.PublicKey) {
		found.add("publicKey", OtherKey, fmt.Errorf("cannot be changed here: POST /v1/registrar/clients/%s/keys adds a key", c.ID))
	}
	same("authPartnerId", InvalidPartnerID, f.AuthPartnerID, c.PartnerID)
	same("relyingPartyId", InvalidPartnerID, f.RelyingPartyID, c.PartnerID)
	return found.err()
}

// hasKey reports whether raw is one of the keys of c, or absent.
func (c Client) hasKey(raw []byte) bool {
	if len(raw) == 0 || string(raw) == "null" {
		return true
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = []byte(text)
	}
	key, err := KeyOf(raw)
	return err == nil && slices.ContainsFunc(c.Keys(), func(k Key) bool { return k.Thumbprint == key.Thumbprint })
}

// PartnerUpdate is the unchecked PUT request of the partner API. Claims and ACRs remain those
// of the policy at registration.
type PartnerUpdate struct {
	ClientName   string
	LogoURI      string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Status       string // in any letter case
	Fixed        Fixed

	Extensions   ExtensionRequest
	NeedsNames   bool     // names in other languages are required
	LogoOptional bool     // the logo is optional
	Final        bool     // INACTIVE is final
	Ignored      []string // unknown members
}

// ProviderUpdate is the unchecked PUT request of the client-management API.
type ProviderUpdate struct {
	ClientName   string
	UserClaims   []string
	ACRs         []string
	LogoURI      string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Status       string
	Fixed        Fixed
	Extensions   ExtensionRequest
	FewClaims    bool     // an empty list of claims is allowed
	Ignored      []string // unknown members
}

// ProviderPatch is the unchecked PATCH request of the client-management API: a Patch with unparsed
// extensions.
type ProviderPatch struct {
	Patch
	Fixed      Fixed
	Extensions ExtensionRequest
}

// Registration is a registration that has passed the rules of its interface.
type Registration struct {
	API       API
	ClientID  string // in the partner API, derived from the key
	Name      string
	PartnerID string
	PolicyID  string // partner API only
	Key       Key

	// UserClaims and ACRs are set by Authorise in the partner API.
	UserClaims []string
	ACRs       []string

	LogoURI      string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Extensions   Extensions

	Ignored []string // unknown members of the request

	// PrivateDropped reports that the request contained private key members. They were removed and
	// are not in Key.
	PrivateDropped bool
}

// Client returns the PENDING client for r, owned by caller.
func (r Registration) Client(caller string, at time.Time) Client {
	return Client{
		ID: r.ClientID, API: r.API, Name: r.Name, PartnerID: r.PartnerID, PolicyID: r.PolicyID, Key: r.Key,
		UserClaims: slices.Clone(r.UserClaims), ACRs: slices.Clone(r.ACRs), LogoURI: r.LogoURI,
		RedirectURIs: slices.Clone(r.RedirectURIs), GrantTypes: slices.Clone(r.GrantTypes), AuthMethods: slices.Clone(r.AuthMethods),
		Extensions: r.Extensions.apply(ExtensionChange{}), Status: ClientPending, CreatedBy: caller, CreatedAt: at, UpdatedAt: at, Rev: 1,
	}
}

// Flag marks a property of an accepted registration for review.
type Flag string

const (
	FlagPunycodeHost   Flag = "punycode_host"       // the host may be a homograph of another one (RFC 5890 A-label)
	FlagForeignLogo    Flag = "foreign_logo"        // the logo's host is not that of a redirect URI (RFC 7591 §5)
	FlagPrivateDropped Flag = "private_key_dropped" // the caller should replace this key

	// Of an imported client: the current rules would refuse its registration.
	FlagLegacyRedirect Flag = "legacy_redirect_uri"
	FlagLegacyKey      Flag = "legacy_key"
	FlagLegacyField    Flag = "legacy_field" // any other
)

// Flags returns the flags of r.
func (r Registration) Flags() []Flag {
	var flags []Flag
	logo := webHost(r.LogoURI)
	puny, foreign := isPunycode(logo), true
	for _, uri := range r.RedirectURIs {
		host := webHost(uri)
		puny = puny || isPunycode(host)
		foreign = foreign && host != logo
	}
	if puny {
		flags = append(flags, FlagPunycodeHost)
	}
	if foreign && r.LogoURI != "" {
		flags = append(flags, FlagForeignLogo)
	}
	if r.PrivateDropped {
		flags = append(flags, FlagPrivateDropped)
	}
	return flags
}

// webHost returns the host of an accepted http or https URI in lower case, or an empty string for a
// private-use scheme.
func webHost(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

func isPunycode(host string) bool {
	return strings.HasPrefix(host, "xn--") || strings.Contains(host, ".xn--")
}
