package api_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// TestOnlyAnAdminLiftsTheDisableOfAnAdmin crosses the paths that disable a client with those that enable it.
func TestOnlyAnAdminLiftsTheDisableOfAnAdmin(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	const neutral = "/v1/registrar/clients/"
	status := func(path, token, status string) registrartest.Reply {
		return w.Call("PUT", path, token, withNames(withRequestTime(registrartest.UpdateRequest(with("status", status)))))
	}
	partner := func(state string) func(string) registrartest.Reply {
		return func(string) registrartest.Reply {
			return w.Call("PUT", "/v1/partnermanager/partners/demo-partner?cascade=true", w.Admin(),
				map[string]any{"request": with("name", "P", "type", "Auth_Partner", "status", state)})
		}
	}
	put := func(path, token, state string) func(string) registrartest.Reply {
		return func(id string) registrartest.Reply { return status(path+"/"+id, token, state) }
	}
	post := func(token, action string) func(string) registrartest.Reply {
		return func(id string) registrartest.Reply {
			return w.Call("POST", neutral+id+"/"+action, token, map[string]any{"request": with("reason", "abuse")})
		}
	}
	ana, scope := w.Partner("ana", "demo-partner"), w.Provider()
	patch := func(token, state string) func(string) registrartest.Reply {
		return func(id string) registrartest.Reply {
			return w.Call("PATCH", esignetPath+"client/"+id, token, withRequestTime(map[string]any{"request": with("status", state)}))
		}
	}
	doors := map[bool]map[string]func(token, state string) func(string) registrartest.Reply{
		true: {
			"partner": func(token, s string) func(string) registrartest.Reply { return put(partnerPath, token, s) },
			"oauth":   func(token, s string) func(string) registrartest.Reply { return put(oauthPath, token, s) },
			"neutral": func(token, s string) func(string) registrartest.Reply {
				return post(token, map[string]string{"ACTIVE": "enable", "INACTIVE": "disable"}[s])
			},
		},
		false: {
			"idp": func(token, s string) func(string) registrartest.Reply { return put(providerPath, token, s) },
			"named": func(token, s string) func(string) registrartest.Reply {
				return put(esignetPath+"oauth-client", token, s)
			},
			"whole": func(token, s string) func(string) registrartest.Reply { return put(esignetPath+"client", token, s) },
			"patch": func(token, s string) func(string) registrartest.Reply { return patch(token, s) },
			"neutral": func(token, s string) func(string) registrartest.Reply {
				return post(token, map[string]string{"ACTIVE": "enable", "INACTIVE": "disable"}[s])
			},
		},
	}
	for side, ways := range doors {
		owner := map[bool]string{true: ana, false: scope}[side]
		disable := map[string]func(string) registrartest.Reply{}
		for name, way := range ways {
			disable[name] = way(w.Admin(), "INACTIVE")
		}
		if side {
			disable["cascade"] = partner("INACTIVE")
		}
		for by, off := range disable {
			id := "c-" + by
			if side {
				id = clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil)))
			} else {
				expect(t, "registered", w.Call("POST", providerPath, scope, registrartest.ProviderRequest(id, registrartest.Key(t), nil)), 200, "")
			}
			expect(t, "disable by "+by, off(id), 200, "")
			if by == "cascade" {
				expect(t, "the partner is ACTIVE again", partner("ACTIVE")(id), 200, "")
			}
			for name, on := range ways {
				r, want := on(owner, "ACTIVE")(id), map[bool]string{true: "KER-ATH-403", false: "FORBIDDEN"}[side && name != "neutral"]
				code := 403
				if name == "oauth" {
					want, code = "PMS_ESI_008", 200
				}
				if r.Status != code || r.Code() != want || !strings.Contains(r.Body, "PARTNER_ADMIN") {
					t.Errorf("disabled by %s, enabled by %s: %d %s, want %d %s", by, name, r.Status, r.Body, code, want)
				}
			}
			expect(t, "enabled by an admin", post(w.Admin(), "enable")(id), 200, "")
			expect(t, "disabled by its owner", post(owner, "disable")(id), 200, "")
			expect(t, "enabled by its owner", post(owner, "enable")(id), 200, "")
		}
	}
}
