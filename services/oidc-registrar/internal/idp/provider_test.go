package idp_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

func TestARealProviderServesTheClient(t *testing.T) {
	server := registrartest.NewOpenID(t)
	rp, key := registrartest.NewRelyingParty(t, server, "k1")
	raw, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	public, _, err := registrar.DefaultRules().ParseKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	c := client()
	c.ID, c.Key = public.Thumbprint, public
	connector, err := idp.NewRFC7591(idp.Options{
		URL: server.URL + "/register", TokenURL: server.URL + "/client-credentials", ClientID: "registrar", ClientSecret: clientSecret, Egress: loopback,
		MetadataURL: server.URL + "/.well-known/openid-configuration",
	})
	if err != nil {
		t.Fatal(err)
	}

	record, err := connector.Register(t.Context(), c, registrar.PriorNone)
	if err != nil {
		t.Fatal(err)
	}
	if got := rp.SignIn(t, record.ClientID, "https://rp.example/cb"); got != 200 {
		t.Errorf("after the registration the token endpoint answers %d", got)
	}

	old := record
	c.RedirectURIs, c.Status = []string{"https://rp.example/new"}, registrar.ClientActive
	if record, err = connector.Update(t.Context(), c, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	if record.AccessToken == old.AccessToken {
		t.Error("the provider rotates registration tokens, but the record is the old one")
	}
	if got := rp.SignIn(t, record.ClientID, "https://rp.example/new"); got != 200 {
		t.Errorf("after the update the token endpoint answers %d", got)
	}

	c.Status = registrar.ClientInactive
	if record, err = connector.Update(t.Context(), c, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	if got := rp.SignIn(t, record.ClientID, "https://rp.example/new"); got != 401 {
		t.Errorf("an inactive client is answered %d by the token endpoint", got)
	}

	c.Status = registrar.ClientActive
	if record, err = connector.Update(t.Context(), c, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	if got := rp.SignIn(t, record.ClientID, "https://rp.example/new"); got != 200 {
		t.Errorf("once active again the client is answered %d by the token endpoint", got)
	}

	c.GrantTypes = []string{"urn:openid:params:grant-type:ciba"}
	if _, err := connector.Update(t.Context(), c, record, registrar.PriorNone); !errors.Is(err,
		registrar.ProviderRefused) || !strings.Contains(err.Error(), "invalid_client_metadata") {
		t.Errorf("a grant type that the provider does not have: %v", err)
	}
	if _, err := connector.Update(t.Context(), c, old, registrar.PriorNone); err == nil {
		t.Error("a registration token that was replaced still works")
	}
}

// An answer that a value is too long is a refusal at the first try; other failures are retried.
func TestAValueThatIsTooLongIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   wants
	}{
		"PostgreSQL":    {500, `{"error":"value too long for type character varying(600)"}`, wants{reason: registrar.ProviderRefused, calls: 1}},
		"MySQL":         {500, `Data truncation: Data too long for column 'NAME' at row 1`, wants{reason: registrar.ProviderRefused, calls: 1}},
		"4xx":           {400, `<html>Value exceeds maximum length</html>`, wants{reason: registrar.ProviderRefused, calls: 1}},
		"another error": {500, `{"error":"no connection"}`, wants{reason: registrar.ProviderUnreachable, calls: 3}},
	} {
		for _, kind := range []string{"esignet-1.8", "rfc7591"} {
			p := start(t, reply(tt.status, tt.body))
			_, err := p.connector(t, kind).Register(t.Context(), client(), registrar.PriorNone)
			tt.want.check(t, p, err)
			if t.Failed() {
				t.Fatal(name, kind)
			}
		}
	}
	p := start(t, reply(200, `{"errors":[{"errorCode":"unknown_error","errorMessage":"ERROR: value too long for type character varying(2048)"}]}`))
	_, err := p.connector(t, "esignet-1.0").Register(t.Context(), client(), registrar.PriorNone)
	wants{reason: registrar.ProviderRefused, calls: 1}.check(t, p, err)
}
