package api_test

import (
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/libs/work"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// keyOf is a public key that is the same in each run.
func keyOf(t *testing.T, name string) map[string]any {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	private, err := ecdh.P256().NewPrivateKey(seed[:])
	if err != nil {
		t.Fatal(err)
	}
	point, text := private.PublicKey().Bytes(), base64.RawURLEncoding.EncodeToString
	return map[string]any{"kty": "EC", "crv": "P-256", "kid": strings.ReplaceAll(name, "/", "-"), "x": text(point[1:33]), "y": text(point[33:])}
}

// outcomes collects the replies of every API to every outcome of a call.
type outcomes struct {
	*registrartest.Service
	t     *testing.T
	lines *[]string
}

var unsteady = regexp.MustCompile(`"(registration_access_token|client_id_issued_at|registration_client_uri)":("[^"]*"|\d+)`)

func (o outcomes) note(what, path string, r registrartest.Reply) registrartest.Reply {
	body := timestamp.ReplaceAllString(r.Body, `"TIME"`)
	body = unsteady.ReplaceAllString(body, `"$1":"…"`)
	*o.lines = append(*o.lines, fmt.Sprintf("%s %s: %d %s", path, what, r.Status, body))
	return r
}

// register registers a client, whose id is from its name at the provider's apiPaths.
func (o outcomes) register(path, name string, partner bool, changes map[string]any) registrartest.Reply {
	token, d := o.Provider(), door{partner: partner}
	if partner {
		token = o.Partner("ana", "demo-partner")
	}
	return o.Call("POST", path, token, withRequestTime(d.registration(name, keyOf(o.t, name+path), changes)))
}

// idOf is the id of a client of register.
func (o outcomes) idOf(path, name string, partner bool) string {
	if !partner {
		return name
	}
	r := o.Call("GET", partnerPath+"?q="+name, o.Admin(), nil)
	for _, item := range r.Member("items").([]any) {
		if c := item.(map[string]any); c["name"] == name {
			return c["clientId"].(string)
		}
	}
	o.t.Fatalf("no client %s of %s", name, path)
	return ""
}

// The bytes of every outcome in every API. Callers branch on them.
func TestTheBytesOfEveryOutcome(t *testing.T) {
	var lines []string
	for _, d := range everyDoor {
		provider, clock := registrartest.NewESignet(t), timetest.At(time.Now().UTC())
		o := outcomes{registrartest.Boot(t, registrartest.Options{Now: clock.Now, Config: func(c *server.Config) {
			provider.Configure(c)
			c.IDP = "esignet-1.6"
			c.RequestTimeLeeway = 0
		}}), t, &lines}
		token, name := o.Provider(), func(n string) map[string]any { return with("clientName", n) }
		if d.partner {
			token, name = o.Partner("ana", "demo-partner"), func(n string) map[string]any { return with("name", n) }
		}
		call := func(what, method, path string, body map[string]any) registrartest.Reply {
			t.Helper()
			var sent any
			if body != nil {
				sent = withRequestTime(body)
			}
			return o.note(what, d.path, o.Call(method, path, token, sent))
		}
		change := func(changes map[string]any) map[string]any {
			return withNames(registrartest.UpdateRequest(changes))
		}
		o.note("registered", d.path, o.register(d.path, "active", d.partner, name("active")))
		o.note("registered again", d.path, o.register(d.path, "active", d.partner, name("active")))
		active := d.path + "/" + o.idOf(d.path, "active", d.partner)
		call("a key that eSignet cannot take", "POST", neutral(active)+"/keys", map[string]any{"request": map[string]any{"publicKey": keyOf(t, "other")}})
		call("no key", "POST", neutral(active)+"/keys", map[string]any{"request": map[string]any{}})
		call("no request", "PUT", active, map[string]any{})
		call("deleted though active", "DELETE", neutral(active), nil)
		call("changed", "PUT", active, change(name("active")))
		provider.Refuse("invalid_redirect_uri")
		o.note("refused with a code", d.path, o.register(d.path, "refused", d.partner, name("refused")))
		call("a change refused with a code", "PUT", active, change(with("logoUri", "https://rp.example/l2.png")))
		provider.Refuse("IDP-001")
		o.note("refused without a code", d.path, o.register(d.path, "refused", d.partner, name("refused")))
		provider.Refuse("")
		provider.SetDown(true)
		down := o.note("the provider is down", d.path, o.register(d.path, "pending", d.partner, name("pending")))
		if down.Header.Get("Retry-After") != "60" {
			t.Errorf("%s: Retry-After %q", d.path, down.Header.Get("Retry-After"))
		}
		o.note("and again", d.path, o.register(d.path, "pending", d.partner, name("pending")))
		pending := d.path + "/" + o.idOf(d.path, "pending", d.partner)
		call("corrected", "PUT", pending, change(nil))
		for range work.Schedule {
			clock.Advance(10 * time.Hour)
			_, _ = o.Core.Calls.RunOnce(t.Context())
		}
		clock.Advance(10 * time.Hour)
		_, _ = o.Core.Calls.RunOnce(t.Context())
		call("corrected when it has failed", "PUT", pending, change(with("status", "INACTIVE")))
		provider.SetDown(false)
		call("deleted", "DELETE", neutral(pending), nil)
		call("and again", "DELETE", neutral(pending), nil)
		provider.SetNextFaults(registrartest.DropsAfter)
		doubt := o.note("doubtful", d.path, o.register(d.path, "doubt", d.partner, name("doubt")))
		if doubt.Header.Get("Retry-After") != "3600" {
			t.Errorf("%s: Retry-After %q", d.path, doubt.Header.Get("Retry-After"))
		}
		doubtful := d.path + "/" + o.idOf(d.path, "doubt", d.partner)
		o.note("doubtful, and again", d.path, o.register(d.path, "doubt", d.partner, name("doubt")))
		call("a change of one that is doubtful", "PUT", doubtful, change(nil))
		call("deleted though doubtful", "DELETE", neutral(doubtful), nil)
		call("switched off", "PUT", active, change(with("status", "INACTIVE")))
		call("switched on", "PUT", active, change(nil))
		keysAndLimits(t, &lines, d.path, d.partner)
		approvalOutcomes(t, &lines, d.path, d.partner)
	}
	rfc7591Outcomes(t, &lines)
	goldenLines(t, "outcomes", lines)
}

// goldenLines compares lines with a file.
func goldenLines(t *testing.T, name string, lines []string) {
	t.Helper()
	file, got := "testdata/"+name+".golden.txt", strings.Join(lines, "\n")+"\n"
	data := webtest.ReadGolden(t, file, []byte(got))
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i := range max(len(want), len(lines)) {
		if i >= len(want) || i >= len(lines) || want[i] != lines[i] {
			t.Errorf("line %d of %s is not\n%s", i+1, file, slices.Concat(lines, make([]string, len(want)))[i])
		}
	}
}

// keysAndLimits is where the service is its own registry, and registrations are counted.
func keysAndLimits(t *testing.T, lines *[]string, path string, partner bool) {
	o := outcomes{registrartest.Boot(t, registrartest.Options{Now: timetest.At(time.Now()).Now, Config: func(c *server.Config) {
		c.RateRegistrations = hourly(1)
	}}), t, lines}
	token, changes := o.Provider(), with("clientName", "keys")
	if partner {
		token, changes = o.Partner("ana", "demo-partner"), with("name", "keys")
	}
	o.register(path, "keys", partner, changes)
	keys := clientsPath + o.idOf(path, "keys", partner) + "/keys"
	second := func(kid string) map[string]any {
		return withRequestTime(map[string]any{"request": map[string]any{"publicKey": keyOf(t, kid)}})
	}
	o.note("a second key", path, o.Call("POST", keys, token, second("two")))
	o.note("a third key", path, o.Call("POST", keys, token, second("three")))
	o.note("a key goes", path, o.Call("DELETE", keys+"?kid=two", token, nil))
	o.note("the last key", path, o.Call("DELETE", keys+"?kid="+strings.ReplaceAll("keys"+path, "/", "-"), token, nil))
	o.note("too many registrations", path, o.register(path, "many", partner, changes))
}

// approvalOutcomes is the operation for approval outcomes.
func approvalOutcomes(t *testing.T, lines *[]string, path string, partner bool) {
	wf := newWF(t)
	o := outcomes{registrartest.Boot(t, registrartest.Options{Config: wf.Configure}), t, lines}
	changes := with("clientName", "asked")
	if partner {
		changes = with("name", "asked")
	}
	o.note("people are asked", path, o.register(path, "asked", partner, changes))
	ask := func() {
		if _, err := o.Core.Approvals.RunOnce(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	wf.Decide("rejected", "the logo is not yours")
	body, headers := wf.Webhook(t, "request-1", time.Now())
	o.note("the webhook", path, o.Call("POST", "/v1/registrar/approvals", "", body, headers...))
	o.note("not approved", path, o.register(path, "asked", partner, changes))
}

// rfc7591Outcomes are those of the RFC 7591 API, which has no envelope.
func rfc7591Outcomes(t *testing.T, lines *[]string) {
	provider := registrartest.NewESignet(t)
	o := outcomes{registrartest.Boot(t, registrartest.Options{Config: provider.Configure}), t, lines}
	token := initialToken(t, o.Service, 9)
	key := keyOf(t, "standard")
	post := func(what string, changes map[string]any) registrartest.Reply {
		t.Helper()
		return o.note(what, standardPath, o.Call("POST", standardPath, token, metadata(key, changes)))
	}
	made := members(t, post("registered", nil), 201)
	path, access := standardPath+"/"+made["client_id"].(string), made["registration_access_token"].(string)
	post("its key is taken", with("client_name", "Other"))
	key = keyOf(t, "standard 2")
	post("a bad URI", with("redirect_uris", []any{"https://rp.example/#f"}))
	post("a bad member", with("grant_types", []any{"implicit"}))
	provider.Refuse("invalid_claim")
	post("refused", nil)
	provider.Refuse("")
	provider.SetDown(true)
	post("the provider is down", nil)
	provider.SetDown(false)
	o.note("no token", standardPath, o.Call("POST", standardPath, "", metadata(key, nil)))
	o.note("read", standardPath, o.Call("GET", path, access, nil))
	o.note("changed", standardPath, o.Call("PUT", path, access,
		metadata(keyOf(t, "standard"), with("client_id", made["client_id"], "client_name", "New"))))
	o.note("a key that eSignet cannot take", standardPath, o.Call("PUT", path, access, metadata(key, with("client_id", made["client_id"]))))
	o.note("deleted", standardPath, o.Call("DELETE", path, access, nil))
	o.note("read after that", standardPath, o.Call("GET", path, access, nil))
}

// One key, and one id, are one client's, whichever apiPaths they come through at the same time.
func TestOneConcurrentRegistrationAcrossInterfacesSucceeds(t *testing.T) {
	for _, same := range []string{"key", "id"} {
		t.Run(same, func(t *testing.T) {
			provider := registrartest.NewESignet(t)
			w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
				provider.Configure(c)
				c.IDP = "esignet-1.6"
			}})
			ana, scope, initial := w.Partner("ana", "demo-partner"), w.Provider(), initialToken(t, w, 32)
			const calls = 32
			replies, shared := make([]registrartest.Reply, calls), registrartest.Key(t)
			var group sync.WaitGroup
			for i := range calls {
				key, id := shared, fmt.Sprint("c", i)
				if same == "id" {
					key, id = registrartest.Key(t), "c"
				}
				name := fmt.Sprint("Portal ", i)
				send := func() registrartest.Reply {
					return w.Call("POST", standardPath, initial, metadata(key, with("client_name", name)))
				}
				if n := i % (len(everyDoor) + 1); n < len(everyDoor) {
					d := everyDoor[n]
					token, body := scope, withRequestTime(registrartest.ProviderRequest(id, key, with("clientName", name)))
					if d.partner {
						token, body = ana, withNames(registrartest.PartnerRequest(key, with("name", name)))
					}
					send = func() registrartest.Reply { return w.Call("POST", d.path, token, body) }
				}
				if partner := i%(len(everyDoor)+1) < 2 || i%(len(everyDoor)+1) == len(everyDoor); partner && same == "id" {
					continue // whose ids are made from their keys
				}
				group.Go(func() { replies[i] = send() })
			}
			group.Wait()
			winners := 0
			for _, r := range replies {
				switch {
				case r.Status == 0:
				case r.Status == 201, r.Status == 200 && r.Member("status") == "ACTIVE":
					winners++
				case slices.Contains([]string{"PMS_IDP_001", "PMS_ESI_001", "duplicate_client_id", "duplicate_public_key"},
					r.Code()), strings.Contains(r.Body, "already exists"):
				default:
					t.Errorf("%d %s", r.Status, r.Body)
				}
			}
			clients, _, err := w.Store.Clients(t.Context(), registrar.ClientFilter{}, registrar.Page{})
			if err != nil || winners != 1 || len(clients) != 1 || len(provider.Clients()) != 1 {
				t.Errorf("%d winners, %d clients here, %d there, %v", winners, len(clients), len(provider.Clients()), err)
			}
		})
	}
}

// An approval cannot be bypassed by any role or path.
func TestNoWayLeadsAroundAnApproval(t *testing.T) {
	moved := []any{"https://elsewhere.example/cb"}
	key := func(t *testing.T) map[string]any { return withRequestTime(bodyWithKey(t, "k")) }
	for name, way := range map[string]func(a approved, id string) registrartest.Reply{
		"PUT": func(a approved, id string) registrartest.Reply {
			return a.Call("PUT", partnerPath+"/"+id, a.ana, registrartest.UpdateRequest(with("redirectUris", moved)))
		},
		"PUT at the newer path": func(a approved, id string) registrartest.Reply {
			return a.Call("PUT", oauthPath+"/"+id, a.ana, withNames(registrartest.UpdateRequest(with("redirectUris", moved))))
		},
		"PATCH by an admin": func(a approved, id string) registrartest.Reply {
			return a.Call("PATCH", esignetPath+"client/"+id, a.Admin(), withRequestTime(map[string]any{"request": with("redirectUris", moved)}))
		},
		"a key": func(a approved, id string) registrartest.Reply {
			return a.Call("POST", clientsPath+id+"/keys", a.ana, key(a.t))
		},
		"a key by an admin": func(a approved, id string) registrartest.Reply {
			return a.Call("POST", clientsPath+id+"/keys", a.Admin(), key(a.t))
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := approved{t: t, wf: newWF(t), provider: registrartest.NewESignet(t), key: registrartest.Key(t)}
			a.Service = registrartest.Boot(t, registrartest.Options{Config: a.wf.Configure}) // which rolls keys
			a.ana = a.Partner("ana", "demo-partner")
			path, id := a.register()
			untouched := func(when, status string) {
				t.Helper()
				r := a.Call("GET", path, a.ana, nil)
				set := kids(t, a.Call("GET", providerPath+"/"+id+"/jwks", "", nil).Body)
				if r.Member("status") != status || status == "ACTIVE" && (strings.Contains(r.Body, "elsewhere") || len(set) != 1) {
					t.Errorf("%s: want %s and nothing changed: %s, keys %q", when, status, r.Body, set)
				}
			}
			if first := way(a, id); first.Code() == "" { // otherwise it is refused while pending
				a.ask()
				untouched("while it waits", "PENDING")
				a.wf.DecideRequest("request-1", "approved", "") // of the state before the change
				a.sendWebhook("request-1")
				a.ask()
				untouched("by an approval of the earlier state", "PENDING")
				a.decide("rejected", "no")
				untouched("rejected", "FAILED")
				expect(t, "after it was rejected", way(a, id), 200, "")
				a.ask()
				untouched("after it was rejected", "PENDING")
				a.decide("rejected", "no")
				expect(t, "as it was", a.Call("PUT", path, a.ana, registrartest.UpdateRequest(nil)), 200, "")
				a.ask()
			}
			a.decide("approved", "")
			untouched("approved", "ACTIVE")
			if r := way(a, id); r.Member("status") != "PENDING" {
				t.Errorf("after it was approved: %s", r.Body)
			}
			a.ask()
			untouched("after it was approved", "ACTIVE")
			a.decide("rejected", "no")
			untouched("rejected after that", "ACTIVE")
		})
	}
}
