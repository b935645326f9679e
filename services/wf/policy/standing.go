package policy

import (
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
)

// Validity limits the time in which an approval is in force. At least one member is set; with both, the
// earlier end applies.
type Validity struct {
	ValidFor Duration `json:"valid_for,omitempty" minLength:"1" maxLength:"64" doc:"ISO 8601 duration from the approval, PT1M to ten years."`
	UntilCEL string   `json:"until_cel,omitempty" minLength:"1" maxLength:"4096" doc:"CEL over context, request and requester that yields a timestamp. Evaluated at creation and at each resubmission, when it must be in the future."`
}

// Callers are callers with a right, by the user id and the roles of their token.
type Callers struct {
	Users []string `json:"users,omitempty" maxItems:"50" doc:"User ids, also of service accounts."`
	Roles []string `json:"roles,omitempty" maxItems:"50" doc:"Roles of the token."`
}

const minValidity = time.Minute

// UntilCEL returns the expression of the end of an approval; empty without one.
func (s Settings) UntilCEL() string {
	if s.Validity == nil {
		return ""
	}
	return s.Validity.UntilCEL
}

// ValidUntil returns the end of an approval given at a time: the earlier of valid_for and until, the value of
// until_cel. The zero time is never.
func (s Settings) ValidUntil(approved, until time.Time) (time.Time, error) {
	if s.Validity == nil || s.Validity.ValidFor == "" {
		return until, nil
	}
	length, err := s.Validity.ValidFor.Parse()
	if err != nil {
		return time.Time{}, err
	}
	if end := approved.Add(length); until.IsZero() || end.Before(until) {
		return end, nil
	}
	return until, nil
}

// Includes reports whether the caller is one of them; none is without callers.
func (c *Callers) Includes(by identity.Actor) bool {
	return c != nil && (slices.Contains(c.Users, by.ID) ||
		slices.ContainsFunc(c.Roles, func(role string) bool { return slices.Contains(by.TokenRoles, role) }))
}

// Equal reports whether both are the same callers in the same order, or both absent.
func (c *Callers) Equal(other *Callers) bool {
	if c == nil || other == nil {
		return c == other
	}
	return slices.Equal(c.Users, other.Users) && slices.Equal(c.Roles, other.Roles)
}

// TokenRoles returns the roles of tokens that the settings name.
func (s Settings) TokenRoles() (roles []string) {
	for _, c := range []*Callers{s.Consumers, s.Owners} {
		if c != nil {
			roles = append(roles, c.Roles...)
		}
	}
	return roles
}

func (s Settings) validateStanding(v *validation) {
	if s.Validity != nil {
		s.Validity.validate(v)
	}
	v.refuse(s.Consumers != nil && !s.SingleUse, "/settings/consumers", "requires single_use")
	s.Consumers.validate(v, "/settings/consumers", "the requester and the submitter")
	s.Owners.validate(v, "/settings/owners", "WF_ADMIN alone")
}

// validate checks callers. permitted names those without this member.
func (c *Callers) validate(v *validation, pointer, permitted string) {
	if c == nil {
		return
	}
	v.refuse(len(c.Users)+len(c.Roles) == 0, pointer, "must name a user or a role; omit it to permit %s", permitted)
	for i, id := range c.Users {
		if err := identity.CheckUserID(id); err != nil {
			v.add(elementPointer(pointer+"/users", i), "%s", err)
		}
	}
	for i, role := range c.Roles {
		v.name(elementPointer(pointer+"/roles", i), role, maxName)
	}
}

func (y Validity) validate(v *validation) {
	v.refuse(y.ValidFor == "" && y.UntilCEL == "", "/settings/validity", "must contain valid_for or until_cel")
	v.overContent("/settings/validity/until_cel", y.UntilCEL, YieldsTime)
	if y.ValidFor != "" {
		length, err := y.ValidFor.Parse()
		switch {
		case err != nil:
			v.add("/settings/validity/valid_for", "%s", err)
		case length < minValidity:
			v.add("/settings/validity/valid_for", "must be at least one minute")
		}
	}
}
