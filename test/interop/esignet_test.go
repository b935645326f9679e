package interop

import (
	"cmp"
	"os"
	"testing"
)

// noESignet is the reason for the missing eSignet in make check SUITE=interop. Its releases on Maven Central
// (1.7.0 the last) are libraries: esignet-core, the services and the interfaces for plugins. The
// program, which has main and the controllers of /client-mgmt, is the module esignet-service,
// published as an image only.
const noESignet = "Maven Central has the libraries of eSignet, and not its program io.mosip.esignet:esignet-service; ESIGNET_URL names one that runs"

func TestESignetTakesRegisteredClients(t *testing.T) {
	ask(t, "eSignet", "client management: register, change, deactivate")
	if !isEnabled() {
		t.Skip("make check SUITE=interop runs this")
	}
	address := os.Getenv("ESIGNET_URL")
	if address == "" {
		unavailable(t, noESignet)
	}
	s, root := developRegistrar(t, "IDP=esignet-"+cmp.Or(os.Getenv("ESIGNET_RELEASE"), "1.8"), "IDP_URL="+address,
		"IDP_TOKEN_URL="+os.Getenv("ESIGNET_TOKEN_URL"),
		"IDP_CLIENT_ID="+os.Getenv("ESIGNET_CLIENT_ID"), "IDP_CLIENT_SECRET="+os.Getenv("ESIGNET_CLIENT_SECRET"),
		"IDP_SCOPE="+cmp.Or(os.Getenv("ESIGNET_SCOPE"), "add_oidc_client update_oidc_client"))
	for _, d := range apis {
		rp := newRelyingParty(t)
		var made struct{ ClientID, Status string }
		s.call(root, "POST", d.path, d.register(rp)).Is(200).Decode(&made)
		if made.Status != "ACTIVE" {
			t.Errorf("%s: the registration: %+v", d.name, made)
		}
		for _, status := range []string{"ACTIVE", "INACTIVE"} {
			s.call(root, "PUT", d.path+"/"+made.ClientID, d.update(rp, status)).Is(200).Decode(&made)
			if made.Status != status {
				t.Errorf("%s: the change to %s: %+v", d.name, status, made)
			}
		}
	}
}
