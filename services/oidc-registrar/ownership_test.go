package registrar_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func TestChangeRepeatsOwnershipChecksOfRegistration(t *testing.T) {
	client := registrar.Client{ID: "c", API: registrar.PartnerAPI, PartnerID: "p", PolicyID: "y", Name: "n", Status: registrar.ClientActive}
	active, inactive := &registrar.Partner{ID: "p", Status: registrar.EntryActive}, &registrar.Partner{ID: "p", Status: registrar.EntryInactive}
	approved, revoked := &registrar.Mapping{Status: registrar.MappingApproved}, &registrar.Mapping{Status: registrar.MappingRevoked}
	renamed, off, both := client, client, client
	renamed.Name, both.Name = "new", "new"
	off.Status, both.Status = registrar.ClientInactive, registrar.ClientInactive
	foreign := client
	foreign.API = registrar.ProviderAPI

	for name, tt := range map[string]struct {
		before, after registrar.Client
		partner       *registrar.Partner
		mapping       *registrar.Mapping
		want          error
	}{
		"all is well":                                  {client, renamed, active, approved, nil},
		"the partner is inactive":                      {client, renamed, inactive, approved, registrar.PartnerInactive},
		"the partner is gone":                          {client, renamed, nil, approved, registrar.PartnerNotFound},
		"the mapping is revoked":                       {client, renamed, active, revoked, registrar.MappingNotApproved},
		"the mapping is gone":                          {client, renamed, active, nil, registrar.MappingNotFound},
		"nothing changes, and the partner is INACTIVE": {client, client, inactive, approved, registrar.PartnerInactive},
		"switching off is always allowed":              {client, off, inactive, revoked, nil},
		"but not a change under its cover":             {client, both, inactive, approved, registrar.PartnerInactive},
		"no partner in the client-management API":      {foreign, renamed, nil, nil, nil},
		"switched off once more, nothing happens":      {off, off, inactive, approved, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tt.before.Permit(tt.after, tt.partner, tt.mapping); !errors.Is(err, tt.want) {
				t.Errorf("Permit() = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestPolicyGrantedValuesAreImmutable(t *testing.T) {
	client := registrar.Client{API: registrar.PartnerAPI, UserClaims: []string{"name"}, ACRs: []string{"a"}, Status: registrar.ClientActive}
	for name, tt := range map[string]struct {
		door   registrar.API
		update registrar.Update
		want   error
	}{
		"the same again":           {registrar.PartnerAPI, registrar.Update{UserClaims: []string{"name"}, ACRs: []string{"a"}}, nil},
		"not given":                {registrar.PartnerAPI, registrar.Update{}, nil},
		"one more claim":           {registrar.PartnerAPI, registrar.Update{UserClaims: []string{"name", "email"}}, registrar.InvalidClaim},
		"another ACR":              {registrar.PartnerAPI, registrar.Update{ACRs: []string{"b"}}, registrar.InvalidACR},
		"a client of the provider": {registrar.ProviderAPI, registrar.Update{UserClaims: []string{"email"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := client
			c.API, tt.update.Status = tt.door, registrar.ClientActive
			if _, err := c.Update(tt.update, time.Time{}); !errors.Is(err, tt.want) {
				t.Errorf("Update() = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestFinalDeactivationIsIrreversible(t *testing.T) {
	at := time.Time{}
	on := registrar.Client{ID: "c", Name: "n", Status: registrar.ClientActive}
	off, err := on.Update(registrar.Update{Name: "n", Status: registrar.ClientInactive, Final: true}, at)
	if err != nil || !off.Final {
		t.Fatalf("%+v, %v", off, err)
	}
	for name, tt := range map[string]struct {
		update registrar.Update
		want   error
	}{
		"back on":        {registrar.Update{Name: "n", Status: registrar.ClientActive}, registrar.AlreadyInactive},
		"another name":   {registrar.Update{Name: "m", Status: registrar.ClientInactive}, registrar.AlreadyInactive},
		"the same again": {registrar.Update{Name: "n", Status: registrar.ClientInactive}, nil},
		"the same in an API with final deactivation": {registrar.Update{Name: "n", Status: registrar.ClientInactive,
			Final: true}, registrar.AlreadyInactive},
		"back on by an admin": {registrar.Update{Name: "n", Status: registrar.ClientActive, Lift: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := off.Update(tt.update, at)
			if !errors.Is(err, tt.want) {
				t.Fatalf("Update() = %v, want %v", err, tt.want)
			}
			if tt.update.Lift && after.Final {
				t.Error("it is lifted, and still final")
			}
		})
	}
	reversible, _ := on.Update(registrar.Update{Name: "n", Status: registrar.ClientInactive}, at)
	if _, err := reversible.Update(registrar.Update{Name: "n", Status: registrar.ClientActive}, at); err != nil {
		t.Errorf("the way back at the other doors: %v", err)
	}
	if _, err := reversible.Update(registrar.Update{Name: "n", Status: registrar.ClientActive, Final: true},
		at); !errors.Is(err, registrar.AlreadyInactive) {
		t.Errorf("enabled in an API with final deactivation: %v", err)
	}
}

// Each update that an admin makes INACTIVE is Final, and no other.
func TestADisableByAnAdminIsFinal(t *testing.T) {
	for name, tt := range map[string]struct {
		before registrar.Client
		update registrar.Update
		final  bool
	}{
		"by an admin":                   {registrar.Client{Status: registrar.ClientActive}, registrar.Update{Lift: true}, true},
		"by the partner":                {registrar.Client{Status: registrar.ClientActive}, registrar.Update{}, false},
		"at the end of its approval":    {registrar.Client{Status: registrar.ClientActive}, registrar.Update{Suspend: true}, false},
		"of the partner's, by an admin": {registrar.Client{Status: registrar.ClientInactive}, registrar.Update{Lift: true, Immediate: true}, true},
		"an admin changes a name":       {registrar.Client{Status: registrar.ClientInactive}, registrar.Update{Lift: true, Name: "n"}, false},
		"of a suspended one, by an admin": {registrar.Client{Status: registrar.ClientInactive, Suspended: true},
			registrar.Update{Lift: true, Immediate: true}, true},
	} {
		tt.update.Status = registrar.ClientInactive
		after, err := tt.before.Update(tt.update, time.Time{})
		if err != nil || after.Final != tt.final {
			t.Errorf("%s: final %t, %v", name, after.Final, err)
		}
	}
}

func TestAnIDThatLooksLikeAKeysIsThatOfItsOwnKey(t *testing.T) {
	rules := registrar.DefaultRules()
	request := providerRequest()
	key, _, err := rules.ParseKey(request.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]error{
		key.Thumbprint:                nil,
		strings.Repeat("A", 43):       registrar.InvalidClientID,
		strings.Repeat("A", 42):       nil,
		strings.Repeat("A", 42) + ".": nil,
		strings.Repeat("-", 42) + "_": registrar.InvalidClientID,
		key.Thumbprint[1:] + "A":      registrar.InvalidClientID,
		strings.Repeat("A", 44):       nil,
	} {
		request.ClientID = id
		if _, err := rules.Register(registrar.ProviderInterface, request); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", id, err, want)
		}
	}
}
