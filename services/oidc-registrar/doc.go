// Package registrar is the domain of client registration. It covers OpenID Connect clients, their
// keys and redirect URIs, and the catalogue of partners and policies that grants claims and ACRs.
// It does no I/O and reads no clock: every input of a rule is an argument.
//
// Two interfaces create a [Registration]. [Rules.Provider] checks a request of the identity
// provider's client management, which names the claims and ACRs. [Rules.Partner] checks a request
// of partner management; [Registration.Authorise] adds the claims and ACRs of the partner's policy.
// After that there is no difference: [Registration.Client] is the client to be stored, PENDING
// until the identity provider confirms it.
//
// Start with client.go, then registration.go and rules.go. Refusals are listed in error.go.
package registrar
