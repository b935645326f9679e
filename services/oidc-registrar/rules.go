package registrar

import (
	"errors"
	"fmt"
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

	// DropPrivate removes private members from a key instead of refusing it.
	DropPrivate bool

	// IDRule derives the clientId in the partner API; ThumbprintID if empty.
	IDRule IDRule

	// BlockedKeys are RFC 7638 thumbprints (SHA-256, base64url) of refused keys, in addition to
	// those of this package.
	BlockedKeys map[string]bool

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

// Partner checks a registration of the partner API without the catalogue; [Rules.Check]
// completes the check after [Registration.Authorise]. A refusal because of fields lists the
// problems, the key last; the interface reports the first problem.
func (r Rules) Partner(in *PartnerRequest) (Registration, error) {
	if in == nil {
		return Registration{}, refusal.New(InvalidRequest, "request is missing")
	}
	reg := Registration{
		API: PartnerAPI, Name: in.Name, PartnerID: in.AuthPartnerID, PolicyID: in.PolicyID, LogoURI: in.LogoURI,
		RedirectURIs: in.RedirectURIs, GrantTypes: in.GrantTypes, AuthMethods: in.AuthMethods, Ignored: in.Ignored,
	}
	var found problems
	found.add("name", InvalidClientName, checkName(in.Name))
	found.add("policyId", InvalidPolicyID, checkID(in.PolicyID, 36))
	key, dropped, keyErr := r.ParseKey(in.PublicKey)
	if errors.Is(keyErr, MissingKey) {
		found.addKey(keyErr)
		keyErr = nil
	}
	found.add("authPartnerId", InvalidPartnerID, checkID(in.AuthPartnerID, 100))
	if in.LogoURI != "" || !in.LogoOptional {
		found.add("logoUri", InvalidLogoURI, withValue(in.LogoURI, r.CheckLogoURI(in.LogoURI)))
	}
	found = append(found, r.lists(reg).shape(in.NeedsNames)...)
	found.needNames(in.Extensions.Names, in.NeedsNames)
	reg.Extensions = Extensions{}.apply(found.settings(r, in.Extensions))
	found.needEncKey(reg.Extensions)
	found.addKey(keyErr)
	reg.Key, reg.PrivateDropped, reg.ClientID = key, dropped, r.IDRule.ClientID(key)
	return reg, found.err()
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
	found = append(found, r.lists(reg).elements(false)...)
	found.checkNames(reg.Extensions.Names)
	return found.err()
}

// Provider checks a registration of the client-management API. A refusal because of fields
// lists every invalid field, in document order.
func (r Rules) Provider(in *ProviderRequest) (Registration, error) {
	if in == nil {
		return Registration{}, refusal.New(InvalidRequest, "request is missing")
	}
	reg := Registration{
		API: ProviderAPI, ClientID: in.ClientID, Name: in.ClientName, PartnerID: in.RelyingPartyID,
		UserClaims: in.UserClaims, ACRs: in.ACRs, LogoURI: in.LogoURI,
		RedirectURIs: in.RedirectURIs, GrantTypes: in.GrantTypes, AuthMethods: in.AuthMethods, Ignored: in.Ignored,
	}
	var found problems
	var err error
	found.add("clientId", InvalidClientID, r.checkClientID(in.ClientID))
	found.add("clientName", InvalidClientName, checkName(in.ClientName))
	reg.Key, reg.PrivateDropped, err = r.ParseKey(in.PublicKey)
	if err == nil && len(found) == 0 {
		found.add("clientId", InvalidClientID, checkOwnKeyID(in.ClientID, reg.Key))
	}
	found.addKey(err)
	found.add("relyingPartyId", InvalidPartnerID, checkID(in.RelyingPartyID, 100))
	found.list("userClaims", in.UserClaims, 0, 30, InvalidClaim, InvalidClaim, memberOf(r.Claims))
	found.list("authContextRefs", in.ACRs, 1, 30, InvalidACR, InvalidACR, memberOf(r.ACRs))
	found.add("logoUri", InvalidLogoURI, withValue(in.LogoURI, r.CheckLogoURI(in.LogoURI)))
	found = append(found, r.lists(reg)...)
	reg.Extensions = Extensions{}.apply(found.extensions(r, in.Extensions))
	found.needEncKey(reg.Extensions)
	return reg, found.err()
}

// PartnerUpdate checks an update of the partner API. The problems are in the
// order of that interface: fields first, then elements of lists.
func (r Rules) PartnerUpdate(in *PartnerUpdate) (Update, error) {
	if in == nil {
		return Update{}, refusal.New(InvalidRequest, "request is missing")
	}
	u := Update{
		Name: in.ClientName, LogoURI: in.LogoURI, RedirectURIs: in.RedirectURIs,
		GrantTypes: in.GrantTypes, AuthMethods: in.AuthMethods, Status: r.status(strings.ToUpper(in.Status)),
		Final: in.Final, Ignored: in.Ignored,
	}
	lists := r.lists(Registration{RedirectURIs: in.RedirectURIs, GrantTypes: in.GrantTypes, AuthMethods: in.AuthMethods})
	var found problems
	found.add("clientName", InvalidClientName, r.checkName(in.ClientName))
	if in.LogoURI != "" || !in.LogoOptional {
		found.add("logoUri", InvalidLogoURI, r.checkLogo(in.LogoURI))
	}
	found = append(found, lists.shape(in.NeedsNames)...)
	found.needNames(in.Extensions.Names, r.needsNames(in.NeedsNames))
	u.Extensions = found.settings(r, in.Extensions)
	found.add("status", InvalidStatus, checkStatus(u.Status))
	found = append(found, lists.elements(in.NeedsNames)...)
	r.checkNames(&found, in.Extensions.Names)
	return u, found.err()
}

// ProviderUpdate checks an update of the client-management API. A refusal because of fields
// lists every invalid field, in document order.
func (r Rules) ProviderUpdate(in *ProviderUpdate) (Update, error) {
	if in == nil {
		return Update{}, refusal.New(InvalidRequest, "request is missing")
	}
	u := Update{
		Name: in.ClientName, UserClaims: in.UserClaims, ACRs: in.ACRs, LogoURI: in.LogoURI,
		RedirectURIs: in.RedirectURIs, GrantTypes: in.GrantTypes, AuthMethods: in.AuthMethods, Status: r.status(in.Status),
		Ignored: in.Ignored,
	}
	var found problems
	found.add("clientName", InvalidClientName, r.checkName(in.ClientName))
	found.add("logoUri", InvalidLogoURI, r.checkLogo(in.LogoURI))
	redirects, rest := r.redirects(in.RedirectURIs), r.methods(in.GrantTypes, in.AuthMethods)
	found = append(found, redirects...)
	fewest := 1
	if in.FewClaims {
		fewest = 0
	}
	r.list(&found, "userClaims", in.UserClaims, r.currentValues().UserClaims, fewest, 30, InvalidClaim, InvalidClaim, memberOf(r.Claims))
	r.list(&found, "authContextRefs", in.ACRs, r.currentValues().ACRs, 1, 30, InvalidACR, InvalidACR, memberOf(r.ACRs))
	found = append(found, rest...)
	found.add("status", InvalidStatus, checkStatus(u.Status))
	u.Extensions = found.extensions(r, in.Extensions)
	return u, found.err()
}

// ProviderPatch checks a partial change of the client-management API. A refusal because of fields
// lists every invalid field, in document order.
func (r Rules) ProviderPatch(in *ProviderPatch) (Patch, error) {
	if in == nil {
		return Patch{}, refusal.New(InvalidRequest, "request is missing")
	}
	p := in.Patch
	var found problems
	list := func(field string, values, had []string, most int, reason Reason, allowed []string) {
		if values != nil {
			r.list(&found, field, values, had, 1, most, reason, reason, memberOf(allowed))
		}
	}
	if p.Name != nil {
		found.add("clientName", InvalidClientName, r.checkName(*p.Name))
	}
	if p.LogoURI != nil {
		found.add("logoUri", InvalidLogoURI, r.checkLogo(*p.LogoURI))
	}
	if p.RedirectURIs != nil {
		found = append(found, r.redirects(p.RedirectURIs)...)
	}
	list("userClaims", p.UserClaims, r.currentValues().UserClaims, 30, InvalidClaim, r.Claims)
	list("authContextRefs", p.ACRs, r.currentValues().ACRs, 30, InvalidACR, r.ACRs)
	list("grantTypes", p.GrantTypes, r.currentValues().GrantTypes, 3, InvalidGrantType, r.GrantTypes)
	list("clientAuthMethods", p.AuthMethods, r.currentValues().AuthMethods, 3, InvalidAuthMethod, r.AuthMethods)
	if p.Status != nil {
		found.add("status", InvalidStatus, checkStatus(*p.Status))
	}
	p.Extensions = found.extensions(r, in.Extensions)
	return p, found.err()
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

// lists checks the three lists that both interfaces have.
func (r Rules) lists(reg Registration) problems {
	return append(r.redirects(reg.RedirectURIs), r.methods(reg.GrantTypes, reg.AuthMethods)...)
}

func (r Rules) redirects(uris []string) problems {
	var found problems
	r.list(&found, "redirectUris", uris, r.currentValues().RedirectURIs, 1, 5, WrongRedirectCount, InvalidRedirectURI, r.CheckRedirectURI)
	if len(found) == 0 && (r.current == nil || !slices.Equal(uris, r.current.RedirectURIs)) {
		if i := repeatedURI(uris); i >= 0 {
			found.add(fmt.Sprintf("redirectUris.%d", i), InvalidRedirectURI, withValue(uris[i], errors.New("is the same as an earlier one")))
		}
	}
	return found
}

func (r Rules) methods(grants, auth []string) problems {
	var found problems
	r.list(&found, "grantTypes", grants, r.currentValues().GrantTypes, 1, 3, WrongGrantCount, InvalidGrantType, memberOf(r.GrantTypes))
	r.list(&found, "clientAuthMethods", auth, r.currentValues().AuthMethods, 1, 3, WrongAuthCount, InvalidAuthMethod, memberOf(r.AuthMethods))
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
