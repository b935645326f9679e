package registrar_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func catalogue() (registrar.Partner, registrar.Policy, registrar.Mapping) {
	return registrar.Partner{ID: "partner-1", Name: "Ministry of Health", Type: registrar.AuthPartner, Status: registrar.EntryActive},
		registrar.Policy{ID: "policy-1", Name: "Patients", Type: registrar.AuthPolicy, Status: registrar.EntryActive,
			UserClaims: []string{"name"}, ACRs: []string{"mosip:idp:acr:password"}},
		registrar.Mapping{PartnerID: "partner-1", PolicyID: "policy-1", Status: registrar.MappingApproved}
}

// TestAuthorise removes the obstacles one by one, so it also shows their order.
func TestAuthorise(t *testing.T) {
	reg, err := registrar.DefaultRules().Register(registrar.PartnerInterface, partnerRequest())
	if err != nil {
		t.Fatal(err)
	}
	var partner *registrar.Partner
	var policy *registrar.Policy
	var mapping *registrar.Mapping
	p, q, m := catalogue()
	p.Status, p.Type = registrar.EntryInactive, "Device_Provider"
	q.Status, q.Type, q.MandatoryAuthTypes, q.UserClaims, q.ACRs = registrar.EntryInactive, registrar.DataSharePolicy, []string{"otp"}, nil, nil
	m.Status = registrar.MappingRevoked
	for _, step := range []struct {
		want  registrar.Reason
		names string // the names required in the message
		next  func()
	}{
		{registrar.PartnerNotFound, "partner-1", func() { partner = &p }},
		{registrar.PartnerInactive, "partner-1", func() { p.Status = registrar.EntryActive }},
		{registrar.WrongPartnerType, "partner-1", func() { p.Type = registrar.AuthPartner }},
		{registrar.PolicyNotFound, "policy-1", func() { policy = &q }},
		{registrar.PolicyInactive, "policy-1", func() { q.Status = registrar.EntryActive }},
		{registrar.WrongPolicyType, "policy-1", func() { q.Type = registrar.AuthPolicy }},
		{registrar.MappingNotFound, "partner-1", func() { mapping = &m }},
		{registrar.MappingNotApproved, "policy-1", func() { m.Status = registrar.MappingApproved }},
		{registrar.MandatoryAuthTypes, "policy-1", func() { q.MandatoryAuthTypes = nil }},
		{registrar.NoClaims, "user claim", func() { q.UserClaims = []string{"name", "email"} }},
		{registrar.NoACRs, "authentication context", func() { q.ACRs = []string{"mosip:idp:acr:password"} }},
	} {
		if _, err := reg.Authorise(partner, policy, mapping); !errors.Is(err, step.want) || !strings.Contains(err.Error(), step.names) {
			t.Fatalf("Authorise: %v, want %s about %s", err, step.want, step.names)
		}
		step.next()
	}
	granted, err := reg.Authorise(partner, policy, mapping)
	if err != nil || !slices.Equal(granted.UserClaims, q.UserClaims) || !slices.Equal(granted.ACRs, q.ACRs) {
		t.Fatalf("Authorise = %+v, %v", granted, err)
	}
	if q.UserClaims[0] = "other"; granted.UserClaims[0] != "name" || reg.UserClaims != nil {
		t.Error("the registration shares its lists with the policy, or was changed")
	}
}

func TestCatalogueEntriesAreChecked(t *testing.T) {
	rules := registrar.DefaultRules()
	partner, policy, mapping := catalogue()
	partner.LogoURI = "https://rp.example/l.png"
	for _, err := range []error{rules.CheckPartner(partner), rules.CheckPolicy(policy), mapping.Check()} {
		if err != nil {
			t.Errorf("a good entry: %v", err)
		}
	}
	for _, tt := range []struct {
		err  error
		want []string
	}{
		{rules.CheckPartner(registrar.Partner{LogoURI: "x"}), []string{"partnerId", "name", "type", "status", "logoUri"}},
		{registrar.Mapping{}.Check(), []string{"partnerId", "policyId", "status"}},
		{rules.CheckPolicy(registrar.Policy{Status: "PENDING"}), []string{"policyId", "name", "type", "status"}},
		{rules.CheckPolicy(registrar.Policy{ID: strings.Repeat("p", 37), Name: "n", Type: registrar.AuthPolicy, Status: registrar.EntryActive,
			UserClaims: []string{"a", "a"}, ACRs: []string{""}, MandatoryAuthTypes: times(101)}),
			[]string{"policyId", "userClaims", "authContextRefs", "mandatoryAuthTypes"}},
	} {
		want := make([]string, len(tt.want))
		for i, field := range tt.want {
			want[i] = field + " invalid_catalog_entry"
		}
		if got := problems(t, tt.err); !slices.Equal(got, want) {
			t.Errorf("problems %q, want %q", got, want)
		}
	}
}

func TestAPolicyHasNoValueThatItsClientsMayNotHave(t *testing.T) {
	rules := registrar.DefaultRules()
	rules.Claims, rules.ACRs = []string{"name", "email"}, []string{"loa1"}
	for name, tt := range map[string]struct {
		claims, acrs []string
		kind         registrar.PolicyType
		want         string
	}{
		"supported": {[]string{"email"}, []string{"loa1"}, registrar.AuthPolicy, ""},
		"a claim": {[]string{"name", "shoe_size"}, []string{"loa1"}, registrar.AuthPolicy,
			`userClaims: element 1, "shoe_size", is not supported; permitted: name, email`},
		"an acr": {[]string{"name"}, []string{"loa4"}, registrar.AuthPolicy,
			`authContextRefs: element 0, "loa4", is not supported; permitted: loa1`},
		"of another purpose": {[]string{"shoe_size"}, []string{"loa4"}, registrar.DataSharePolicy, ""},
	} {
		_, p, _ := catalogue()
		p.Type, p.UserClaims, p.ACRs = tt.kind, tt.claims, tt.acrs
		got := ""
		if err := rules.CheckPolicy(p); err != nil {
			got = registrar.Describe(err)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
