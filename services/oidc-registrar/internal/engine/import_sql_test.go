package engine_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// The tables that the queries of the README read, with the columns that they have there.
const (
	partnerManagement = `CREATE SCHEMA pms;
		CREATE TABLE pms.oidc_client (
			id varchar(100) PRIMARY KEY, name varchar(256) NOT NULL, rp_id varchar(100) NOT NULL, policy_id varchar(50) NOT NULL, logo_uri varchar(2048) NOT NULL,
			redirect_uris varchar NOT NULL, claims varchar NOT NULL, acr_values varchar NOT NULL, public_key varchar NOT NULL UNIQUE, grant_types varchar(256) NOT NULL,
			auth_methods varchar(256) NOT NULL, status varchar(20) NOT NULL, cr_by varchar(256) NOT NULL, cr_dtimes timestamp NOT NULL, upd_by varchar(256), upd_dtimes timestamp,
			is_deleted boolean DEFAULT false, del_dtimes timestamp)`
	eSignet = `CREATE TABLE client_detail (
			id varchar(100) PRIMARY KEY, name varchar(600) NOT NULL, rp_id varchar(100) NOT NULL, logo_uri varchar(2048) NOT NULL, redirect_uris varchar NOT NULL,
			claims varchar NOT NULL, acr_values varchar NOT NULL, public_key jsonb NOT NULL, grant_types varchar NOT NULL, auth_methods varchar NOT NULL, status varchar(20) NOT NULL,
			additional_config jsonb, cr_dtimes timestamp NOT NULL, upd_dtimes timestamp)`
)

// queries are those of docs/moving-in.md, partner management's first.
func queries(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("../../docs/moving-in.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, found := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		list = append(list, found[1])
	}
	if len(list) != 2 {
		t.Fatalf("docs/moving-in.md has %d queries", len(list))
	}
	return list
}

func TestDocumentedQueriesExportClients(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	if !w.DB.Postgres() {
		t.Skip("the queries are for PostgreSQL")
	}
	exec := func(sql string, args ...any) {
		t.Helper()
		if err := w.DB.Read(t.Context()).Exec(sql, args...).Error; err != nil {
			t.Fatal(err)
		}
	}
	lines := func(query string) (list []string) {
		t.Helper()
		if err := w.DB.Read(t.Context()).Raw(query).Scan(&list).Error; err != nil {
			t.Fatal(err)
		}
		for i := range list {
			list[i] += "\n"
		}
		return list
	}
	jwk := func(more map[string]any) string {
		key := registrartest.Key(t)
		for name, value := range more {
			key[name] = value
		}
		text, err := json.Marshal(key)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	client := func(id string) registrar.Client {
		t.Helper()
		c, err := w.Store.Client(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	exec(partnerManagement)
	exec(eSignet)
	both := jwk(nil)
	insert := `INSERT INTO pms.oidc_client (id, name, rp_id, policy_id, logo_uri, redirect_uris, claims, acr_values, public_key, grant_types, auth_methods, status, cr_by, cr_dtimes, upd_dtimes, is_deleted)
		VALUES (?, ?, 'demo-partner', 'demo-policy', 'https://rp.example/l.png', ?, 'name,email', 'mosip:idp:acr:generated-code', ?, 'authorization_code', 'private_key_jwt', ?, 'pm-user', '2023-05-04 10:11:12.345', ?, ?)`
	exec(insert, "plain", "Plain", "https://rp.example/cb", both, "ACTIVE", nil, false)
	exec(insert, "odd_1", `{"@none":"O'Dd \\ \"quoted\"","fra":"Étrange"}`,
		"https://rp.example/a, http://rp.example/*,https://rp.example/q?x=1%2C2",
		jwk(map[string]any{"d": "PRIVATE", "kid": nil}), "inactive", "2024-01-02 03:04:05", nil)
	exec(insert, "gone", "Gone", "https://rp.example/cb", jwk(nil), "ACTIVE", nil, true)
	exec(insert, "a/b", "Slash", "https://rp.example/cb", jwk(nil), "ACTIVE", nil, false)
	exec(insert, "rsa", "{not a map}", "io.mosip.app://oauth", `{"kty":"RSA","use":"sig","alg":"RS256","n":"`+
		strings.Repeat("0vx7", 40)+`","e":"AQAB"}`, "ACTIVE", nil, false)

	got := lines(queries(t)[0])
	sums, refused := bringIn(t, w, false, got...)
	if sums != "added 3 unchanged 0 refused 1 flagged 2" || !strings.Contains(refused[0], "must not have a slash") {
		t.Fatalf("%s, %v\n%s", sums, refused, strings.Join(got, ""))
	}
	odd := client("odd_1")
	if odd.Name != `O'Dd \ "quoted"` || odd.Extensions.Names["fra"] != "Étrange" ||
		odd.Status != registrar.ClientInactive || strings.Contains(odd.Key.JWK, "PRIVATE") ||
		!slices.Equal(odd.RedirectURIs, []string{"https://rp.example/a", "http://rp.example/*",
			"https://rp.example/q?x=1%2C2"}) || odd.UpdatedAt.Format("2006-01-02T15:04:05") != "2024-01-02T03:04:05" {
		t.Errorf("%+v", odd)
	}
	plain := client("plain")
	if plain.Name != "Plain" || plain.API != registrar.PartnerAPI || plain.PolicyID != "demo-policy" ||
		plain.CreatedBy != "pm-user" || !plain.UpdatedAt.Equal(plain.CreatedAt) ||
		plain.CreatedAt.Format("2006-01-02T15:04:05.000") != "2023-05-04T10:11:12.345" ||
		!slices.Equal(plain.UserClaims, []string{"name", "email"}) || client("rsa").Name != "{not a map}" {
		t.Errorf("%+v", plain)
	}
	if sums, refused := bringIn(t, w, false, lines(queries(t)[0])...); !strings.HasPrefix(sums, "added 0 unchanged 3 ") {
		t.Errorf("again: %s, %v", sums, refused)
	}

	insert = `INSERT INTO client_detail (id, name, rp_id, logo_uri, redirect_uris, claims, acr_values, public_key, grant_types, auth_methods, status, additional_config, cr_dtimes)
		VALUES (?, ?, 'rp 1', 'https://rp.example/l.png', ?, ?, '["mosip:idp:acr:password"]', ?, '["authorization_code"]', '["private_key_jwt"]', 'ACTIVE', ?, '2023-05-04 10:11:12')`
	insert = strings.Replace(insert, "'rp 1'", "'rp-1'", 1)
	exec(insert, "plain", "Plain", `["https://rp.example/cb"]`, `["name"]`, both, nil) // of partner management
	exec(insert, "own", `{"eng":"Own","@none":"Own \u0026 odd"}`,
		`["https://rp.example/a,b","io.mosip.app://oauth","http://localhost:8080/*"]`, `[]`,
		jwk(map[string]any{"use": "enc"}), `{"require_pkce":true,"consent_expire_in_mins":10,"purpose":null}`)
	got = lines(queries(t)[1])
	if sums, refused = bringIn(t, w, false, got...); sums != "added 1 unchanged 1 refused 0 flagged 1" {
		t.Fatalf("%s, %v\n%s", sums, refused, strings.Join(got, ""))
	}
	own := client("own")
	if own.Name != "Own & odd" || own.Extensions.Names["eng"] != "Own" ||
		own.RedirectURIs[0] != "https://rp.example/a,b" || len(own.UserClaims) != 0 || own.API != registrar.ProviderAPI ||
		!strings.Contains(own.Extensions.Config, `"require_pkce":true`) {
		t.Errorf("%+v", own)
	}
	if client("plain").API != registrar.PartnerAPI {
		t.Error("a client of partner management has changed sides")
	}
}
