package engine_test

import (
	"errors"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

func TestACatalogueFileIsReadOrNamesTheLine(t *testing.T) {
	const partner = "partners:\n  - partnerId: p1\n    name: P\n    type: Auth_Partner\n    status: ACTIVE\n"
	for name, tt := range map[string]struct{ file, want string }{
		"the sample":       {string(engine.Sample), ""},
		"an empty file":    {"", ""},
		"one partner":      {partner, ""},
		"a bad status":     {strings.Replace(partner, "ACTIVE", "ON", 1), "line 5: status must be ACTIVE or INACTIVE"},
		"a missing field":  {strings.Replace(partner, "    name: P\n", "", 1), "line 2: name must not be blank"},
		"an unknown field": {partner + "    colour: red\n", "line 6: colour is not a known member"},
		"a field twice":    {partner + "    name: Q\n", "line 6: "},
		"a wrong type":     {partner + "policies: 5\n", "line 6: "},
		"no YAML":          {"partners:\n  - [\n", "line 2: "},
		"a bad mapping":    {partner + "mappings:\n  - partnerId: p1\n    policyId: q1\n    status: MAYBE\n", "line 9: status must be APPROVED or REVOKED"},
		"a bad policy":     {"policies:\n  - {policyId: p, name: P, type: Other, status: ACTIVE}\n", "line 2: type must be Auth or DataShare"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := engine.ParseCatalog([]byte(tt.file), registrar.DefaultRules())
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestACatalogueIsAppliedWholeOrNotAtAll(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	c := engine.CatalogFile{
		Partners: []registrar.Partner{{ID: "p1", Name: "P", Type: registrar.AuthPartner, Status: registrar.EntryActive}},
		Mappings: []registrar.Mapping{{PartnerID: "p1", PolicyID: "nowhere", Status: registrar.MappingApproved}},
	}
	if err := w.Core.Catalog.ApplyFile(t.Context(), c); !errors.Is(err, registrar.PolicyNotFound) {
		t.Fatalf("error = %v", err)
	}
	if _, _, err := w.Core.Catalog.GetPartner(t.Context(), admin, "p1"); !errors.Is(err, registrar.PartnerNotFound) {
		t.Errorf("half of it was stored: %v", err)
	}
	c.Mappings[0].PolicyID = "demo-policy"
	for range 2 {
		if err := w.Core.Catalog.ApplyFile(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if _, mappings, err := w.Core.Catalog.GetPartner(t.Context(), admin, "p1"); err != nil || len(mappings) != 1 {
		t.Errorf("%v, %v", mappings, err)
	}
}

func TestChangingAPolicyChangesNoRegisteredClient(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	in := partnerRequest(t)
	c, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", in)
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Core.Catalog.GetPolicy(t.Context(), "demo-policy")
	if err != nil {
		t.Fatal(err)
	}
	p.UserClaims, p.Status = []string{"gender"}, registrar.EntryInactive
	if err := w.Core.Catalog.PutPolicy(t.Context(), admin, p); err != nil {
		t.Fatal(err)
	}
	if again, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", in); err != nil || again.ID != c.ID {
		t.Errorf("a repeat after the change: %+v, %v", again, err)
	}
	if got, err := w.Core.Clients.GetPartnerClient(t.Context(), ana, c.ID); err != nil || got.UserClaims[0] != "name" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "",
		partnerRequest(t)); !errors.Is(err, registrar.PolicyInactive) {
		t.Errorf("a new client: %v", err)
	}
}

// The confirmation of a PARTNER_ADMIN, on which a call at eSignet depends, outlives the call that replaces it.
func TestACascadeKeepsTheKnownStateAtTheProvider(t *testing.T) {
	w, _, clock := remote(t)
	c, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", partnerRequest(t))
	if err != nil {
		t.Fatal(err)
	}
	confirmed := registrar.Call{ClientID: c.ID, Kind: registrar.CallUpdate, Sent: true, Ours: true}
	var after store.Lease
	put := func(tx *store.Tx) error {
		return tx.Enqueue(store.NewCall(confirmed, c.Repetition(), "admin", clock.Now()), holder)
	}
	if err := w.Store.Do(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	p := registrar.Partner{ID: "demo-partner", Name: "Demo", Type: registrar.AuthPartner, Status: registrar.EntryInactive}
	if err := w.Core.Catalog.PutPartner(t.Context(), admin, p, true); err != nil {
		t.Fatal(err)
	}
	err = w.Store.Do(t.Context(), func(tx *store.Tx) (err error) {
		after, _, err = tx.Call(c.ID)
		return err
	})
	if err != nil || !after.Ours || !after.Sent || after.Wanted.Status != registrar.ClientInactive {
		t.Errorf("%+v, %v", after, err)
	}
}
