// Package registrar is the domain of client registration: OpenID Connect clients, the
// keys and redirect URIs that they may have, and the catalogue of partners and policies
// that says what a client may ask for. It does no I/O and reads no clock; everything
// that a rule needs is an argument.
//
// Two front doors lead to one [Registration]. [Rules.Provider] takes the request
// of the identity provider's client management, where the caller says what the
// client may read. [Rules.Partner] takes the request of partner management,
// where the partner's policy says it: [Registration.Authorise] fills that in. From
// there on the doors are one: [Registration.Client] is the client to be stored,
// pending until the identity provider knows it.
//
// Start with client.go, then registration.go and rules.go. Refusals are listed
// in error.go.
package registrar
