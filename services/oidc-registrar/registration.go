package registrar

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// PartnerRequest is the request of the partner door as it came.
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
	NeedsNames   bool     // the door asks for names in other languages
	LogoOptional bool     // the door does not ask for a logo
	Ignored      []string // members that the door does not know
}

// ProviderRequest is the request of the provider door as it came. A nil list is
// a missing one.
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
	Ignored        []string // members that the door does not know
}

// PartnerUpdate is the request of the partner door's PUT as it came. Claims and
// ACRs stay those of the policy at registration.
type PartnerUpdate struct {
	ClientName   string
	LogoURI      string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Status       string // in any letter case

	Extensions   ExtensionRequest
	NeedsNames   bool     // the door asks for names in other languages
	LogoOptional bool     // the door does not ask for a logo
	Final        bool     // the door knows no way back from INACTIVE
	Ignored      []string // members that the door does not know
}

// ProviderUpdate is the request of the provider door's PUT as it came.
type ProviderUpdate struct {
	ClientName   string
	UserClaims   []string
	ACRs         []string
	LogoURI      string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Status       string
	Extensions   ExtensionRequest
	FewClaims    bool     // the door allows none
	Ignored      []string // members that the door does not know
}

// ProviderPatch is the request of the provider door's PATCH as it came: a Patch that is not
// checked yet, whose extensions are these.
type ProviderPatch struct {
	Patch
	Extensions ExtensionRequest
}

// Registration is a registration that has passed the rules of its door.
type Registration struct {
	Door      Door
	ClientID  string // at the partner door, computed from the key
	Name      string
	PartnerID string
	PolicyID  string // partner door only
	Key       Key

	// UserClaims and ACRs are filled in by Authorise at the partner door.
	UserClaims []string
	ACRs       []string

	LogoURI      string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Extensions   Extensions

	Ignored []string // members of the request that its door does not know

	// PrivateDropped says that the caller sent private key members, which were
	// removed. Nothing of them is left in Key.
	PrivateDropped bool
}

// Client returns the client that r asks for, PENDING, owned by caller.
func (r Registration) Client(caller string, at time.Time) Client {
	return Client{
		ID: r.ClientID, Door: r.Door, Name: r.Name, PartnerID: r.PartnerID, PolicyID: r.PolicyID, Key: r.Key,
		UserClaims: slices.Clone(r.UserClaims), ACRs: slices.Clone(r.ACRs), LogoURI: r.LogoURI,
		RedirectURIs: slices.Clone(r.RedirectURIs), GrantTypes: slices.Clone(r.GrantTypes), AuthMethods: slices.Clone(r.AuthMethods),
		Extensions: r.Extensions.with(ExtensionChange{}), Status: ClientPending, CreatedBy: caller, CreatedAt: at, UpdatedAt: at, Rev: 1,
	}
}

// Flag is something in an accepted registration that a reviewer may want to look at.
type Flag string

const (
	FlagPunycodeHost   Flag = "punycode_host"       // a host may look like another one (RFC 5890 A-label)
	FlagForeignLogo    Flag = "foreign_logo"        // logo on a host of no redirect URI (RFC 7591 §5)
	FlagPrivateDropped Flag = "private_key_dropped" // the caller should replace this key

	// Of a client that was imported: a registration with this would be refused today.
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

// webHost returns the host of an accepted http or https URI in lower case, and
// nothing for a private-use scheme.
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
