// Package identity contains users, actors, their roles and authentication, and wire times.
package identity

import (
	"slices"
	"strings"
)

// Role is a general permission of a token. Permissions on one request follow from the request.
type Role string

// The two roles. RoleAdmin includes RoleViewer. Neither selects approvers.
const (
	RoleViewer Role = "WF_VIEWER"
	RoleAdmin  Role = "WF_ADMIN"
)

// Values returns every value.
func (Role) Values() []Role {
	return []Role{RoleViewer, RoleAdmin}
}

// User is a person. ID is immutable, and comparisons use it only; the other members are for display.
type User struct {
	ID       string `json:"id" minLength:"1" maxLength:"255" doc:"Immutable user id: the token claim selected by WF_USER_CLAIM."`
	Username string `json:"username,omitempty" doc:"Username in the directory, if available."`
	Name     string `json:"name,omitempty" doc:"Display name, if available."`
	Email    string `json:"email,omitempty" doc:"Email address, if available."`
}

// maxShown is the maximum size of a member for display, in bytes.
const maxShown = 255

// Sanitize removes members for display with control characters, line breaks, overrides of text direction or
// too many bytes.
func (u User) Sanitize() User {
	for _, text := range []*string{&u.Username, &u.Name, &u.Email} {
		if len(*text) > maxShown || CheckLabel(*text) != nil {
			*text = ""
		}
	}
	return u
}

// Auth is the strength and the time of an actor's authentication.
type Auth struct {
	ACR      string   `json:"acr,omitempty" doc:"Authentication context class: the acr claim of the token."`
	AMR      []string `json:"amr,omitempty" doc:"Authentication methods: the amr claim of the token."`
	AuthTime Stamp    `json:"auth_time,omitzero" doc:"Time of authentication: the auth_time claim of the token."`
}

// ActorKind distinguishes people and programs.
type ActorKind string

// The kinds of actor. The audit trail shows decisions without a person.
const (
	ActorUser    ActorKind = "user"
	ActorService ActorKind = "service"
	ActorSystem  ActorKind = "system"
)

// Values returns every value.
func (ActorKind) Values() []ActorKind {
	return []ActorKind{ActorUser, ActorService, ActorSystem}
}

// Actor is the caller of an operation, or the service itself.
type Actor struct {
	User
	Kind   ActorKind
	Issuer string  // with ID, the principal of an Idempotency-Key
	Client string  // the OAuth client of the token
	Acting []Party // act for the actor; see IsRepresented
	Roles  []Role
	Auth   Auth

	// TokenRoles are all roles of the token, for rules of policies that name roles of callers.
	TokenRoles []string

	// Approves is set for a service account that the configuration permits to claim and decide.
	Approves bool

	// Owner is set if the caller is an owner of the policy of the request at hand.
	Owner bool

	// Unverified is the address of a token with email_verified: false. It is not used, and a stored equal
	// address is removed.
	Unverified string

	// The call of the actor, for events.
	CallID      string
	Traceparent string // empty without a trace
}

// Party is a party that acts for the subject of a token.
type Party struct {
	Subject string `json:"sub" doc:"Subject of the party."`
	Issuer  string `json:"iss,omitempty" doc:"Issuer of the subject; absent if the token does not name it."`
}

// IsRepresented reports whether another party acts for the actor: a program with a delegated token is not the
// person.
func (a Actor) IsRepresented() bool { return len(a.Acting) > 0 }

// Submitter is the caller that created a request.
type Submitter struct {
	User
	Acting []Party `json:"acting,omitempty" doc:"Parties that acted for the caller, the current one first: the act claim of the token (RFC 8693, section 4.1)."`
}

// The service's own actors.
var (
	SystemPolicy    = system("policy")    // auto_approve_when, auto_reject_when, on_no_stages
	SystemRepeat    = system("repeat")    // decides tasks of approvers of earlier stages
	SystemExpiry    = system("expiry")    // expires requests and ends delegations
	SystemDeadline  = system("deadline")  // reminders, due dates and escalation of stages
	SystemDirectory = system("directory") // retries stages and replaces users absent from the directory
	SystemDelivery  = system("delivery")  // disables webhook endpoints
	SystemRetention = system("retention") // deletes objects after their retention period

	SystemCheckpoint = system("checkpoint") // records the ends of the chains of requests
)

func system(name string) Actor {
	return Actor{Kind: ActorSystem, User: User{ID: "system:" + name}}
}

// Has reports whether the actor has the role; RoleAdmin includes RoleViewer.
func (a Actor) Has(r Role) bool {
	return slices.Contains(a.Roles, r) || r == RoleViewer && slices.Contains(a.Roles, RoleAdmin)
}

// Manages reports whether the actor has the rights of an admin on the request at hand.
func (a Actor) Manages() bool { return a.Owner || a.Has(RoleAdmin) }

// Ref returns the actor for audit events and webhooks.
func (a Actor) Ref() ActorRef {
	return ActorRef{Kind: a.Kind, ID: a.ID, Username: a.Username}
}

// ActorRef identifies an actor.
type ActorRef struct {
	Kind     ActorKind `json:"kind" doc:"person, service account, or the service itself."`
	ID       string    `json:"id" doc:"User id, or the name of a component of the service."`
	Username string    `json:"username,omitempty" doc:"Username, if available."`
	Name     string    `json:"name,omitempty" doc:"Display name, if available."`
}

// User returns the person or the service account of the actor.
func (r ActorRef) User() User { return User{ID: r.ID, Username: r.Username, Name: r.Name} }

// IsSystemID reports whether id is reserved for the service. Users must not have such an id, because their
// tokens could act as the service.
func IsSystemID(id string) bool { return strings.HasPrefix(id, "system:") }
