package idp

import (
	"fmt"
	"strings"
)

// profiles has a row for each kind of provider: a protocol with the properties of one product.
var profiles = []struct {
	name string
	new  func(Options) (Connector, error)
}{
	{"local", func(Options) (Connector, error) { return Local{}, nil }},
	{"esignet-1.0", eSignet("oidc-client", false)},
	{"esignet-1.4", eSignet("oauth-client", false)},
	{"esignet-1.6", eSignet("client", false)},
	{"esignet-1.8", eSignet("client", true)},
	{"esignet-2.0", func(o Options) (Connector, error) { return NewESignet2(o) }},
	{"keycloak", func(o Options) (Connector, error) { return NewKeycloak(o) }},
	{"rfc7591", func(o Options) (Connector, error) { return NewRFC7591(o) }},
}

// eSignet returns the constructor for an eSignet until 1.8 with its newest interface of client
// management. patch reports that the interface has PATCH.
func eSignet(path string, patch bool) func(Options) (Connector, error) {
	return func(o Options) (Connector, error) {
		o.ClientPath, o.ClientPatch = path, patch
		return NewESignet(o)
	}
}

// Profiles lists the names of the profiles.
var Profiles = func() (names []string) {
	for _, p := range profiles {
		names = append(names, p.name)
	}
	return names
}()

// New returns the connector of a profile.
func New(profile string, o Options) (Connector, error) {
	for _, p := range profiles {
		if p.name == profile {
			return p.new(o)
		}
	}
	return nil, fmt.Errorf("identity provider %q is not one of %s", profile, strings.Join(Profiles, ", "))
}
