package registrar

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/plaintext"
	"github.com/countersign/countersign/libs/refusal"
)

// Rules are the rules for clients. Start from DefaultRules: the zero value supports nothing.
type Rules struct {
	// Supported values. The elements of a client's lists must be among these.
	Claims      []string
	ACRs        []string
	GrantTypes  []string
	AuthMethods []string

	// IDPattern must match a whole clientId; see CompileIDPattern. Nil adds no rule.
	IDPattern *regexp.Regexp

	// AllowHTTP is for development: it accepts plain http, address literals and localhost in logo
	// and redirect URIs. Redirects to loopback are always allowed (RFC 8252 §7.3).
	AllowHTTP bool

	// AllowEd25519 accepts OKP keys on Ed25519 (RFC 8037).
	AllowEd25519 bool

	// EnforcesPKCE reports that the identity provider enforces PKCE for a client, so that there can be public clients.
	EnforcesPKCE bool

	// Schemes are schemes of redirect URIs beside https, http on loopback and those in reverse-domain form.
	Schemes []string

	// DropPrivate removes private members from a key instead of refusing it.
	DropPrivate bool

	// IDRule derives the clientId in the partner API; ThumbprintID if empty.
	IDRule IDRule

	// RequestTimeLeeway is the maximum deviation of requestTime in either direction. Zero disables
	// the check.
	RequestTimeLeeway time.Duration

	// Limits are those of the identity provider.
	Limits Limits

	// kept is the client of an update; see WithCurrent.
	current *Client
}

// DefaultRules are the rules of eSignet's client management.
func DefaultRules() Rules {
	return Rules{
		Claims: []string{
			"iss", "sub", "acr", "name", "given_name", "middle_name", "preferred_username", "picture", "gender", "birthdate",
			"locale", "nickname", "family_name", "zoneinfo", "updated_at", "address", "email", "email_verified", "phone",
			"phone_number", "phone_number_verified", "individual_id",
		},
		ACRs: []string{
			"mosip:idp:acr:password", "mosip:idp:acr:static-code", "mosip:idp:acr:generated-code",
			"mosip:idp:acr:linked-wallet", "mosip:idp:acr:biometrics", "mosip:idp:acr:knowledge", "mosip:idp:acr:id-token",
		},
		GrantTypes:        []string{"authorization_code"},
		AuthMethods:       []string{"private_key_jwt"},
		RequestTimeLeeway: 2 * time.Minute,
	}
}

// CompileIDPattern compiles expr so that it matches a whole clientId.
func CompileIDPattern(expr string) (*regexp.Regexp, error) {
	return regexp.Compile(`\A(?:` + expr + `)\z`)
}

// Interface holds the rules of an interface that differ from those of the others. The members of a registration and of
// an update are in document order, by the names of the client-management API but for name, authPartnerId and policyId.
type Interface struct {
	API          API
	Registration []string
	Update       []string

	NeedsNames   bool // names in other languages are required
	LogoOptional bool
	FewClaims    bool // an update may have an empty list of claims
	Final        bool // INACTIVE is final
	Whole        bool // reports every problem at once, also in the partner API
	Redirects    int  // redirect URIs at most; 5 if 0
}

var (
	extensionFields = []string{NamesExtension, ConfigExtension, EncKeyExtension}
	listFields      = []string{"redirectUris", "grantTypes", "clientAuthMethods"}

	// PartnerInterface is that of partner management. It reports fields first, the key then, and the elements of lists
	// after the catalogue.
	PartnerInterface = Interface{
		API:          PartnerAPI,
		Registration: slices.Concat([]string{"name", "policyId", "publicKey", "authPartnerId", "logoUri"}, listFields, extensionFields),
		Update:       slices.Concat([]string{"clientName", "logoUri"}, listFields, extensionFields, []string{"status"}),
	}

	// ProviderInterface is that of the identity provider's client management. It reports every problem in document order.
	ProviderInterface = Interface{
		API: ProviderAPI,
		Registration: slices.Concat([]string{
			"clientId", "clientName", "publicKey", "relyingPartyId", "userClaims", "authContextRefs", "logoUri",
		}, listFields, extensionFields),
		Update: slices.Concat([]string{
			"clientName", "logoUri", "redirectUris", "userClaims", "authContextRefs", "grantTypes", "clientAuthMethods", "status",
		}, extensionFields),
	}
)

// Register checks a registration without the catalogue. In the partner API [Rules.Check] completes the check after
// [Registration.Authorise], unless the interface reports the whole.
func (r Rules) Register(i Interface, in *Request) (Registration, error) {
	if in == nil {
		return Registration{}, refusal.New(InvalidRequest, "request is missing")
	}
	c := checker{rules: r, Interface: i, in: in, fewest: 0, found: slices.Clone(in.Found)}
	for _, member := range i.Registration {
		c.check(member)
	}
	reg := Registration{Ignored: in.Ignored, PrivateDropped: c.dropped, Client: Client{
		ID: in.ClientID, API: i.API, Name: in.Name, PartnerID: in.PartnerID, PolicyID: in.PolicyID,
		UserClaims: in.UserClaims, ACRs: in.ACRs, LogoURI: in.LogoURI, RedirectURIs: in.RedirectURIs,
		GrantTypes: in.GrantTypes, AuthMethods: in.AuthMethods, Extensions: Extensions{}.apply(c.change), Status: ClientPending,
	}}
	c.found.needEncKey(reg.Extensions)
	reg.setKeys(c.keys)
	switch {
	case reg.IsPublic() && i.API == PartnerAPI:
		reg.ID, reg.Extensions.Config = cmp.Or(in.ClientID, publicID(in)), withPKCE(reg.Extensions.Config)
	case i.API == PartnerAPI && len(c.keys) > 0:
		reg.ID = r.IDRule.ClientID(c.keys[0])
	}
	if i.API == PartnerAPI && !i.Whole {
		reg.later = c.found.elements(i.NeedsNames)
		c.found = c.found.shape(i.NeedsNames).keyLast()
	}
	return reg, c.found.err()
}

// Update checks an update, or a patch if in has Given: the members that are not given are then missing in the result.
func (r Rules) Update(i Interface, in *Request) (Update, error) {
	if in == nil {
		return Update{}, refusal.New(InvalidRequest, "request is missing")
	}
	status := in.Status
	if i.API == PartnerAPI {
		status = strings.ToUpper(status)
	}
	c := checker{rules: r, Interface: i, in: in, fewest: 1, update: true, status: r.status(status), found: slices.Clone(in.Found)}
	if i.FewClaims {
		c.fewest = 0
	}
	for _, member := range i.Update {
		c.check(member)
	}
	u := Update{
		Name: in.Name, LogoURI: in.LogoURI, RedirectURIs: in.RedirectURIs, GrantTypes: in.GrantTypes, AuthMethods: in.AuthMethods,
		Extensions: c.change, Status: c.status, Final: i.Final, Ignored: in.Ignored,
	}
	if i.API == ProviderAPI {
		u.UserClaims, u.ACRs = in.UserClaims, in.ACRs
	} else if !i.Whole {
		c.found = append(c.found.shape(i.NeedsNames), c.found.elements(i.NeedsNames)...)
	}
	return u, c.found.err()
}

// checker checks the members of a request, the same for all interfaces.
type checker struct {
	Interface
	rules  Rules
	in     *Request
	fewest int // claims at least
	update bool
	status ClientStatus // of an update

	found   problems
	keys    []Key
	dropped bool // private members of a key
	change  ExtensionChange
}

// public reports whether the request is about a public client.
func (c *checker) public() bool { return isPublic(c.in.AuthMethods) && c.API == PartnerAPI }

// check adds the problems of a member.
func (c *checker) check(member string) {
	r, in, found := c.rules, c.in, &c.found
	cur := r.currentValues()
	list := func(list, had []string, lo, hi int, count, element Reason, ok func(string) error) {
		if !in.wrongElement(found, member, len(list), count, element) {
			r.list(found, member, list, had, lo, hi, count, element, ok)
		}
	}
	wrong := in.Wrong[member]
	one := func(reason Reason, err error) {
		if wrong != "" {
			err = errors.New(wrong)
		}
		found.add(member, reason, err)
	}
	switch {
	case !in.isGiven(member):
	case member == "clientId":
		one(InvalidClientID, r.checkClientID(in.ClientID))
	case member == "name" || member == "clientName":
		one(InvalidClientName, r.checkName(in.Name))
	case member == "policyId":
		one(InvalidPolicyID, checkID(in.PolicyID, 36))
	case member == "authPartnerId" || member == "relyingPartyId":
		one(InvalidPartnerID, checkID(in.PartnerID, 100))
	case member == "publicKey":
		c.checkKey()
	case member == "userClaims":
		list(in.UserClaims, cur.UserClaims, c.fewest, 30, InvalidClaim, InvalidClaim, memberOf(r.Claims))
	case member == "authContextRefs":
		list(in.ACRs, cur.ACRs, 1, 30, InvalidACR, InvalidACR, memberOf(r.ACRs))
	case member == "logoUri":
		if in.LogoURI != "" || wrong != "" || !c.LogoOptional {
			one(InvalidLogoURI, r.checkLogo(in.LogoURI))
		}
	case member == "redirectUris":
		most := max(c.Redirects, 5)
		if c.public() {
			most = 10
		}
		if !in.wrongElement(found, member, len(in.RedirectURIs), WrongRedirectCount, InvalidRedirectURI) {
			*found = append(*found, r.redirects(in.RedirectURIs, most)...)
		}
	case member == "grantTypes":
		list(in.GrantTypes, cur.GrantTypes, 1, 3, WrongGrantCount, InvalidGrantType, memberOf(r.GrantTypes))
	case member == "clientAuthMethods" && c.public() && r.EnforcesPKCE:
		// The policy decides on a registration; an update does not change the type.
	case member == "clientAuthMethods" && c.public() && !c.update:
		found.add(member+".0", InvalidAuthMethod, withValue(noneMethod, errors.New("is the method of a public client: the identity "+
			"provider behind this service does not enforce PKCE for a client; permitted: "+strings.Join(r.AuthMethods, ", "))))
	case member == "clientAuthMethods":
		list(in.AuthMethods, cur.AuthMethods, 1, 3, WrongAuthCount, InvalidAuthMethod, memberOf(r.AuthMethods))
	case member == "status":
		one(InvalidStatus, checkStatus(c.status))
	case member == NamesExtension:
		c.checkNames(wrong)
	default:
		found.settings(r, in.Extensions, member, &c.change)
	}
}

// checkKey parses the keys. An id in the form of that of a key must be that of this one. A public client has none.
func (c *checker) checkKey() {
	raw := append([][]byte{c.in.PublicKey}, c.in.OtherKeys...)
	if wrong := c.in.Wrong["publicKey"]; wrong != "" {
		c.found.add("publicKey", InvalidKey, errors.New(wrong))
		return
	}
	if c.public() && c.rules.EnforcesPKCE {
		if c.in.PublicKey != nil {
			c.found.add("publicKey", InvalidKey, errNoKey)
		}
		return
	}
	for _, raw := range raw {
		key, dropped, err := c.rules.ParseKey(raw)
		if c.API == ProviderAPI && err == nil && len(c.found) == 0 {
			c.found.add("clientId", InvalidClientID, checkOwnKeyID(c.in.ClientID, key))
		}
		if c.found.addKey(err); err != nil {
			return
		}
		c.keys, c.dropped = append(c.keys, key), c.dropped || dropped
	}
	if err, ok := errors.AsType[*refusal.Error](CheckKeys(c.keys)); ok {
		c.found = append(c.found, err.List()...)
	}
}

// checkNames checks the names in other languages.
func (c *checker) checkNames(wrong string) {
	names := c.in.Extensions.Names
	c.change.Names = names
	if wrong != "" {
		reason := InvalidLanguage
		if c.NeedsNames {
			reason = WrongNames
		}
		c.found.add(NamesExtension, reason, errors.New(wrong))
		return
	}
	for _, code := range slices.Sorted(maps.Keys(names)) {
		if wrong := c.in.Wrong[NamesExtension+"."+code]; wrong != "" {
			c.found.add(NamesExtension+"."+code, InvalidLanguageName, errors.New(wrong))
			return
		}
	}
	c.found.needNames(names, c.NeedsNames && (!c.update || c.rules.needsNames(true)))
	c.rules.checkNames(&c.found, names, c.Whole)
}

// keyLast moves the problems of a key to the end, but for its absence.
func (p problems) keyLast() problems {
	isKey := func(q refusal.Problem) bool { return q.Where == "/publicKey" && q.Reason != MissingKey }
	isOther := func(q refusal.Problem) bool { return !isKey(q) }
	return append(slices.DeleteFunc(slices.Clone(p), isKey), slices.DeleteFunc(slices.Clone(p), isOther)...)
}

// Check checks the values of r by the rules of the provider: claims, ACRs, redirect URIs, grant
// types and authentication methods. A refusal lists the problems.
func (r Rules) Check(reg Registration) error {
	var found problems
	// In the partner API these come from the policy, not from the caller.
	if err := checkEach(reg.UserClaims, memberOf(r.Claims)); err != nil {
		found.add("policyId", InvalidClaim, fmt.Errorf("names a policy with a claim that is not supported: %w", err))
	}
	if err := checkEach(reg.ACRs, memberOf(r.ACRs)); err != nil {
		found.add("policyId", InvalidACR, fmt.Errorf("names a policy with an acr that is not supported: %w", err))
	}
	return append(found, reg.later...).err()
}

// NoRequestTime is the requestTime of a request without one at a path that requires it.
const NoRequestTime = "none"

const timeForm = "send the time of the request by RFC 3339, such as 2026-03-01T12:00:00.000Z"

// CheckRequestTime checks the requestTime of the provider's envelope. An empty text counts as
// absent and passes.
func (r Rules) CheckRequestTime(text string, now time.Time) error {
	if text == "" || r.RequestTimeLeeway == 0 {
		return nil
	}
	if text == NoRequestTime {
		return refusal.New(InvalidRequest, "requestTime: is missing: "+timeForm)
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return refusal.New(InvalidRequest, "requestTime: %s is not a time: "+timeForm, shown(text))
	}
	if off := now.Sub(at).Abs(); off > r.RequestTimeLeeway {
		return refusal.New(InvalidRequest, "requestTime: %s must be within %s of the server's time, %s", shown(text), r.RequestTimeLeeway,
			now.UTC().Format(time.RFC3339))
	}
	return nil
}

// redirects checks at most hi redirect URIs.
func (r Rules) redirects(uris []string, hi int) problems {
	var found problems
	r.list(&found, "redirectUris", uris, r.currentValues().RedirectURIs, 1, hi, WrongRedirectCount, InvalidRedirectURI, r.CheckRedirectURI)
	if len(found) == 0 && (r.current == nil || !slices.Equal(uris, r.current.RedirectURIs)) {
		if i := repeatedURI(uris); i >= 0 {
			found.add(fmt.Sprintf("redirectUris.%d", i), InvalidRedirectURI, withValue(uris[i], errors.New("is the same as an earlier one")))
		}
	}
	return found
}

// addKey adds the refusal of a key with the reason of that refusal.
func (p *problems) addKey(err error) {
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		p.add("publicKey", refused.Reason, err)
	}
}

// list adds at most one problem with a list: its number of elements, or the first
// element that is blank, repeated or refused by ok. A JSON null arrives as "".
func (p *problems) list(field string, list []string, lo, hi int, count, element Reason, ok func(string) error) {
	switch {
	case list == nil:
		p.add(field, count, errors.New("is missing"))
	case len(list) < lo || len(list) > hi:
		p.add(field, count, fmt.Errorf("must have %d to %d elements, not %d", lo, hi, len(list)))
	default:
		if err, bad := errors.AsType[*elementError](checkEach(list, ok)); bad {
			if errors.Is(err.err, errBlank) {
				element += blank
			}
			p.add(fmt.Sprintf("%s.%d", field, err.index), element, err.err)
		}
	}
}

// shape returns the problems that do not depend on the value of an element. With blanks, blank
// elements are included.
func (p problems) shape(blanks bool) problems {
	return slices.DeleteFunc(slices.Clone(p), func(q refusal.Problem) bool {
		return ofElement(q.Reason) && !(blanks && IsBlank(q.Reason))
	})
}

// elements returns the problems that shape does not return.
func (p problems) elements(blanks bool) problems {
	return slices.DeleteFunc(slices.Clone(p), func(q refusal.Problem) bool {
		return !ofElement(q.Reason) || blanks && IsBlank(q.Reason)
	})
}

var errBlank = errors.New("must not be blank")

// blank is the case of a reason for a blank element of a list.
const blank = "/blank"

// IsBlank reports whether r is the reason of a blank element of a list.
func IsBlank(r Reason) bool { return strings.HasSuffix(string(r), blank) }

// elementError is the problem of one element of a list.
type elementError struct {
	index int
	err   error
}

func (e *elementError) Error() string { return fmt.Sprintf("element %d %v", e.index, e.err) }

// checkEach returns an *elementError for the first element that is blank,
// repeated or refused by ok.
func checkEach(list []string, ok func(string) error) error {
	for i, v := range list {
		var err error
		if strings.TrimSpace(v) == "" {
			err = errBlank
		} else if err = ok(v); err == nil && slices.Contains(list[:i], v) {
			err = errors.New("is the same as an earlier one")
		}
		if err != nil {
			return &elementError{i, withValue(v, err)}
		}
	}
	return nil
}

// withValue returns the problem of a value with that value. A blank value is not shown.
func withValue(v string, err error) error {
	if err == nil || isBlank(v) {
		return err
	}
	return fmt.Errorf("%s %w", shown(v), err)
}

// shown returns a value for a message: at most 80 characters, controls escaped.
func shown(v string) string {
	if runes := []rune(v); len(runes) > 80 {
		v = string(runes[:80]) + "…"
	}
	return strconv.Quote(v)
}

// memberOf accepts the elements of set.
func memberOf(set []string) func(string) error {
	return func(v string) error {
		if !slices.Contains(set, v) {
			return errors.New("is not supported; permitted: " + strings.Join(set, ", "))
		}
		return nil
	}
}

// checkClientID accepts 1 to 100 visible ASCII characters (RFC 6749 appendix A.1, without the
// space). So no two ids look alike. An id is one segment of a path and not a dot segment.
func (r Rules) checkClientID(id string) error {
	if err := checkID(id, 100); err != nil {
		return err
	}
	if strings.IndexFunc(id, func(c rune) bool { return c <= ' ' || c >= 0x7f }) >= 0 {
		return errors.New("must consist of visible ASCII characters")
	}
	if strings.ContainsAny(id, `/\`) || id == "." || id == ".." {
		return errors.New("must not have a slash or a backslash, nor be a dot segment: it is one segment of a path")
	}
	if r.IDPattern != nil && !r.IDPattern.MatchString(id) {
		return fmt.Errorf("must match %s", strings.TrimSuffix(strings.TrimPrefix(r.IDPattern.String(), `\A(?:`), `)\z`))
	}
	return nil
}

// PossibleID reports whether a client, partner or policy can have the id. Other ids need no
// database query.
func PossibleID(id string) bool { return checkID(id, 100) == nil && !strings.ContainsAny(id, `/\`) }

// checkID accepts 1 to limit visible characters.
func checkID(id string, limit int) error {
	switch n := utf8.RuneCountInString(id); {
	case n == 0:
		return errors.New("is missing")
	case n > limit:
		return fmt.Errorf("is longer than %d characters", limit)
	case strings.IndexFunc(id, func(c rune) bool { return unicode.IsSpace(c) || !isVisible(c) }) >= 0 || !utf8.ValidString(id):
		return errors.New("must have no white space and no invisible character")
	}
	return nil
}

// maxName is the maximum length of a client's name in characters.
const maxName = 256

// checkName accepts plain text with a visible character.
func checkName(name string) error {
	switch n := utf8.RuneCountInString(name); {
	case isBlank(name):
		return errors.New("must not be blank")
	case n > maxName:
		return fmt.Errorf("is longer than %d characters", maxName)
	}
	return plaintext.Check(name)
}

// isBlank reports whether text has no visible character.
func isBlank(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return isVisible(c) && !unicode.IsSpace(c) })
}

// isVisible reports whether c is visible. Besides controls and format characters, Unicode has letters
// without a glyph, such as U+3164.
func isVisible(c rune) bool {
	return !unicode.IsControl(c) && c != '\u2800' &&
		!unicode.In(c, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
