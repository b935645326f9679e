package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// record is a line of an import with changes; nil removes a member.
func record(t testing.TB, id string, changes ...any) string {
	t.Helper()
	line := map[string]any{
		"clientId": id, "api": "provider", "clientName": "Moved", "partnerId": "rp-1", "publicKey": registrartest.Key(t),
		"userClaims": []string{"name"}, "authContextRefs": []string{"mosip:idp:acr:password"}, "logoUri": "https://rp.example/l.png",
		"redirectUris": []string{"https://rp.example/cb"}, "grantTypes": []string{"authorization_code"},
		"clientAuthMethods": []string{"private_key_jwt"}, "status": "ACTIVE",
	}
	for i := 0; i < len(changes); i += 2 {
		if line[changes[i].(string)] = changes[i+1]; changes[i+1] == nil {
			delete(line, changes[i].(string))
		}
	}
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// bringIn imports lines and returns the sums as text, and the refusals.
func bringIn(t testing.TB, w *registrartest.Service, dryRun bool, lines ...string) (string, []string) {
	t.Helper()
	var refused []string
	n, err := w.Core.Transfer.Import(t.Context(), admin, engine.Importing{DryRun: dryRun, Refused: func(l engine.RefusedLine) error {
		refused = append(refused, fmt.Sprintf("%d %s", l.Line, l.Message))
		return nil
	}}, strings.NewReader(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("added %d unchanged %d refused %d flagged %d", n.Added, n.Unchanged, n.Refused, n.Flagged), refused
}

func takeOut(t testing.TB, w *registrartest.Service, secrets bool) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := w.Core.Transfer.Export(t.Context(), admin, secrets, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestImportStoresExistingClientsUnchanged(t *testing.T) {
	w, provider, _ := remote(t)
	legacy := []any{"api", "partner", "partnerId", "demo-partner", "policyId", "demo-policy", "createdBy", "pms",
		"createdAt", "2023-05-04T10:11:12.345Z",
		"redirectUris", []string{"http://rp.example/*", "https://rp.example/a,b"}, "userClaims", []string{"registration_type"}}
	private := registrartest.Key(t)
	private["d"] = "SECRETSECRETSECRETSECRETSECRETSECRETSECRETS"
	lines := []string{record(t, "old id+1", append(legacy, "clientId", "old-id~1")...),
		record(t, "weak", "publicKey", map[string]any{"kty": "RSA", "n": strings.Repeat("0vx7", 40), "e": "Aw", "kid": "k"}),
		record(t, "leaked", "publicKey", private, "status", "INACTIVE", "final", true)}

	if sums, refused := bringIn(t, w, true, lines...); sums != "added 3 unchanged 0 refused 0 flagged 3" || refused != nil {
		t.Errorf("dry run: %s, %v", sums, refused)
	}
	if got := status(t, w, "weak"); got != "none" {
		t.Errorf("a dry run has stored a client: %s", got)
	}
	if sums, refused := bringIn(t, w, false, lines...); sums != "added 3 unchanged 0 refused 0 flagged 3" || refused != nil {
		t.Fatalf("%s, %v", sums, refused)
	}
	c, err := w.Store.Client(t.Context(), "old-id~1")
	if err != nil || c.Status != registrar.ClientActive || c.CreatedBy != "pms" || c.CreatedAt.Format("2006") != "2023" ||
		!slices.Equal(c.RedirectURIs, []string{"http://rp.example/*", "https://rp.example/a,b"}) {
		t.Errorf("%+v, %v", c, err)
	}
	events, _, err := w.Store.Events(t.Context(), registrar.EventFilter{ClientID: "leaked"}, registrar.Page{})
	if err != nil || len(events) != 1 || events[0].Type != registrar.EventClientImported || events[0].Actor != "admin" ||
		!slices.Contains(events[0].Flags, registrar.FlagPrivateDropped) {
		t.Errorf("%+v, %v", events, err)
	}
	if leaked, err := w.Store.Client(t.Context(), "leaked"); err != nil || strings.Contains(leaked.Key.JWK, "SECRET") ||
		strings.Contains(takeOut(t, w, true), "SECRET") || !leaked.Final {
		t.Errorf("%+v, %v", leaked, err)
	}
	if strings.Contains(w.Log.String(), "SECRET") {
		t.Error("the log has a private key")
	}
	if n := run(t, w); n != 0 || len(provider.Clients()) != 0 {
		t.Errorf("the provider was result: %d calls, %v", n, provider.Clients())
	}
	if sums, refused := bringIn(t, w, false, lines...); sums != "added 0 unchanged 3 refused 0 flagged 0" || refused != nil {
		t.Errorf("again: %s, %v", sums, refused)
	}
	wantTrail(t, w, "weak", "imported by admin")
}

func TestALineIsRefusedByItsNumberAndKeepsNoOtherOut(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	taken := registrartest.Key(t)
	partner := func(id string, changes ...any) string {
		return record(t, id, append([]any{"api", "partner", "partnerId", "demo-partner", "policyId", "demo-policy"}, changes...)...)
	}
	lines := []string{
		record(t, "good"),
		"\n",
		record(t, "a/b"),
		record(t, `a\b`),
		record(t, strings.Repeat("x", 101)),
		record(t, "typo", "redirectUri", []string{"https://rp.example"}),
		"not JSON\n",
		record(t, "pending", "status", "PENDING"),
		record(t, "secret", "publicKey", map[string]any{"kty": "oct", "k": "AAAA"}),
		partner("p1", "partnerId", "nobody"),
		partner("p2", "policyId", "none"),
		partner("p3", "policyId", nil),
		record(t, "first", "publicKey", taken),
		record(t, "second", "publicKey", taken),
		record(t, "good"),
		record(t, "token", "registrationAccessToken", "x"),
		strings.Repeat(" ", 10) + strings.TrimSuffix(record(t, "last"), "\n"), // no line feed at the end
	}
	want := map[int]string{
		3: "clientId: must not have a slash", 4: "", 5: "", 6: "line: redirectUri is not a known member",
		7: "line: is not one strict JSON", 8: "status", 9: "publicKey: is a symmetric key",
		10: "partnerId: no partner nobody", 11: "policyId: no policy none", 12: "policyId",
		14: "publicKey is that of another client", 15: "a client with this clientId", 16: "providerClientId",
	}
	for _, dryRun := range []bool{true, false} {
		sums, refused := bringIn(t, w, dryRun, lines...)
		if sums != "added 3 unchanged 0 refused 13 flagged 0" || len(refused) != len(want) {
			t.Errorf("dry run %t: %s\n%s", dryRun, sums, strings.Join(refused, "\n"))
		}
		for i, number := range slices.Sorted(maps.Keys(want)) {
			if i >= len(refused) || !strings.HasPrefix(refused[i], fmt.Sprintf("%d ", number)) || !strings.Contains(refused[i], want[number]) {
				t.Errorf("dry run %t, line %d: %v, want %q", dryRun, number, refused[min(i, len(refused)-1)], want[number])
			}
		}
	}
	if status(t, w, "good") != "ACTIVE" || status(t, w, "last") != "ACTIVE" || status(t, w, "second") != "none" {
		t.Error("the valid lines were not imported, or others were")
	}
}

func TestALineThatIsTooLongEndsTheImport(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	text := record(t, "first") + record(t, "long", "clientName", strings.Repeat("x", 300<<10)) + record(t, "last")
	_, err := w.Core.Transfer.Import(t.Context(), admin, engine.Importing{}, strings.NewReader(text))
	if err == nil || !strings.Contains(err.Error(), "line 2 is longer than 262144 bytes") || status(t, w, "first") != "none" {
		t.Errorf("%v; the first is %s", err, status(t, w, "first"))
	}
}

func TestAnImportUndoesNothing(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	line := record(t, "c1")
	bringIn(t, w, false, line)
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("Renamed", registrar.ClientInactive)); err != nil {
		t.Fatal(err)
	}
	sums, refused := bringIn(t, w, false, line)
	if sums != "added 0 unchanged 0 refused 1 flagged 0" || !strings.Contains(refused[0], "differs in clientName, status") {
		t.Errorf("%s, %v", sums, refused)
	}
	if c, err := w.Store.Client(t.Context(), "c1"); err != nil || c.Name != "Renamed" || c.Status != registrar.ClientInactive {
		t.Errorf("%+v, %v", c, err)
	}
}

// What partner management has registered is in the records of the provider as well.
func TestAClientOfBothRecordsIsOfThePartnerSide(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	key := registrartest.Key(t)
	of := record(t, "c1", "api", "partner", "partnerId", "demo-partner", "policyId", "demo-policy", "publicKey", key)
	if sums, refused := bringIn(t, w, false, of, record(t, "c1", "publicKey", key), record(t, "c1")); sums != "added 1 unchanged 1 refused 1 flagged 0" {
		t.Errorf("%s, %v", sums, refused)
	}
}

func TestUpdateKeepsImportedValuesAndAddsOnlyValidValues(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	had := []string{"http://rp.example/*", "https://rp.example/#f", "https://rp.example/1", "https://rp.example/2",
		"https://rp.example/3", "https://rp.example/4"}
	old := []any{"redirectUris", had, "clientName", strings.Repeat("n", 300), "logoUri", "http://rp.example/l",
		"userClaims", []string{"odd"}, "authContextRefs", []string{"odd:acr"},
		"grantTypes", []string{"implicit"}, "clientAuthMethods", []string{"none"}}
	bringIn(t, w, false, record(t, "p1", append(old, "api", "partner", "partnerId", "demo-partner", "policyId", "demo-policy")...))
	same := func() *registrar.Request {
		return &registrar.Request{Name: strings.Repeat("n", 300), LogoURI: "http://rp.example/l", UserClaims: []string{"odd"}, ACRs: []string{"odd:acr"},
			RedirectURIs: had, GrantTypes: []string{"implicit"}, AuthMethods: []string{"none"}, Status: "ACTIVE"}
	}
	for name, tt := range map[string]struct {
		edit func(*registrar.Request)
		want error
	}{
		"all again": {func(*registrar.Request) {}, nil},
		"fewer":     {func(u *registrar.Request) { u.RedirectURIs = had[:2] }, nil},
		"one in place of another": {func(u *registrar.Request) {
			u.RedirectURIs = append([]string{"https://rp.example/new"}, had[1:]...)
		}, nil},
		"one that the rules refuse": {func(u *registrar.Request) {
			u.RedirectURIs = []string{had[0],
				"http://other.example/"}
		}, registrar.InvalidRedirectURI},
		"like one, and not it":        {func(u *registrar.Request) { u.RedirectURIs = []string{"http://rp.example/*/"} }, registrar.InvalidRedirectURI},
		"more than it had":            {func(u *registrar.Request) { u.RedirectURIs = append(had, "https://rp.example/5") }, registrar.WrongRedirectCount},
		"another name over the limit": {func(u *registrar.Request) { u.Name += "n" }, registrar.InvalidClientName},
		"another claim":               {func(u *registrar.Request) { u.UserClaims = []string{"odd", "odder"} }, registrar.InvalidClaim},
	} {
		t.Run(name, func(t *testing.T) {
			id, u := strings.ReplaceAll(name, " ", "-"), same()
			bringIn(t, w, false, record(t, id, old...))
			tt.edit(u)
			if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, id, "", u); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
	p := &registrar.Request{Name: strings.Repeat("n", 300), LogoURI: "http://rp.example/l", RedirectURIs: had,
		GrantTypes: []string{"implicit"}, AuthMethods: []string{"none"}, Status: "inactive"}
	if c, err := w.Core.Clients.UpdateClient(t.Context(), ana, registrar.PartnerInterface, "p1", "", p); err != nil ||
		c.Status != registrar.ClientInactive {
		t.Errorf("at the partner's door: %+v, %v", c, err)
	}
	if _, err := w.Core.Clients.UpdateClient(t.Context(), eve, registrar.PartnerInterface, "p1", "", p); !errors.Is(err, registrar.InvalidRedirectURI) {
		t.Errorf("it is disclosed to others by %v", err)
	}
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "unknown", "",
		same()); !errors.Is(err, registrar.WrongRedirectCount) {
		t.Errorf("of no client: %v", err)
	}
}

// Receivers of webhooks already have these clients from their registration.
func TestImportSendsNoCallAndNoWebhook(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	listen(t, w)
	bringIn(t, w, false, record(t, "c1"))
	wantTold(t, w, "c1")
}

// random makes clients of all kinds, good and odd ones.
func random(t testing.TB, r *rand.Rand, n int) (lines []string) {
	t.Helper()
	pick := func(list ...any) any { return list[r.IntN(len(list))] }
	for i := range n {
		changes := []any{"clientName", pick("Moved", "Ünïcode <b>&amp;</b>", "a \u202e b", strings.Repeat("é", 400)),
			"redirectUris", pick([]string{}, []string{"https://rp.example/cb"}, []string{"http://x/*", "x y", "https://rp.example/a,b?c=d&e"}),
			"status", pick("ACTIVE", "INACTIVE"), "userClaims", pick([]string{}, []string{"name", "odd"}), "logoUri",
			pick("", "https://rp.example/l", "ftp://x"),
			"createdBy", pick("", "somebody"), "createdAt", pick(nil, "2023-05-04T10:11:12.345Z", "2024-01-01T00:00:00+02:00")}
		if r.IntN(2) == 0 {
			changes = append(changes, "api", "partner", "partnerId", "demo-partner", "policyId", "demo-policy")
		}
		if r.IntN(3) == 0 {
			changes = append(changes, "clientNameLangMap", map[string]string{"fra": "Déplacé", "zz": "odd"},
				"additionalConfig", map[string]any{"require_pkce": true, "purpose": map[string]any{"type": "login"}, "odd": "<x>"})
		}
		if r.IntN(3) == 0 {
			changes = append(changes, "otherPublicKeys", []any{registrartest.Key(t)}, "encPublicKey", registrartest.Key(t))
		}
		if r.IntN(3) == 0 {
			changes = append(changes, "providerClientId", fmt.Sprint("assigned-", i), "registrationClientUri",
				"https://idp.example/r/1", "registrationAccessToken", fmt.Sprint("token-", i))
		}
		if r.IntN(4) == 0 {
			changes = append(changes, "publicKey", map[string]any{"n": fmt.Sprintf("AAEC%04d", i), "e": "AQAB", "use": "enc", "d": "secret"})
		}
		lines = append(lines, record(t, fmt.Sprint("c-", i), changes...))
	}
	return lines
}

func TestExportImportRoundTrip(t *testing.T) {
	for seed := range uint64(5) {
		lines := random(t, rand.New(rand.NewPCG(seed, 1)), 60)
		from, to := registrartest.Boot(t, registrartest.Options{}), registrartest.Boot(t, registrartest.Options{})
		if sums, refused := bringIn(t, from, false, lines...); !strings.HasPrefix(sums, "added 60 ") {
			t.Fatalf("seed %d: %s, %v", seed, sums, refused)
		}
		if _, err := from.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", partnerRequest(t)); err != nil {
			t.Fatal(err)
		}
		out := takeOut(t, from, true)
		if sums, refused := bringIn(t, to, false, out); !strings.HasPrefix(sums, "added 61 unchanged 0 refused 0") {
			t.Fatalf("seed %d: %s, %v", seed, sums, refused)
		}
		if again := takeOut(t, to, true); again != out {
			t.Errorf("seed %d: taken out is\n%s\nand then\n%s", seed, out, again)
		}
		if sums, refused := bringIn(t, to, false, out); !strings.HasPrefix(sums, "added 0 unchanged 61 refused 0") {
			t.Errorf("seed %d, again: %s, %v", seed, sums, refused)
		}
		if sums, _ := bringIn(t, to, true, out, out); !strings.Contains(sums, "unchanged 122") {
			t.Errorf("seed %d, a dry run of it twice: %s", seed, sums)
		}
		if plain := takeOut(t, from, false); strings.Contains(plain, "token-") || !strings.Contains(plain, "registrationClientUri") {
			t.Error("an export has unrequested tokens, or no management address of a client")
		}
	}
}

// A client that was never active can be registered again by any owner.
func TestExportSkipsUnconfirmedClients(t *testing.T) {
	w, provider, _ := remote(t)
	provider.LoseReplies(true)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "waits")); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if n, err := w.Core.Transfer.Export(t.Context(), admin, false, &out); err != nil || n != 0 || out.Len() != 0 {
		t.Errorf("%d, %v: %s", n, err, out.String())
	}
}

// cut is a file whose reading ends with an error after some lines, as with a process that is
// killed.
type cut struct {
	io.Reader
	err error
}

func (c cut) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err == io.EOF {
		err = c.err
	}
	return n, err
}

func TestAnImportThatWasStoppedGoesOn(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	var lines []string
	for i := range 2500 {
		lines = append(lines, record(t, fmt.Sprint("c", i)))
	}
	stop := errors.New("stopped")
	quiet := engine.Importing{Refused: func(l engine.RefusedLine) error { return fmt.Errorf("line %d: %s", l.Line, l.Message) }}
	n, err := w.Core.Transfer.Import(t.Context(), admin, quiet, cut{strings.NewReader(strings.Join(lines[:2200], "")), stop})
	if !errors.Is(err, stop) || n.Added != 2000 {
		t.Fatalf("%+v, %v", n, err)
	}
	if sums, refused := bringIn(t, w, false, lines...); sums != "added 500 unchanged 2000 refused 0 flagged 0" || refused != nil {
		t.Errorf("%s, %v", sums, refused)
	}
	wantTrail(t, w, "c1999", "imported by admin")
}

// Two concurrent imports of the same clients, and a registration of one of them.
func TestImportsAtTheSameTimeMakeOneOfEach(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	var lines []string
	for i := range 300 {
		lines = append(lines, record(t, fmt.Sprint("c", i)))
	}
	type outcome struct {
		n   engine.Imported
		err error
	}
	done := make(chan outcome, 4)
	for i := range 4 {
		mine := slices.Clone(lines)
		if i%2 == 1 {
			slices.Reverse(mine)
		}
		go func() {
			n, err := w.Core.Transfer.Import(t.Context(), admin,
				engine.Importing{Refused: func(l engine.RefusedLine) error { return errors.New(l.Message) }},
				strings.NewReader(strings.Join(mine, "")))
			done <- outcome{n, err}
		}()
	}
	added := 0
	for range 4 {
		o := <-done
		if o.err != nil || o.n.Added+o.n.Unchanged != 300 {
			t.Errorf("%+v, %v", o.n, o.err)
		}
		added += o.n.Added
	}
	if added != 300 {
		t.Errorf("300 clients were brought in as %d", added)
	}
}

func TestTheRuleForIDsOfTheServiceIsNotThatOfImports(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.IDRegex = "[a-z]+" }})
	sums, refused := bringIn(t, w, false, record(t, "Old_1"), record(t, strings.Repeat("A", 43)))
	if sums != "added 2 unchanged 0 refused 0 flagged 0" {
		t.Errorf("%s, %v", sums, refused)
	}
}
