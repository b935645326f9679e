package wf

import (
	"slices"
	"strings"
)

// Role is what a token may do in general. What a person may do with one request
// follows from the request, not from a role.
type Role string

// The two roles. RoleAdmin includes RoleViewer. Neither makes anyone an approver.
const (
	RoleViewer Role = "WF_VIEWER"
	RoleAdmin  Role = "WF_ADMIN"
)

// User is a person. ID is immutable and the only member that is ever compared;
// the others are for display.
type User struct {
	ID       string `json:"id" minLength:"1" maxLength:"255" doc:"Immutable user id: the token claim named by WF_USER_CLAIM."`
	Username string `json:"username,omitempty" doc:"Username in the directory, if it is known."`
	Name     string `json:"name,omitempty" doc:"Name for people, if it is known."`
	Email    string `json:"email,omitempty" doc:"Email address, if it is known."`
}

// maxShown is how many bytes a member for display has.
const maxShown = 255

// Shown leaves out members for display that cannot be stored or shown as they are: what
// somebody is called must not turn, end or fill the line that it stands in.
func (u User) Shown() User {
	for _, text := range []*string{&u.Username, &u.Name, &u.Email} {
		if len(*text) > maxShown || CheckLabel(*text) != nil {
			*text = ""
		}
	}
	return u
}

// Auth says how strongly and how recently an actor proved who they are.
type Auth struct {
	ACR      string   `json:"acr,omitempty" doc:"Authentication context class: the acr claim of the token."`
	AMR      []string `json:"amr,omitempty" doc:"Authentication methods: the amr claim of the token."`
	AuthTime Stamp    `json:"auth_time,omitzero" doc:"When the person authenticated: the auth_time claim of the token."`
}

// ActorKind tells people from programs.
type ActorKind string

// The kinds of actor. A reader of the audit trail must see at once when no human
// decided.
const (
	ActorUser    ActorKind = "user"
	ActorService ActorKind = "service"
	ActorSystem  ActorKind = "system"
)

// Actor is who acts: the caller of an operation, or the service itself.
type Actor struct {
	User
	Kind   ActorKind
	Issuer string // with ID, the principal that an Idempotency-Key belongs to
	Client string // the OAuth client of the token
	Roles  []Role
	Auth   Auth

	// Unverified is the address of a token with email_verified: false. It is not used, and
	// not stored any more.
	Unverified string

	// Of the call that the actor makes; events carry them.
	CallID      string
	Traceparent string // empty when the call belongs to no trace
}

// The service's own actors.
var (
	SystemPolicy    = system("policy")    // auto_approve_when, auto_reject_when, on_no_stages
	SystemRepeat    = system("repeat")    // decides the task of somebody who approved before
	SystemExpiry    = system("expiry")    // expires requests and ends delegations
	SystemDirectory = system("directory") // starts stages that waited for the directory, and replaces who left it
	SystemDelivery  = system("delivery")  // disables webhook endpoints
	SystemRetention = system("retention") // deletes what is old enough
)

func system(name string) Actor {
	return Actor{Kind: ActorSystem, User: User{ID: "system:" + name}}
}

// Has reports whether the actor has the role; RoleAdmin includes RoleViewer.
func (a Actor) Has(r Role) bool {
	return slices.Contains(a.Roles, r) || r == RoleViewer && slices.Contains(a.Roles, RoleAdmin)
}

// Ref is the actor as audit events and webhooks show it.
func (a Actor) Ref() ActorRef {
	return ActorRef{Kind: a.Kind, ID: a.ID, Username: a.Username}
}

// ActorRef names an actor.
type ActorRef struct {
	Kind     ActorKind `json:"kind" enum:"user,service,system" doc:"A person, a service account, or this service itself."`
	ID       string    `json:"id" doc:"User id, or the name of the part of this service."`
	Username string    `json:"username,omitempty" doc:"Username, if it is known."`
}

// User is the person, or the service account, behind the actor.
func (r ActorRef) User() User { return User{ID: r.ID, Username: r.Username} }

// IsSystemID reports whether id belongs to the service itself. No person may have
// such an id, or a token could speak as the service.
func IsSystemID(id string) bool { return strings.HasPrefix(id, "system:") }
