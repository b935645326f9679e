// Package interop tests the programs with Keycloak as token issuer, directory, sign-in and identity
// provider, and with eSignet if there is one. A relying party signs users in as a browser does.
//
// make check SUITE=interop runs it and prints a table of the tested features. It is skipped without
// COUNTERSIGN_INTEROP=1. KEYCLOAK_URL is a running Keycloak; deploy/keycloak/keycloak.sh starts one.
package interop
