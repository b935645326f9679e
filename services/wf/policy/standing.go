package policy

import (
	"errors"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
)

// Validity limits the time in which an approval is in force. At least one member is set; with two ends, the
// earlier one applies. The expressions are evaluated at creation and at each resubmission.
type Validity struct {
	ValidFor    Duration `json:"valid_for,omitempty" minLength:"1" maxLength:"64" doc:"ISO 8601 duration from the later of the approval and from_cel, PT1M to ten years."`
	ValidForCEL string   `json:"valid_for_cel,omitempty" minLength:"1" maxLength:"4096" doc:"CEL that yields the duration instead of valid_for: a duration or an ISO 8601 text."`
	UntilCEL    string   `json:"until_cel,omitempty" minLength:"1" maxLength:"4096" doc:"CEL that yields the end, a timestamp in the future and after from_cel."`
	FromCEL     string   `json:"from_cel,omitempty" minLength:"1" maxLength:"4096" doc:"CEL that yields the start, a timestamp. The approval is pending until then."`
}

// Callers are callers with a right, by the user id and the roles of their token.
type Callers struct {
	Users []string `json:"users,omitempty" maxItems:"50" doc:"User ids, also of service accounts."`
	Roles []string `json:"roles,omitempty" maxItems:"50" doc:"Roles of the token."`
}

const minValidity = time.Minute

// ValidityOrZero returns the validity, or the zero value without one.
func (s Settings) ValidityOrZero() Validity {
	if s.Validity == nil {
		return Validity{}
	}
	return *s.Validity
}

// CheckValidFor rejects a duration of a validity that is out of bounds.
func CheckValidFor(d Duration) error {
	length, err := d.Parse()
	if err == nil && length < minValidity {
		return errors.New("must be at least one minute")
	}
	return err
}

// EarliestEnd returns the earlier of until and the end of a validity of a length from a start. An empty length and a
// zero until set no end. The zero time is never.
func EarliestEnd(start time.Time, length Duration, until time.Time) time.Time {
	if valid, err := length.Parse(); err == nil {
		if end := start.Add(valid); until.IsZero() || end.Before(until) {
			return end
		}
	}
	return until
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
	v.refuse(y == Validity{}, "/settings/validity", "must contain valid_for, valid_for_cel, until_cel or from_cel")
	v.refuse(y.ValidFor != "" && y.ValidForCEL != "", "/settings/validity/valid_for_cel", "excludes valid_for")
	v.overContent("/settings/validity/valid_for_cel", y.ValidForCEL, YieldsDuration)
	v.overContent("/settings/validity/until_cel", y.UntilCEL, YieldsTime)
	v.overContent("/settings/validity/from_cel", y.FromCEL, YieldsTime)
	if y.ValidFor != "" {
		if err := CheckValidFor(y.ValidFor); err != nil {
			v.add("/settings/validity/valid_for", "%s", err)
		}
	}
}
