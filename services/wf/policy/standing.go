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

// Consumers are the callers permitted to consume an approval, by the user id and the roles of their token.
type Consumers struct {
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

// IsConsumer reports whether settings.consumers names the caller.
func (s Settings) IsConsumer(by identity.Actor) bool {
	return s.Consumers != nil && (slices.Contains(s.Consumers.Users, by.ID) ||
		slices.ContainsFunc(s.Consumers.Roles, func(role string) bool { return slices.Contains(by.TokenRoles, role) }))
}

// TokenRoles returns the roles of tokens that the settings name.
func (s Settings) TokenRoles() []string {
	if s.Consumers == nil {
		return nil
	}
	return s.Consumers.Roles
}

func (s Settings) validateStanding(v *validation) {
	if s.Validity != nil {
		s.Validity.validate(v)
	}
	if s.Consumers == nil {
		return
	}
	v.refuse(!s.SingleUse, "/settings/consumers", "requires single_use")
	v.refuse(len(s.Consumers.Users)+len(s.Consumers.Roles) == 0, "/settings/consumers",
		"must name a user or a role; omit it to permit the requester and the submitter")
	for i, id := range s.Consumers.Users {
		if err := identity.CheckUserID(id); err != nil {
			v.add(elementPointer("/settings/consumers/users", i), "%s", err)
		}
	}
	for i, role := range s.Consumers.Roles {
		v.name(elementPointer("/settings/consumers/roles", i), role, maxName)
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
