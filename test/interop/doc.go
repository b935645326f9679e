// Package interop tries the real programs against real peers: Keycloak as issuer of
// tokens, as directory, and as provider of the clients that the registrar registers, and
// an OpenID provider in Go. A relying party signs people in there as browsers do.
//
// make interop runs all of it, and ends with a table of what was asked of whom. Without
// COUNTERSIGN_INTEROP=1 what needs no download is asked. KEYCLOAK_URL names a Keycloak that
// runs; deploy/keycloak/keycloak.sh starts one.
package interop
