package registrar_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func providerRequest() *registrar.Request {
	return &registrar.Request{
		ClientID: "client-1", Name: "Health portal", PublicKey: []byte(ecJWK(p256Key()).json()), PartnerID: "rp-1",
		UserClaims: []string{"name", "email"}, ACRs: []string{"mosip:idp:acr:generated-code"}, LogoURI: "https://rp.example/logo.png",
		RedirectURIs: []string{"https://rp.example/cb"}, GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"},
	}
}

func partnerRequest() *registrar.Request {
	return &registrar.Request{
		Name: "Health portal", PolicyID: "policy-1", PublicKey: []byte(ecJWK(p256Key()).json()), PartnerID: "partner-1",
		LogoURI: "https://rp.example/logo.png", RedirectURIs: []string{"https://rp.example/cb"},
		GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"},
	}
}

// times returns n different elements.
func times(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("https://rp.example/%d", i)
	}
	return list
}

// problems renders a refusal as "field reason" lines.
func problems(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		t.Fatalf("%v is not a refusal", err)
	}
	var lines []string
	for _, p := range refused.List() {
		if p.Message == "" {
			t.Errorf("%s has no message", p.Where)
		}
		lines = append(lines, registrar.FieldPath(p.Where)+" "+string(p.Reason.General()))
	}
	return lines
}

func TestProviderInterfaceFields(t *testing.T) {
	type in = registrar.Request
	tests := map[string]struct {
		edit func(*in)
		want string // "field reason", or nothing
	}{
		"a full request":                         {func(*in) {}, ""},
		"no user claims at all":                  {func(r *in) { r.UserClaims = []string{} }, ""},
		"a name in another script":               {func(r *in) { r.Name = "स्वास्थ्य पोर्टल" }, ""},
		"a name with markup, escaped by readers": {func(r *in) { r.Name = "<script>" }, ""},
		"a name of 256 characters":               {func(r *in) { r.Name = strings.Repeat("é", 256) }, ""},
		"an id of 100 characters":                {func(r *in) { r.ClientID = strings.Repeat("c", 100) }, ""},
		"an id that is a URL":                    {func(r *in) { r.ClientID = "https://rp.example/a.b" }, "clientId invalid_client_id"},
		"an id with a backslash":                 {func(r *in) { r.ClientID = `a\b` }, "clientId invalid_client_id"},
		"five redirect URIs":                     {func(r *in) { r.RedirectURIs = times(5) }, ""},
		"no client id":                           {func(r *in) { r.ClientID = "" }, "clientId invalid_client_id"},
		"an id of 101 characters":                {func(r *in) { r.ClientID = strings.Repeat("c", 101) }, "clientId invalid_client_id"},
		"an id with a space":                     {func(r *in) { r.ClientID = "a b" }, "clientId invalid_client_id"},
		"an id that climbs":                      {func(r *in) { r.ClientID = "../x" }, "clientId invalid_client_id"},
		"an id that is a dot":                    {func(r *in) { r.ClientID = "." }, "clientId invalid_client_id"},
		"an id of the first and the last visible ASCII character": {
			func(r *in) { r.ClientID = "!~" }, "",
		},
		"an id with the first visible character after ASCII": {
			func(r *in) { r.ClientID = "a\u00a1" }, "clientId invalid_client_id",
		},
		"an id with DEL":               {func(r *in) { r.ClientID = "a\x7f" }, "clientId invalid_client_id"},
		"a name with a line separator": {func(r *in) { r.Name = "a\u2028b" }, "clientName invalid_client_name"},
		"a name with a paragraph separator": {
			func(r *in) { r.Name = "a\u2029b" }, "clientName invalid_client_name",
		},
		"an id with NUL":                    {func(r *in) { r.ClientID = "a\x00" }, "clientId invalid_client_id"},
		"an id similar to another":          {func(r *in) { r.ClientID = "client-\u0406" }, "clientId invalid_client_id"},
		"no name":                           {func(r *in) { r.Name = "" }, "clientName invalid_client_name"},
		"a blank name":                      {func(r *in) { r.Name = " \u00a0" }, "clientName invalid_client_name"},
		"an invisible name":                 {func(r *in) { r.Name = "\u200b\u200d\ufeff\u3164\u2800\ufe0f" }, "clientName invalid_client_name"},
		"a name of 257 characters":          {func(r *in) { r.Name = strings.Repeat("é", 257) }, "clientName invalid_client_name"},
		"a name that turns the text around": {func(r *in) { r.Name = "gro.\u202eelpmaxe" }, "clientName invalid_client_name"},
		"a name with a line break":          {func(r *in) { r.Name = "a\nb" }, "clientName invalid_client_name"},
		"a name that is no UTF-8":           {func(r *in) { r.Name = "a\xff" }, "clientName invalid_client_name"},
		"no key":                            {func(r *in) { r.PublicKey = nil }, "publicKey missing_key"},
		"a bad key":                         {func(r *in) { r.PublicKey = []byte(`{"kty":"x"}`) }, "publicKey invalid_key"},
		"a secret key":                      {func(r *in) { r.PublicKey = []byte(`{"kty":"oct"}`) }, "publicKey private_key"},
		"no relying party":                  {func(r *in) { r.PartnerID = "" }, "relyingPartyId invalid_partner_id"},
		"a relying party with a space":      {func(r *in) { r.PartnerID = "r p" }, "relyingPartyId invalid_partner_id"},
		"no list of claims":                 {func(r *in) { r.UserClaims = nil }, "userClaims invalid_claim"},
		"31 claims":                         {func(r *in) { r.UserClaims = times(31) }, "userClaims invalid_claim"},
		"a claim that is not supported":     {func(r *in) { r.UserClaims = []string{"name", "*"} }, "userClaims[1] invalid_claim"},
		"a claim in another case":           {func(r *in) { r.UserClaims = []string{"Name"} }, "userClaims[0] invalid_claim"},
		"a claim twice":                     {func(r *in) { r.UserClaims = []string{"name", "name"} }, "userClaims[1] invalid_claim"},
		"a null claim":                      {func(r *in) { r.UserClaims = []string{""} }, "userClaims[0] invalid_claim"},
		"no acr":                            {func(r *in) { r.ACRs = []string{} }, "authContextRefs invalid_acr"},
		"no list of acrs":                   {func(r *in) { r.ACRs = nil }, "authContextRefs invalid_acr"},
		"an acr that is not supported":      {func(r *in) { r.ACRs = []string{"loa3"} }, "authContextRefs[0] invalid_acr"},
		"no logo":                           {func(r *in) { r.LogoURI = "" }, "logoUri invalid_logo_uri"},
		"a script as a logo":                {func(r *in) { r.LogoURI = "javascript:alert(1)" }, "logoUri invalid_logo_uri"},
		"no list of redirect URIs":          {func(r *in) { r.RedirectURIs = nil }, "redirectUris wrong_redirect_count"},
		"no redirect URI":                   {func(r *in) { r.RedirectURIs = []string{} }, "redirectUris wrong_redirect_count"},
		"six redirect URIs":                 {func(r *in) { r.RedirectURIs = times(6) }, "redirectUris wrong_redirect_count"},
		"a blank redirect URI":              {func(r *in) { r.RedirectURIs = []string{" "} }, "redirectUris[0] invalid_redirect_uri"},
		"a bad redirect URI":                {func(r *in) { r.RedirectURIs = append(times(1), "javascript:x") }, "redirectUris[1] invalid_redirect_uri"},
		"a redirect URI in two spellings": {func(r *in) { r.RedirectURIs = []string{"https://rp.example", "HTTPS://RP.example:443/"} },
			"redirectUris[1] invalid_redirect_uri"},
		"a redirect URI with the default port of http": {
			func(r *in) {
				r.RedirectURIs = []string{"http://localhost/cb", "https://rp.example/cb", "http://LOCALHOST:80/cb"}
			},
			"redirectUris[2] invalid_redirect_uri",
		},
		"redirect URIs that differ in scheme or port": {
			func(r *in) {
				r.RedirectURIs = []string{
					"https://localhost/cb", "http://localhost/cb", "https://localhost:80/cb", "http://localhost:443/cb", "com.example:/cb",
				}
			},
			"",
		},
		"redirect URIs that differ in path or query": {
			func(r *in) {
				r.RedirectURIs = []string{"https://rp.example/cb", "https://rp.example/CB", "https://rp.example/cb?a=1"}
			},
			"",
		},
		"no grant type":            {func(r *in) { r.GrantTypes = []string{} }, "grantTypes wrong_grant_count"},
		"implicit":                 {func(r *in) { r.GrantTypes = []string{"implicit"} }, "grantTypes[0] invalid_grant_type"},
		"password":                 {func(r *in) { r.GrantTypes = []string{"password"} }, "grantTypes[0] invalid_grant_type"},
		"a grant type in capitals": {func(r *in) { r.GrantTypes = []string{"AUTHORIZATION_CODE"} }, "grantTypes[0] invalid_grant_type"},
		"no authentication method": {func(r *in) { r.AuthMethods = nil }, "clientAuthMethods wrong_auth_count"},
		"an unsupported method":    {func(r *in) { r.AuthMethods = []string{"none"} }, "clientAuthMethods[0] invalid_auth_method"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := providerRequest()
			tt.edit(in)
			reg, err := registrar.DefaultRules().Register(registrar.ProviderInterface, in)
			got := strings.Join(problems(t, err), ", ")
			if got != tt.want {
				t.Fatalf("problems %q, want %q", got, tt.want)
			}
			if err == nil && (reg.API != registrar.ProviderAPI || reg.ID != in.ClientID || reg.Key.Thumbprint == "" || reg.PartnerID != "rp-1") {
				t.Errorf("registration %+v", reg)
			}
		})
	}
}

func TestProviderInterfaceReportsEveryFieldInDocumentOrder(t *testing.T) {
	_, err := registrar.DefaultRules().Register(registrar.ProviderInterface, &registrar.Request{RedirectURIs: []string{"x", "y"}})
	want := []string{
		"clientId invalid_client_id", "clientName invalid_client_name", "publicKey missing_key", "relyingPartyId invalid_partner_id",
		"userClaims invalid_claim", "authContextRefs invalid_acr", "logoUri invalid_logo_uri", "redirectUris[0] invalid_redirect_uri",
		"grantTypes wrong_grant_count", "clientAuthMethods wrong_auth_count",
	}
	if got := problems(t, err); !slices.Equal(got, want) {
		t.Errorf("problems\n%q, want\n%q", got, want)
	}
	if _, err := registrar.DefaultRules().Register(registrar.ProviderInterface, nil); !errors.Is(err, registrar.InvalidRequest) {
		t.Errorf("no request: %v", err)
	}
}

func TestPartnerInterfaceReportsFieldsBeforeKeyAndElementsLast(t *testing.T) {
	rules := registrar.DefaultRules()
	_, err := rules.Register(registrar.PartnerInterface, &registrar.Request{PublicKey: []byte(`{"kty":"oct"}`), GrantTypes: []string{"implicit"}})
	want := []string{
		"name invalid_client_name", "policyId invalid_policy_id", "authPartnerId invalid_partner_id", "logoUri invalid_logo_uri",
		"redirectUris wrong_redirect_count", "clientAuthMethods wrong_auth_count", "publicKey private_key",
	}
	if got := problems(t, err); !slices.Equal(got, want) {
		t.Errorf("problems\n%q, want\n%q", got, want)
	}
	_, err = rules.Register(registrar.PartnerInterface, &registrar.Request{Name: "a", PolicyID: strings.Repeat("p", 37)})
	want = []string{
		"policyId invalid_policy_id", "publicKey missing_key", "authPartnerId invalid_partner_id", "logoUri invalid_logo_uri",
		"redirectUris wrong_redirect_count", "grantTypes wrong_grant_count", "clientAuthMethods wrong_auth_count",
	}
	if got := problems(t, err); !slices.Equal(got, want) {
		t.Errorf("problems\n%q, want\n%q; a missing key is a field like others", got, want)
	}
	if _, err := rules.Register(registrar.PartnerInterface, nil); !errors.Is(err, registrar.InvalidRequest) {
		t.Errorf("no request: %v", err)
	}

	in := partnerRequest()
	in.RedirectURIs, in.GrantTypes, in.AuthMethods = []string{"http://rp.example/"}, []string{"implicit"}, []string{"tls_client_auth"}
	reg, err := rules.Register(registrar.PartnerInterface, in)
	if err != nil {
		t.Fatalf("elements are judged after the catalogue, not before: %v", err)
	}
	if reg.ID != reg.Key.Thumbprint || reg.API != registrar.PartnerAPI {
		t.Errorf("registration %+v", reg)
	}
	reg.UserClaims, reg.ACRs = []string{"name", "shoe_size"}, []string{"loa3"}
	want = []string{
		"policyId invalid_claim", "policyId invalid_acr", "redirectUris[0] invalid_redirect_uri",
		"grantTypes[0] invalid_grant_type", "clientAuthMethods[0] invalid_auth_method",
	}
	if got := problems(t, rules.Check(reg)); !slices.Equal(got, want) {
		t.Errorf("problems\n%q, want\n%q", got, want)
	}
}

func TestUpdatesAreCheckedLikeRegistrations(t *testing.T) {
	rules := registrar.DefaultRules()
	partner := &registrar.Request{Name: "Portal", LogoURI: "https://rp.example/l.png", RedirectURIs: []string{"https://rp.example/cb"},
		GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"}, Status: "Inactive"}
	u, err := rules.Update(registrar.PartnerInterface, partner)
	if err != nil || u.Status != registrar.ClientInactive || u.UserClaims != nil {
		t.Errorf("partner: %+v, %v; the case of the status does not matter", u, err)
	}
	_, err = rules.Update(registrar.PartnerInterface, &registrar.Request{RedirectURIs: []string{"x"}, Status: "PENDING"})
	want := []string{
		"clientName invalid_client_name", "logoUri invalid_logo_uri", "grantTypes wrong_grant_count",
		"clientAuthMethods wrong_auth_count", "status invalid_status", "redirectUris[0] invalid_redirect_uri",
	}
	if got := problems(t, err); !slices.Equal(got, want) {
		t.Errorf("problems\n%q, want\n%q", got, want)
	}

	provider := &registrar.Request{Name: "Portal", UserClaims: []string{"name"}, ACRs: rules.ACRs[:1], LogoURI: partner.LogoURI,
		RedirectURIs: partner.RedirectURIs, GrantTypes: partner.GrantTypes, AuthMethods: partner.AuthMethods, Status: "ACTIVE"}
	if u, err = rules.Update(registrar.ProviderInterface, provider); err != nil || u.Status != registrar.ClientActive {
		t.Errorf("provider: %+v, %v", u, err)
	}
	_, err = rules.Update(registrar.ProviderInterface, &registrar.Request{UserClaims: []string{}, Status: "active"})
	want = []string{
		"clientName invalid_client_name", "logoUri invalid_logo_uri", "redirectUris wrong_redirect_count", "userClaims invalid_claim",
		"authContextRefs invalid_acr", "grantTypes wrong_grant_count", "clientAuthMethods wrong_auth_count", "status invalid_status",
	}
	if got := problems(t, err); !slices.Equal(got, want) {
		t.Errorf("problems\n%q, want\n%q", got, want)
	}
	for _, err := range []error{second(rules.Update(registrar.PartnerInterface, nil)), second(rules.Update(registrar.ProviderInterface, nil))} {
		if !errors.Is(err, registrar.InvalidRequest) {
			t.Errorf("no request: %v", err)
		}
	}
}

// A client that was registered elsewhere may have values that a registration may not have.
func TestAnUpdateAcceptsTheCurrentValues(t *testing.T) {
	const a, same, bad, fine = "https://rp.example/a", "https://RP.example/a", "http://rp.example/", "https://rp.example/b"
	current := registrar.Client{
		Name: "a\u2028b", LogoURI: "http://rp.example/l.png", RedirectURIs: []string{a, same, bad}, Status: registrar.ClientActive,
		UserClaims: []string{"shoe_size"}, ACRs: []string{"loa3"}, GrantTypes: []string{"a", "b", "c", "d"}, AuthMethods: []string{"none", "none"},
	}
	rules := registrar.DefaultRules().WithCurrent(current)
	for name, tt := range map[string]struct {
		edit func(*registrar.Request)
		want string
	}{
		"all values":               {func(*registrar.Request) {}, ""},
		"the URIs in other order":  {func(u *registrar.Request) { u.RedirectURIs = []string{same, a, bad} }, "redirectUris[1]"},
		"one URI less":             {func(u *registrar.Request) { u.RedirectURIs = []string{a, same} }, "redirectUris[1]"},
		"one URI more":             {func(u *registrar.Request) { u.RedirectURIs = []string{a, bad, fine} }, ""},
		"a new bad URI":            {func(u *registrar.Request) { u.RedirectURIs = []string{a, bad + "x"} }, "redirectUris[1]"},
		"no URI":                   {func(u *registrar.Request) { u.RedirectURIs = nil }, "redirectUris"},
		"another bad name":         {func(u *registrar.Request) { u.Name += "\u2028" }, "clientName"},
		"another bad logo":         {func(u *registrar.Request) { u.LogoURI += "x" }, "logoUri"},
		"a claim more":             {func(u *registrar.Request) { u.UserClaims = []string{"shoe_size", "email"} }, ""},
		"a bad claim more":         {func(u *registrar.Request) { u.UserClaims = []string{"shoe_size", "x"} }, "userClaims[1]"},
		"a bad ACR":                {func(u *registrar.Request) { u.ACRs = []string{"loa4"} }, "authContextRefs[0]"},
		"more than a registration": {func(u *registrar.Request) { u.GrantTypes = []string{"d", "c", "b", "a"} }, ""},
		"more than the current":    {func(u *registrar.Request) { u.GrantTypes = []string{"a", "b", "c", "d", "e"} }, "grantTypes"},
		"a bad grant type":         {func(u *registrar.Request) { u.GrantTypes = []string{"password"} }, "grantTypes[0]"},
		"a bad method":             {func(u *registrar.Request) { u.AuthMethods = []string{"basic"} }, "clientAuthMethods[0]"},
	} {
		in := &registrar.Request{
			Name: current.Name, LogoURI: current.LogoURI, RedirectURIs: current.RedirectURIs, Status: "ACTIVE",
			UserClaims: current.UserClaims, ACRs: current.ACRs, GrantTypes: current.GrantTypes, AuthMethods: current.AuthMethods,
		}
		tt.edit(in)
		_, err := rules.Update(registrar.ProviderInterface, in)
		var fields []string
		for _, line := range problems(t, err) {
			field, _, _ := strings.Cut(line, " ")
			fields = append(fields, field)
		}
		if got := strings.Join(fields, " "); got != tt.want {
			t.Errorf("%s: problems with %q, want %q", name, got, tt.want)
		}
	}
}

func TestAnUpdateNeedsListsThatTheClientLacks(t *testing.T) {
	_, err := registrar.DefaultRules().WithCurrent(registrar.Client{}).Update(registrar.ProviderInterface, &registrar.Request{})
	if got := problems(t, err); !slices.Contains(got, "redirectUris wrong_redirect_count") {
		t.Errorf("problems %q, want one with redirectUris", got)
	}
}

func second[T any](_ T, err error) error { return err }

func TestTheOperatorsPatternIsForWholeIDs(t *testing.T) {
	rules, err := registrar.DefaultRules(), error(nil)
	if rules.IDPattern, err = registrar.CompileIDPattern(`[a-z]+|x[0-9]`); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{"abc": true, "x1": true, "abc1": false, "-abc": false, "x12": false} {
		in := providerRequest()
		in.ClientID = id
		if _, err := rules.Register(registrar.ProviderInterface, in); (err == nil) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := registrar.CompileIDPattern("("); err == nil {
		t.Error("a broken pattern compiles")
	}
}

func TestRequestTime(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	rules := registrar.DefaultRules()
	for text, want := range map[string]bool{
		"":                          true,
		"2026-03-01T12:00:00.000Z":  true,
		"2026-03-01T11:58:00Z":      true,
		"2026-03-01T17:31:59+05:30": true,
		"2026-03-01T12:02:00.001Z":  false,
		"2026-03-01T11:00:00Z":      false,
		"9999-12-31T23:59:59Z":      false,
		"2026-03-01T12:00:00":       false,
		"yesterday":                 false,
	} {
		if err := rules.CheckRequestTime(text, now); (err == nil) != want || err != nil && !errors.Is(err, registrar.InvalidRequest) {
			t.Errorf("%q: %v", text, err)
		}
	}
	rules.RequestTimeLeeway = 0
	if err := rules.CheckRequestTime("yesterday", now); err != nil {
		t.Errorf("not judged, but %v", err)
	}
}

func TestMessagesNameTheValueTheRuleAndTheRemedy(t *testing.T) {
	validEC := ecJWK(p256Key()).json()
	rules := registrar.DefaultRules()
	rules.Claims = []string{"name", "email"}
	if _, err := rules.Register(registrar.ProviderInterface, providerRequest()); err != nil {
		t.Fatal(err)
	}
	const host = "a host name has letters, digits, hyphens and dots"
	redirect := func(uri string) func(*registrar.Request) {
		return func(in *registrar.Request) { in.RedirectURIs = []string{uri} }
	}
	logo := func(uri string) func(*registrar.Request) {
		return func(in *registrar.Request) { in.LogoURI = uri }
	}
	key := func(jwk string) func(*registrar.Request) {
		return func(in *registrar.Request) { in.PublicKey = []byte(jwk) }
	}
	scheme := func(name string) string {
		return "has the scheme " + name + ", which is not accepted: use https, http on loopback, or a scheme in reverse-domain form such as com.example.app"
	}
	for _, tt := range []struct {
		change func(*registrar.Request)
		want   string
	}{
		{func(in *registrar.Request) { in.UserClaims = []string{"name", "nick\u202ename"} },
			`/userClaims/1: "nick\u202ename" is not supported; permitted: name, email`},
		{func(in *registrar.Request) { in.AuthMethods = []string{"none"} }, `/clientAuthMethods/0: "none" is not supported; permitted: private_key_jwt`},
		{func(in *registrar.Request) { in.GrantTypes = []string{strings.Repeat("x", 90)} }, `/grantTypes/0: "` +
			strings.Repeat("x", 80) + `…" is not supported; permitted: authorization_code`},
		{redirect("https://my_app.rp.example/cb"), `/redirectUris/0: "https://my_app.rp.example/cb" has the character '_' in its host: ` + host},
		{redirect("https://грант.рф/signin-oidc"),
			`/redirectUris/0: "https://грант.рф/signin-oidc" has the character 'г' in its host: write the host as xn--80af5akm.xn--p1ai`},
		{redirect("https://rp.example/é"),
			`/redirectUris/0: "https://rp.example/é" has the character 'é', which is not accepted in a URI: percent-encode it`},
		{redirect("https://rp.example/a b"),
			`/redirectUris/0: "https://rp.example/a b" has the character ' ', which is not accepted in a URI: percent-encode it`},
		{redirect("javascript:alert(1)"), `/redirectUris/0: "javascript:alert(1)" ` + scheme("javascript")},
		{redirect("myapp://cb"), `/redirectUris/0: "myapp://cb" ` + scheme("myapp")},
		{redirect("data:text/html,x#y"), `/redirectUris/0: "data:text/html,x#y" ` + scheme("data")},
		{redirect("http://rp.example/cb"), `/redirectUris/0: "http://rp.example/cb" must be https, or http on loopback: 127.0.0.1, [::1] or localhost`},
		{redirect("https://rp.example/**"), `/redirectUris/0: "https://rp.example/**" must not have a wildcard: register each exact address`},
		{logo("javascript:alert(1)"), `/logoUri: "javascript:alert(1)" must be an https URL`},
		{logo("data:image/png;base64,iVBORw0KGgo="), `/logoUri: "data:image/png;base64,iVBORw0KGgo=" must be an https URL`},
		{logo("logo.png"), `/logoUri: "logo.png" must be an https URL`},
		{logo("https://my_cdn.example/l.png"), `/logoUri: "https://my_cdn.example/l.png" has the character '_' in its host: ` + host},
		{key(`{"keys":[` + validEC + `]}`), "/publicKey: is a JWK Set: send one element of its keys"},
		{key(`"-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----"`),
			`/publicKey: is PEM: send the key as a JSON Web Key, an object such as {"kty":"EC","crv":"P-256","x":"…","y":"…"}`},
		{key(`"-----BEGIN EC PRIVATE KEY-----\nMFkw\n-----END EC PRIVATE KEY-----"`), "/publicKey: is a private key"},
		{key(`[]`), `/publicKey: must be one JSON Web Key, an object such as {"kty":"EC","crv":"P-256","x":"…","y":"…"}`},
		{key(`{"kty":"DSA"}`), `/publicKey: has the kty "DSA", which is not accepted; permitted: RSA, EC`},
		{key(`{"kty":"EC","crv":"P-521"}`), `/publicKey: has the crv "P-521", which is not accepted; permitted: P-256, P-384`},
		{key(strings.Replace(validEC, "{", `{"alg":"RS256",`, 1)), `/publicKey: has the alg "RS256", which does not fit the key; permitted: ES256`},
		{key(strings.Replace(validEC, "{", `{"use":"enc",`, 1)), `/publicKey: has the use "enc", which must be sig`},
		{func(in *registrar.Request) { in.Name = "abc\u202etxt" },
			"/clientName: must not contain embeddings or overrides of the text direction: U+202E at position 4"},
	} {
		in := providerRequest()
		tt.change(in)
		_, err := rules.Register(registrar.ProviderInterface, in)
		refused, ok := errors.AsType[*refusal.Error](err)
		if !ok || len(refused.List()) != 1 || refused.Where+": "+refused.Message != tt.want {
			t.Errorf("%v\nwant %s", err, tt.want)
		}
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		registrar.NoRequestTime: "requestTime: is missing: send the time of the request by RFC 3339, such as 2026-03-01T12:00:00.000Z",
		"soon":                  `requestTime: "soon" is not a time: send the time of the request by RFC 3339, such as 2026-03-01T12:00:00.000Z`,
		"2026-03-01T11:00:00Z":  `requestTime: "2026-03-01T11:00:00Z" must be within 2m0s of the server's time, 2026-03-01T12:00:00Z`,
	} {
		if err := rules.CheckRequestTime(text, now); err == nil || refusal.MessageOf(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Names in scripts from right to left have directional marks; two texts that look alike are no reason to refuse them.
func TestANameMayHaveDirectionalMarks(t *testing.T) {
	for _, name := range []string{"\u200fפורטל\u200e", "\u061cبوابة", "\u2067پورتال\u2069 1"} {
		if _, err := registrar.DefaultRules().Update(registrar.PartnerInterface,
			&registrar.Request{Name: name}); err == nil || strings.Contains(err.Error(), "clientName") {
			t.Errorf("%+q: %v", name, err)
		}
	}
	for _, name := range []string{"\u200e\u200f", "\u2067\u2069", "a\u202eb", "\u2067a"} {
		if _, err := registrar.DefaultRules().Update(registrar.PartnerInterface,
			&registrar.Request{Name: name}); err == nil || !strings.HasPrefix(problems(t, err)[0], "clientName ") {
			t.Errorf("%+q: %v", name, err)
		}
	}
}

// Each list of a patch has its own bound.
func TestAPatchNamesNoMoreThanAFullRequestMay(t *testing.T) {
	names := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("name-%d", i))
		}
		return list
	}
	rules := registrar.DefaultRules()
	rules.Claims, rules.ACRs, rules.GrantTypes, rules.AuthMethods = names(40), names(40), names(40), names(40)
	for field, most := range map[string]int{"userClaims": 30, "authContextRefs": 30, "grantTypes": 3, "clientAuthMethods": 3} {
		for _, n := range []int{most, most + 1} {
			in := registrar.Request{Given: []string{field}}
			*map[string]*[]string{"userClaims": &in.UserClaims, "authContextRefs": &in.ACRs, "grantTypes": &in.GrantTypes,
				"clientAuthMethods": &in.AuthMethods}[field] = names(n)
			_, err := rules.Update(registrar.ProviderInterface, &in)
			if (err != nil) != (n > most) || err != nil && !strings.HasPrefix(problems(t, err)[0], field+" ") {
				t.Errorf("%d %s: %v", n, field, err)
			}
		}
	}
}
