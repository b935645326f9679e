package idp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

const encKey = `{"crv":"P-256","kid":"e1","kty":"EC","use":"enc","x":"eA","y":"eQ"}`

// extensions holds one of each accepted extension, with its RFC 7591 metadata:
// text required in the call, or empty for a refusal.
var extensions = map[string]struct {
	value registrar.Extensions
	sent  []string
}{
	"names": {registrar.Extensions{Names: map[string]string{"fra": "Santé", "ara": "صحة"}},
		[]string{`"client_name#fr":"Santé"`, `"client_name#ar":"صحة"`}},
	"a key": {registrar.Extensions{EncKey: encKey}, []string{`{"keys":[` + signing + `,` + encKey + `]}`}},
	"PAR": {registrar.Extensions{Config: `{"require_pushed_authorization_requests":true}`},
		[]string{`"require_pushed_authorization_requests":true`}},
	"DPoP": {registrar.Extensions{Config: `{"dpop_bound_access_tokens":true}`}, []string{`"dpop_bound_access_tokens":true`}},
	"JWS":  {registrar.Extensions{Config: `{"userinfo_response_type":"JWS"}`}, []string{`"userinfo_signed_response_alg":"RS256"`}},
	"JWE": {registrar.Extensions{Config: `{"userinfo_response_type":"JWE"}`, EncKey: encKey},
		[]string{`"userinfo_encrypted_response_alg":"ECDH-ES"`, encKey}},
	"JWE, alone": {registrar.Extensions{Config: `{"userinfo_response_type":"JWE"}`}, nil},
	"PKCE":       {registrar.Extensions{Config: `{"require_pkce":true}`}, nil},
	"purpose":    {registrar.Extensions{Config: `{"purpose":{"type":"login"}}`}, nil},
	"banner":     {registrar.Extensions{Config: `{"signup_banner_required":false}`}, nil},
	"password":   {registrar.Extensions{Config: `{"forgot_pwd_link_required":true}`}, nil},
	"consent":    {registrar.Extensions{Config: `{"consent_expire_in_mins":10}`}, nil},
}

// echo registers the sent metadata, with members as overrides.
func echo(changes map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var members map[string]any
		if json.Unmarshal(body, &members) != nil {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
		members["client_id"] = "assigned-1"
		maps.Copy(members, changes)
		maps.DeleteFunc(members, func(_ string, v any) bool { return v == nil })
		answer, _ := json.Marshal(members)
		reply(201, string(answer))(w, r)
	}
}

// A registration is sent with all of its extensions, or refused.
func TestAnExtensionIsSentOrRefused(t *testing.T) {
	for name, tt := range extensions {
		lacks := map[string][]string{"local": nil, "esignet-1.0": tt.value.List(), "rfc7591": nil}
		if tt.value.Names != nil { // left out of the call
			lacks["esignet-1.0"] = nil
		}
		if tt.sent == nil {
			lacks["rfc7591"] = tt.value.List()
		}
		for kind, want := range lacks {
			p := start(t, echo(nil))
			connector := p.connector(t, kind)
			if got := connector.MissingExtensions(tt.value); !slices.Equal(got, want) {
				t.Errorf("%s lacks %v for %s, want %v", kind, got, name, want)
			}
			if kind != "rfc7591" || tt.sent == nil {
				continue
			}
			c := client()
			c.Extensions = tt.value
			if _, err := connector.Register(t.Context(), c, registrar.PriorNone); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for _, text := range tt.sent {
				if body := p.received()[0].body; !strings.Contains(body, text) {
					t.Errorf("%s: %s is not in %s", name, text, body)
				}
			}
		}
	}
}

// A name that equals clientName is sent as client_name alone.
func TestANameThatIsTheSameInALanguageHasNoMember(t *testing.T) {
	p := start(t, echo(nil))
	c := client()
	c.Extensions.Names = map[string]string{"eng": c.Name, "fra": "Santé", "ara": c.Name}
	if _, err := p.connector(t, "rfc7591").Register(t.Context(), c, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	var names []string
	for member := range object(t, p.received()[0].body) {
		if strings.HasPrefix(member, "client_name") {
			names = append(names, member)
		}
	}
	slices.Sort(names)
	if want := []string{"client_name", "client_name#fr"}; !slices.Equal(names, want) {
		t.Errorf("the names %v were sent, want %v", names, want)
	}
}

func TestASettingThatTheProviderLeavesOutIsRefused(t *testing.T) {
	for member, value := range map[string]any{"dpop_bound_access_tokens": nil, "require_pushed_authorization_requests": false} {
		p := start(t, echo(map[string]any{member: value}))
		c := client()
		c.Extensions = registrar.Extensions{
			Names: map[string]string{"fra": "Santé"}, Config: `{"dpop_bound_access_tokens":true,"require_pushed_authorization_requests":true}`,
		}
		_, err := p.connector(t, "rfc7591").Register(t.Context(), c, registrar.PriorNone)
		wants{reason: registrar.ProviderRefused, calls: 1}.check(t, p, err)
	}
}

// TestNamesInOtherLanguagesFailNoCall crosses the providers with the ways not to take names.
func TestNamesInOtherLanguagesFailNoCall(t *testing.T) {
	for name, tt := range map[string]struct {
		kind   string
		refuse bool   // the metadata with the member
		calls  []bool // whether the names were sent
	}{
		"left out":          {"rfc7591", false, []bool{true}},
		"refused":           {"rfc7591", true, []bool{true, false}},
		"eSignet until 1.2": {"esignet-1.0", true, []bool{false}},
	} {
		for _, update := range []bool{false, true} {
			p := start(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				switch {
				case tt.kind == "esignet-1.0":
					reply(200, `{"response":{"clientId":"client-1","status":"ACTIVE"},"errors":[]}`)(w, r)
				case tt.refuse && strings.Contains(string(body), "client_name#"):
					reply(400, `{"error":"invalid_client_metadata","error_description":"Unrecognized field"}`)(w, r)
				default:
					echo(map[string]any{"client_name#fr": nil})(w, r)
				}
			})
			c, connector := client(), p.connector(t, tt.kind)
			c.Extensions.Names = map[string]string{"fra": "Santé"}
			var err error
			if update {
				c.Status = registrar.ClientActive
				_, err = connector.Update(t.Context(), c, registrar.ProviderRecord{ClientID: "assigned-1", URI: p.options().URL +
					"/c/1", AccessToken: "t"}, registrar.PriorNone)
			} else {
				_, err = connector.Register(t.Context(), c, registrar.PriorNone)
			}
			var sent []bool
			for _, call := range p.received() {
				if call.method == "POST" || call.method == "PUT" {
					sent = append(sent, strings.Contains(call.body, "Santé"))
				}
			}
			if err != nil || !slices.Equal(sent, tt.calls) {
				t.Errorf("%s, update %v: %v, names sent %v, want %v", name, update, err, sent, tt.calls)
			}
		}
	}
}

func TestEveryExtensionOfTheDomainHasARow(t *testing.T) {
	known := map[string]bool{}
	for _, tt := range extensions {
		for _, name := range tt.value.List() {
			known[name] = true
		}
	}
	if len(known) != 10 {
		t.Errorf("the table has %d extensions: %v", len(known), slices.Sorted(maps.Keys(known)))
	}
	if lacks := (idp.Local{}).MissingExtensions(registrar.Extensions{Config: `{"anything":1}`}); lacks != nil {
		t.Errorf("local lacks %v", lacks)
	}
}
