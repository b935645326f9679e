package registrar

import (
	"errors"
	"maps"
	"slices"
)

// Keeping returns rules for an update of c: what c has may stay, whatever the rules say of
// it. A client that was registered elsewhere may have what no registration here may.
func (r Rules) Keeping(c Client) Rules {
	r.kept = &c
	return r
}

// had is the client of Keeping; the zero value without.
func (r Rules) had() Client {
	if r.kept == nil {
		return Client{}
	}
	return *r.kept
}

// checkName is checkName for the name of a client.
func (r Rules) checkName(name string) error {
	if name != "" && name == r.had().Name {
		return nil
	}
	return checkName(name)
}

// checkLogo is CheckLogoURI for the logo of a client.
func (r Rules) checkLogo(uri string) error {
	if r.kept != nil && uri == r.kept.LogoURI {
		return nil
	}
	return r.CheckLogoURI(uri)
}

// list is Invalid.list for a list of a client, which may have what it had: all of that, or
// some of it beside what is allowed.
func (r Rules) list(found *Invalid, field string, list, had []string, lo, hi int, count, element Reason, ok func(string) error) {
	if r.kept != nil && list != nil && slices.Equal(list, had) {
		return
	}
	found.list(field, list, lo, max(hi, len(had)), count, element, func(v string) error {
		if slices.Contains(had, v) {
			return nil
		}
		return ok(v)
	})
}

// checkNames is Invalid.checkNames for a client, which may have the names that it had.
func (r Rules) checkNames(p *Invalid, names map[string]string) {
	if r.kept == nil || !maps.Equal(names, r.kept.Extensions.Names) {
		p.checkNames(names)
	}
}

// keepable are what a client may have of a registration elsewhere.
var keepable = []Reason{
	InvalidClientName, InvalidLogoURI, WrongRedirectCount, InvalidRedirectURI, WrongGrantCount, InvalidGrantType,
	WrongAuthCount, InvalidAuthMethod, InvalidClaim, InvalidACR, InvalidLanguage, InvalidLanguageName, LongLanguageName,
}

// MayKeep reports whether rules that are Keeping a client might accept what has been refused
// with err.
func MayKeep(err error) bool {
	problems, ok := errors.AsType[Invalid](err)
	return ok && !slices.ContainsFunc(problems, func(p Problem) bool { return !slices.Contains(keepable, p.Reason) })
}
