package registrar

import (
	"maps"
	"slices"
)

// WithCurrent returns rules for an update of c that accept its current values. A client that was
// registered elsewhere may have values that a registration here may not have.
func (r Rules) WithCurrent(c Client) Rules {
	r.current = &c
	return r
}

// currentValues returns the client of WithCurrent, or the zero value.
func (r Rules) currentValues() Client {
	if r.current == nil {
		return Client{}
	}
	return *r.current
}

// status returns the requested status. The current status PENDING or FAILED, as a read returns it,
// means ACTIVE.
func (r Rules) status(asked string) ClientStatus {
	s := ClientStatus(asked)
	if s == r.currentValues().Status && r.currentValues().IsUnconfirmed() {
		return ClientActive
	}
	return s
}

// needsNames reports whether an update requires names in other languages. A client without names
// needs none.
func (r Rules) needsNames(required bool) bool {
	return required && (r.current == nil || len(r.current.Extensions.Names) > 0)
}

// checkName checks the name of a client. It accepts the current name.
func (r Rules) checkName(name string) error {
	if name != "" && name == r.currentValues().Name {
		return nil
	}
	return checkName(name)
}

// checkLogo is CheckLogoURI for the logo of a client. It accepts the current logo.
func (r Rules) checkLogo(uri string) error {
	if r.current != nil && uri == r.current.LogoURI {
		return nil
	}
	return withValue(uri, r.CheckLogoURI(uri))
}

// list is problems.list for a list of a client. It accepts the current list, and current elements
// beside allowed ones.
func (r Rules) list(found *problems, field string, list, had []string, lo, hi int, count, element Reason, ok func(string) error) {
	if r.current != nil && list != nil && slices.Equal(list, had) {
		return
	}
	found.list(field, list, lo, max(hi, len(had)), count, element, func(v string) error {
		if slices.Contains(had, v) {
			return nil
		}
		return ok(v)
	})
}

// checkNames is problems.checkNames for a client. It accepts the current names.
func (r Rules) checkNames(p *problems, names map[string]string, tags bool) {
	if r.current == nil || !maps.Equal(names, r.current.Extensions.Names) {
		p.checkNames(names, tags)
	}
}
