package api_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// TestOnlyAnAdminLiftsTheDisableOfAnAdmin crosses the paths that disable a client with those that enable it.
func TestOnlyAnAdminLiftsTheDisableOfAnAdmin(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana, scope := w.Partner("ana", "demo-partner"), w.Provider()
	partner := func(status string) registrartest.Reply {
		return w.Call("PUT", "/v1/partnermanager/partners/demo-partner?cascade=true", w.Admin(),
			map[string]any{"request": with("name", "P", "type", "Auth_Partner", "status", status)})
	}
	neutral := func(token, status, id string) registrartest.Reply {
		action := map[string]string{"ACTIVE": "/enable", "INACTIVE": "/disable"}[status]
		return w.Call("POST", clientsPath+id+action, token, because("abuse"))
	}
	for side, owner := range map[bool]string{true: ana, false: scope} {
		ways := map[string]func(token, status, id string) registrartest.Reply{"neutral": neutral}
		for _, d := range everyDoor {
			if d.partner == side {
				ways[d.path] = func(token, status, id string) registrartest.Reply {
					body := withNames(withRequestTime(registrartest.UpdateRequest(with("status", status))))
					return w.Call("PUT", d.path+"/"+id, token, body)
				}
			}
			if d.configured && !side {
				ways["patch"] = func(token, status, id string) registrartest.Reply {
					return w.Call("PATCH", d.path+"/"+id, token, withRequestTime(map[string]any{"request": with("status", status)}))
				}
			}
		}
		disable := maps.Clone(ways)
		if side {
			disable["cascade"] = func(string, string, string) registrartest.Reply { return partner("INACTIVE") }
		}
		for by, off := range disable {
			d := door{path: map[bool]string{true: partnerPath, false: providerPath}[side], partner: side}
			body := d.registration("c"+strings.ReplaceAll(by, "/", "-"), registrartest.Key(t), nil)
			id := clientID(t, w.Call("POST", d.path, owner, body))
			expect(t, "disable by "+by, off(w.Admin(), "INACTIVE", id), 200, "")
			if by == "cascade" {
				expect(t, "the partner is ACTIVE again", partner("ACTIVE"), 200, "")
			}
			for name, on := range ways {
				r, code := on(owner, "ACTIVE", id), 403
				want := map[bool]string{true: "KER-ATH-403", false: "FORBIDDEN"}[side && name != "neutral"]
				if name == oauthPath {
					want, code = "PMS_ESI_008", 200
				}
				if r.Status != code || r.Code() != want || !strings.Contains(r.Body, "PARTNER_ADMIN") {
					t.Errorf("disabled by %s, enabled by %s: %d %s, want %d %s", by, name, r.Status, r.Body, code, want)
				}
			}
			expect(t, "enabled by an admin", neutral(w.Admin(), "ACTIVE", id), 200, "")
			expect(t, "disabled by its owner", neutral(owner, "INACTIVE", id), 200, "")
			expect(t, "enabled by its owner", neutral(owner, "ACTIVE", id), 200, "")
		}
	}
}
