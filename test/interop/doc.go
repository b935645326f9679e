// Package interop tries the real programs against real peers: Keycloak as issuer of
// tokens, as directory, as provider of the clients that the registrar registers, and as
// the place where people sign in; and eSignet where there is one. A relying party signs
// people in as browsers do.
//
// make interop runs it, and ends with a table of what was asked of whom. Without
// COUNTERSIGN_INTEROP=1 it is skipped: the resolver of wf then asks the double of
// libs/keycloaktest, and the connector of oidc-registrar a provider in Go. KEYCLOAK_URL
// names a Keycloak that runs; deploy/keycloak/keycloak.sh starts one.
package interop
