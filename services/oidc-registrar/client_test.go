package registrar_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

var (
	born  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	later = born.Add(time.Hour)
)

func registration(t *testing.T) registrar.Registration {
	t.Helper()
	reg, err := registrar.DefaultRules().Register(registrar.ProviderInterface, providerRequest())
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func TestARegistrationBecomesAPendingClient(t *testing.T) {
	reg := registration(t)
	c := reg.NewClient("ana", born)
	if c.Status != registrar.ClientPending || c.CreatedBy != "ana" || !c.CreatedAt.Equal(born) || !c.UpdatedAt.Equal(born) || c.Rev != 1 {
		t.Errorf("client %+v", c)
	}
	if !c.Repeats(reg, "ana") {
		t.Error("a client does not recognise its own registration")
	}
	reg.RedirectURIs[0] = "https://evil.example/"
	if c.RedirectURIs[0] != "https://rp.example/cb" {
		t.Error("the client shares its lists with the request")
	}
}

func TestTransitions(t *testing.T) {
	client := registration(t).NewClient("ana", born)
	update := registrar.Update{Name: "New name", LogoURI: client.LogoURI, RedirectURIs: client.RedirectURIs,
		GrantTypes: client.GrantTypes, AuthMethods: client.AuthMethods}
	verbs := map[string]func(registrar.Client) (registrar.Client, error){
		"activate": func(c registrar.Client) (registrar.Client, error) { return c.Activate("", later) },
		"fail":     func(c registrar.Client) (registrar.Client, error) { return c.Fail(registrar.Failure{}, later) },
		"abandon":  func(c registrar.Client) (registrar.Client, error) { return c.Abandon(later) },
		"switch on": func(c registrar.Client) (registrar.Client, error) {
			u := update
			u.Status = registrar.ClientActive
			return c.Update(u, later)
		},
		"switch off": func(c registrar.Client) (registrar.Client, error) {
			u := update
			u.Status = registrar.ClientInactive
			return c.Update(u, later)
		},
	}
	const no = registrar.ClientStatus("") // refused
	tests := []struct {
		verb                              string
		pending, active, inactive, failed registrar.ClientStatus
	}{
		{"activate", registrar.ClientActive, registrar.ClientActive, no, no},
		{"fail", registrar.ClientFailed, no, no, registrar.ClientFailed},
		{"abandon", registrar.ClientPending, no, no, registrar.ClientPending},
		{"switch on", registrar.ClientPending, registrar.ClientActive, registrar.ClientActive, registrar.ClientPending},
		{"switch off", no, registrar.ClientInactive, registrar.ClientInactive, no},
	}
	for _, tt := range tests {
		for from, want := range map[registrar.ClientStatus]registrar.ClientStatus{
			registrar.ClientPending: tt.pending, registrar.ClientActive: tt.active, registrar.ClientInactive: tt.inactive, registrar.ClientFailed: tt.failed,
		} {
			t.Run(tt.verb+" "+string(from), func(t *testing.T) {
				before := client
				before.Status = from
				after, err := verbs[tt.verb](before)
				if want == no {
					if !errors.Is(err, registrar.InvalidStatus) || after.Status != from || after.Rev != before.Rev {
						t.Fatalf("= %s, %v; want a refusal that names the status", after.Status, err)
					}
					if !strings.Contains(err.Error(), string(from)) {
						t.Errorf("%v lacks the status of the client", err)
					}
					return
				}
				if err != nil || after.Status != want {
					t.Fatalf("= %s, %v; want %s", after.Status, err, want)
				}
				changed := len(before.Changes(after)) > 0
				if moved := after.Rev == before.Rev+1 && after.UpdatedAt.Equal(later); moved != changed {
					t.Errorf("rev %d at %s, although changed is %t", after.Rev, after.UpdatedAt, changed)
				}
				if before.Status != from {
					t.Error("the receiver was changed")
				}
			})
		}
	}
}

func TestUpdateListsItsChanges(t *testing.T) {
	before, _ := registration(t).NewClient("ana", born).Activate("", born)
	same := registrar.Update{Name: before.Name, LogoURI: before.LogoURI, RedirectURIs: before.RedirectURIs, GrantTypes: before.GrantTypes,
		AuthMethods: before.AuthMethods, Status: registrar.ClientActive}
	after, err := before.Update(same, later)
	if err != nil || after.Rev != before.Rev || len(before.Changes(after)) != 0 {
		t.Errorf("an update that changes nothing: %+v, %v", after, err)
	}
	u := registrar.Update{Name: "n", UserClaims: []string{"sub"}, ACRs: []string{"x"}, LogoURI: "l", RedirectURIs: []string{"r"},
		GrantTypes: []string{"g"}, AuthMethods: []string{"a"}, Status: registrar.ClientInactive}
	after, err = before.Update(u, later)
	want := []string{"clientName", "userClaims", "authContextRefs", "logoUri", "redirectUris", "grantTypes", "clientAuthMethods", "status"}
	if got := before.Changes(after); err != nil || !slices.Equal(got, want) {
		t.Errorf("Changes = %q, %v", got, err)
	}
	if u.RedirectURIs[0] = "other"; after.RedirectURIs[0] != "r" {
		t.Error("the client shares its lists with the update")
	}
}

func TestUnknownOutcomeBlocksChanges(t *testing.T) {
	for _, from := range []registrar.ClientStatus{registrar.ClientPending, registrar.ClientActive, registrar.ClientInactive, registrar.ClientFailed} {
		client := registration(t).NewClient("ana", born)
		client.Status = from
		if _, err := client.Resolve(later); !errors.Is(err, registrar.InvalidStatus) {
			t.Errorf("%s: a certain outcome is resolved: %v", from, err)
		}
		doubtful := client.RecordUnknownOutcome(later)
		if !doubtful.OutcomeUnknown || doubtful.Rev != client.Rev+1 {
			t.Fatalf("%s: %+v", from, doubtful)
		}
		want := from
		if from == registrar.ClientFailed { // it was given up
			want = registrar.ClientPending
		}
		if doubtful.Status != want {
			t.Errorf("%s became %s", from, doubtful.Status)
		}
		for _, status := range []registrar.ClientStatus{registrar.ClientActive, registrar.ClientInactive} {
			if _, err := doubtful.Update(registrar.Update{Name: "x", Status: status}, later); !errors.Is(err, registrar.InvalidStatus) {
				t.Errorf("%s: a client with an unknown outcome is updated: %v", from, err)
			}
		}
		if _, err := doubtful.Abandon(later); !errors.Is(err, registrar.InvalidStatus) {
			t.Errorf("%s: a client with an unknown outcome is abandoned: %v", from, err)
		}
		resolved, err := doubtful.Resolve(later)
		if err != nil || resolved.OutcomeUnknown || resolved.Status != doubtful.Status || resolved.Rev != doubtful.Rev+1 {
			t.Errorf("%s: %+v, %v", from, resolved, err)
		}
	}
}

func TestFailureIsKeptUntilTheNextAttempt(t *testing.T) {
	why := registrar.Failure{Reason: registrar.ProviderRefused, ProviderCode: "invalid_claim", Message: "no such claim"}
	failed, err := registration(t).NewClient("ana", born).Fail(why, later)
	if err != nil || failed.Failure != why {
		t.Fatalf("%+v, %v", failed, err)
	}
	refused, ok := errors.AsType[*refusal.Error](failed.Failure.Err())
	if !ok || refused.Reason.General() != why.Reason || registrar.ProviderCode(refused.Reason) != why.ProviderCode || refused.Message != why.Message {
		t.Errorf("%+v", refused)
	}
	again, err := failed.Update(registrar.Update{Name: "New name", Status: registrar.ClientActive}, later)
	if err != nil || again.Failure != (registrar.Failure{}) || again.Status != registrar.ClientPending {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestARepeatIsTheSameInEveryField(t *testing.T) {
	reg := registration(t)
	c := reg.NewClient("ana", born)
	if c.Repeats(reg, "bo") {
		t.Error("another caller's registration is no repeat")
	}
	for name, edit := range map[string]func(*registrar.Registration){
		"id":        func(r *registrar.Registration) { r.ID = "x" },
		"api":       func(r *registrar.Registration) { r.API = registrar.PartnerAPI },
		"name":      func(r *registrar.Registration) { r.Name = "x" },
		"partner":   func(r *registrar.Registration) { r.PartnerID = "x" },
		"policy":    func(r *registrar.Registration) { r.PolicyID = "x" },
		"kid":       func(r *registrar.Registration) { r.Key.ID = "x" },
		"logo":      func(r *registrar.Registration) { r.LogoURI = "x" },
		"claims":    func(r *registrar.Registration) { r.UserClaims = nil },
		"acrs":      func(r *registrar.Registration) { r.ACRs = nil },
		"redirects": func(r *registrar.Registration) { r.RedirectURIs = nil },
		"grants":    func(r *registrar.Registration) { r.GrantTypes = nil },
		"methods":   func(r *registrar.Registration) { r.AuthMethods = nil },
		"names":     func(r *registrar.Registration) { r.Extensions.Names = map[string]string{"fra": "x"} },
		"config":    func(r *registrar.Registration) { r.Extensions.Config = "{}" },
		"enc key":   func(r *registrar.Registration) { r.Extensions.EncKey = "{}" },
	} {
		other := registration(t)
		if edit(&other); c.Repeats(other, "ana") {
			t.Errorf("a registration with another %s is no repeat", name)
		}
	}
}

func TestAPartnersRepeatOutlivesAChangeOfPolicy(t *testing.T) {
	reg, err := registrar.DefaultRules().Register(registrar.PartnerInterface, partnerRequest())
	if err != nil {
		t.Fatal(err)
	}
	partner, policy, mapping := catalogue()
	granted, err := reg.Authorise(&partner, &policy, &mapping)
	if err != nil {
		t.Fatal(err)
	}
	c := granted.NewClient("ana", born)
	if !slices.Equal(c.UserClaims, policy.UserClaims) {
		t.Errorf("claims %q, want the policy's", c.UserClaims)
	}
	if !c.Repeats(reg, "ana") {
		t.Error("a repeat is recognised before the policy is evaluated again")
	}
}

func TestFlagsForTheReviewer(t *testing.T) {
	for _, tt := range []struct {
		logo, redirect string
		dropped        bool
		want           []registrar.Flag
	}{
		{"https://rp.example/l", "https://rp.example/cb", false, nil},
		{"https://RP.example/l", "https://rp.example:8443/cb", false, nil},
		{"https://cdn.example/l", "https://rp.example/cb", false, []registrar.Flag{registrar.FlagForeignLogo}},
		{"https://rp.example/l", "com.example.app:/cb", false, []registrar.Flag{registrar.FlagForeignLogo}},
		{"https://xn--xample-2of.com/l", "https://xn--xample-2of.com/", false, []registrar.Flag{registrar.FlagPunycodeHost}},
		{"https://a.xn--xample-2of.com/l", "https://a.xn--xample-2of.com/", true,
			[]registrar.Flag{registrar.FlagPunycodeHost, registrar.FlagPrivateDropped}},
	} {
		r := registrar.Registration{Client: registrar.Client{LogoURI: tt.logo, RedirectURIs: []string{tt.redirect}}, PrivateDropped: tt.dropped}
		if got := r.Flags(); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %s: %q, want %q", tt.logo, tt.redirect, got, tt.want)
		}
	}
}

func TestASecretIsNotPrinted(t *testing.T) {
	record := registrar.ProviderRecord{ClientID: "c", AccessToken: "hunter2"}
	asJSON, _ := json.Marshal(record)
	if out := fmt.Sprintf("%v %+v %#v %s %s", record, record, record, record.AccessToken, asJSON); strings.Contains(out, "hunter2") {
		t.Error(out)
	}
}

// If a deactivation is final in an API, an admin may update the client, and its deactivation becomes final.
func TestAdminUpdatesAFinallyDeactivatedClient(t *testing.T) {
	c := registration(t).NewClient("ana", born)
	c.Status = registrar.ClientInactive
	u := c.Deactivation()
	u.Final, u.Name = true, "New"
	if _, err := c.Update(u, later); !errors.Is(err, registrar.AlreadyInactive) {
		t.Errorf("without the right to lift it: %v", err)
	}
	u.Lift = true
	if after, err := c.Update(u, later); err != nil || after.Name != "New" || !after.Final {
		t.Errorf("%q, for good %t, %v", after.Name, after.Final, err)
	}
	u.Name = c.Name
	if after, err := c.Update(u, later); err != nil || !after.Final || !slices.Equal(c.Changes(after), []string{"status"}) {
		t.Errorf("for good alone: %t, %v, %v", after.Final, c.Changes(after), err)
	}
}

func TestTheLastFailureCounts(t *testing.T) {
	c, err := registration(t).NewClient("ana", born).Fail(registrar.Failure{Reason: registrar.InvalidClaim}, born)
	if err != nil {
		t.Fatal(err)
	}
	after, err := c.Fail(registrar.Failure{Reason: registrar.InvalidACR}, later)
	if err != nil || after.Failure.Reason != registrar.InvalidACR || after.Rev != c.Rev+1 {
		t.Errorf("%+v, %v", after.Failure, err)
	}
	if again, err := after.Fail(after.Failure, later); err != nil || again.Rev != after.Rev {
		t.Errorf("the same again: revision %d, %v", again.Rev, err)
	}
}
