package registrar

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
)

// Request is an unchecked request about a client. An empty text and a nil list are missing.
type Request struct {
	ClientID     string
	Name         string
	PartnerID    string // authPartnerId or relyingPartyId
	PolicyID     string
	PublicKey    []byte   // JSON; nil if missing
	OtherKeys    [][]byte // further keys to sign with, in the standard API
	UserClaims   []string
	ACRs         []string
	LogoURI      string
	RedirectURIs []string
	GrantTypes   []string
	AuthMethods  []string
	Extensions   ExtensionRequest
	Status       string // of an update

	// Fixed holds the members of an update that never change, by their names. PublicKey is one, too.
	Fixed map[string]string

	Given   []string          // members of a patch; nil for a full request
	Wrong   map[string]string // messages about members of another JSON type, by the path of the field
	Ignored []string          // unknown members

	Found []refusal.Problem // problems that the interface has found itself
}

// isGiven reports whether the request, which may be a patch, has a member.
func (in *Request) isGiven(member string) bool {
	return in.Given == nil || slices.Contains(in.Given, member)
}

// wrongElement adds the problem of a list, or of its first element, of another JSON type.
func (in *Request) wrongElement(found *problems, list string, n int, count, element Reason) bool {
	for i := range n {
		field := fmt.Sprintf("%s.%d", list, i)
		if message := in.Wrong[field]; message != "" {
			found.add(field, element, errors.New(message))
			return true
		}
	}
	if message := in.Wrong[list]; message != "" {
		found.add(list, count, errors.New(message))
		return true
	}
	return false
}

// CheckFixed refuses the members of in that differ from c and never change, as problems. Only a key has an operation
// that replaces it.
func (c Client) CheckFixed(in *Request) error {
	var found problems
	for _, fixed := range []struct {
		member, stored string
		reason         Reason
	}{
		{"clientId", c.ID, InvalidClientID}, {"policyId", c.PolicyID, InvalidPolicyID}, {"publicKey", "", OtherKey},
		{"authPartnerId", c.PartnerID, InvalidPartnerID}, {"relyingPartyId", c.PartnerID, InvalidPartnerID},
	} {
		value := in.Fixed[fixed.member]
		switch {
		case in.Wrong[fixed.member] != "":
			found.add(fixed.member, fixed.reason, errors.New(in.Wrong[fixed.member]))
		case fixed.member == "publicKey" && !c.hasKey(in.PublicKey):
			found.add("publicKey", OtherKey, fmt.Errorf("cannot be changed here: "+
				"POST /v1/registrar/clients/%s/keys adds a key", c.ID))
		case value != "" && value != fixed.stored:
			found.add(fixed.member, fixed.reason, fmt.Errorf("cannot be changed: "+
				"%.80q is not the registered value, %q", value, fixed.stored))
		}
	}
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

// Registration is a registration that has passed the rules of its interface: a PENDING client without owner and times.
// In the partner API its id is derived from the key, and Authorise sets its claims and ACRs.
type Registration struct {
	Client
	Ignored []string // unknown members of the request

	// PrivateDropped reports that the request contained private key members. They were removed and
	// are not in Key.
	PrivateDropped bool

	lifetime time.Duration // of the policy; 0 for unlimited

	later problems // of elements of lists, which the partner API reports after the catalogue
}

// NewClient returns the PENDING client for r, owned by caller.
func (r Registration) NewClient(caller string, at time.Time) Client {
	c := r.Client
	c.UserClaims, c.ACRs, c.RedirectURIs = slices.Clone(c.UserClaims), slices.Clone(c.ACRs), slices.Clone(c.RedirectURIs)
	c.GrantTypes, c.AuthMethods = slices.Clone(c.GrantTypes), slices.Clone(c.AuthMethods)
	c.Extensions = c.Extensions.apply(ExtensionChange{})
	c.CreatedBy, c.CreatedAt, c.UpdatedAt, c.Rev = caller, at, at, 1
	if r.lifetime > 0 {
		c.ExpiresAt = at.Add(r.lifetime)
	}
	return c
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
