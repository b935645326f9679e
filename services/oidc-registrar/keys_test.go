package registrar_test

import (
	"errors"
	"slices"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func newNamedKey(id string) registrar.Key {
	return registrar.Key{ID: id, Thumbprint: "thumb-" + id, JWK: "{}"}
}

func TestAKeyIsAddedAndRemoved(t *testing.T) {
	one := active(t)
	one.Key = newNamedKey("k1")
	two := one
	two.Key, two.OtherKeys = newNamedKey("k2"), []registrar.Key{newNamedKey("k1")}
	twin := newNamedKey("k1")
	twin.Thumbprint = "another"
	for name, tt := range map[string]struct {
		change func() (registrar.Update, error)
		c      registrar.Client
		want   []string // the keys after it; nil for a refusal
	}{
		"a second key":              {func() (registrar.Update, error) { return one.AddKey(newNamedKey("k2")) }, one, []string{"k2", "k1"}},
		"one that it has":           {func() (registrar.Update, error) { return one.AddKey(newNamedKey("k1")) }, one, []string{"k1"}},
		"one that it has of two":    {func() (registrar.Update, error) { return two.AddKey(newNamedKey("k1")) }, two, []string{"k2", "k1"}},
		"another of the same name":  {func() (registrar.Update, error) { return one.AddKey(twin) }, one, nil},
		"a third one":               {func() (registrar.Update, error) { return two.AddKey(newNamedKey("k3")) }, two, nil},
		"the only one is removed":   {func() (registrar.Update, error) { return one.RemoveKey("k1", "") }, one, nil},
		"the former one is removed": {func() (registrar.Update, error) { return two.RemoveKey("k1", "") }, two, []string{"k2"}},
		"the new one is removed":    {func() (registrar.Update, error) { return two.RemoveKey("k2", "") }, two, []string{"k1"}},
		"one by its thumbprint":     {func() (registrar.Update, error) { return two.RemoveKey("", "thumb-k1") }, two, []string{"k2"}},
		"one that it has not":       {func() (registrar.Update, error) { return two.RemoveKey("k3", "") }, two, nil},
		"a thumbprint as its kid":   {func() (registrar.Update, error) { return two.RemoveKey("thumb-k1", "") }, two, nil},
	} {
		u, err := tt.change()
		if tt.want == nil {
			if !errors.Is(err, registrar.InvalidKey) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		after, err := tt.c.Update(u, later)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, k := range after.Keys() {
			got = append(got, k.ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: the keys %v, want %v", name, got, tt.want)
		}
	}
}

// An update may be applied once more after the keys have changed by it: it leaves a key.
func TestAChangeOfKeysThatIsMadeAgainChangesNothing(t *testing.T) {
	c := active(t)
	c.Key = newNamedKey("k2")
	for name, change := range map[string]registrar.KeyChange{
		"added":                   {Add: newNamedKey("k2")},
		"removed":                 {Remove: "thumb-k1"},
		"added in place of one":   {Add: newNamedKey("k2"), Remove: "thumb-k1"},
		"the only one is removed": {Remove: "thumb-k2"},
	} {
		u := c.Deactivation()
		u.Status, u.Keys = registrar.ClientActive, change
		if after, err := c.Update(u, later); err != nil || len(after.Keys()) != 1 || after.Key != c.Key {
			t.Errorf("%s: %v, %v", name, after.Keys(), err)
		}
	}
}

func TestKeysAreReplaced(t *testing.T) {
	one := active(t)
	one.Key = newNamedKey("k1")
	two := one
	two.Key, two.OtherKeys = newNamedKey("k2"), []registrar.Key{newNamedKey("k1")}
	named := func(ids ...string) (list []registrar.Key) {
		for _, id := range ids {
			list = append(list, newNamedKey(id))
		}
		return list
	}
	public := one
	public.AuthMethods, public.Key = []string{"none"}, registrar.Key{}
	for name, tt := range map[string]struct {
		c          registrar.Client
		keys, want []registrar.Key
		fail       bool
	}{
		"the same":               {c: one, keys: named("k1")},
		"the same two":           {c: two, keys: named("k1", "k2")},
		"one more":               {c: one, keys: named("k1", "k2"), want: named("k2", "k1")},
		"one more, at first":     {c: one, keys: named("k2", "k1"), want: named("k2", "k1")},
		"another":                {c: one, keys: named("k2"), want: named("k2")},
		"one of two":             {c: two, keys: named("k2"), want: named("k2")},
		"two others":             {c: one, keys: named("k2", "k3"), want: named("k2", "k3")},
		"a third one":            {c: two, keys: named("k1", "k2", "k3"), want: named("k3", "k2", "k1")},
		"another and one gone":   {c: two, keys: named("k2", "k3"), want: named("k3", "k2")},
		"five":                   {c: one, keys: named("k1", "k2", "k3", "k4", "k5"), want: named("k2", "k3", "k4", "k5", "k1")},
		"six":                    {c: one, keys: named("k1", "k2", "k3", "k4", "k5", "k6"), fail: true},
		"two with one kid":       {c: one, keys: named("k2", "k2"), fail: true},
		"none":                   {c: one, fail: true},
		"one of a public client": {c: public, keys: named("k1"), fail: true},
	} {
		change, err := tt.c.ReplaceKeys(tt.keys)
		if !slices.Equal(change.Set, tt.want) || change.Add != (registrar.Key{}) || errors.Is(err, registrar.InvalidKey) != tt.fail {
			t.Errorf("%s: %+v, %v", name, change, err)
		}
		u := tt.c.Repetition()
		if u.Keys = change; tt.want != nil {
			if after, err := tt.c.Update(u, later); err != nil || !slices.Equal(after.Keys(), tt.want) {
				t.Errorf("%s: %v, %v", name, after.Keys(), err)
			}
		}
	}
}

func TestKeysThatNoOtherClientMayHave(t *testing.T) {
	c := active(t)
	c.Key, c.OtherKeys = newNamedKey("k2"), []registrar.Key{newNamedKey("k1")}
	for want, add := range map[int]registrar.Key{2: {}, 3: newNamedKey("k3")} {
		if got := c.ReservedKeys(registrar.Update{Keys: registrar.KeyChange{Add: add}}); len(got) != want ||
			!slices.Contains(got, "thumb-k1") || !slices.Contains(got, "thumb-k2") {
			t.Errorf("with %q: %v", add.ID, got)
		}
	}
	if got := c.ReservedKeys(registrar.Update{Keys: registrar.KeyChange{Add: newNamedKey("k1")}}); len(got) != 2 {
		t.Errorf("a key that it has is held twice: %v", got)
	}
}

// Members absent from PATCH stay. The approval of an unconfirmed client is requested
// again.
func TestPatchChangesOnlyGivenMembers(t *testing.T) {
	c := active(t)
	for name, tt := range map[string]struct {
		patch registrar.Update
		want  []string
	}{
		"nothing":       {registrar.Update{}, nil},
		"the name":      {registrar.Update{Name: "New"}, []string{"clientName"}},
		"the logo":      {registrar.Update{LogoURI: "https://rp.example/new.png"}, []string{"logoUri"}},
		"redirect URIs": {registrar.Update{RedirectURIs: []string{"https://rp.example/new"}}, []string{"redirectUris"}},
		"grant types":   {registrar.Update{GrantTypes: []string{"implicit"}}, []string{"grantTypes"}},
		"methods":       {registrar.Update{AuthMethods: []string{"tls_client_auth"}}, []string{"clientAuthMethods"}},
		"claims":        {registrar.Update{UserClaims: []string{"gender"}}, []string{"userClaims"}},
		"ACRs":          {registrar.Update{ACRs: []string{"a"}}, []string{"authContextRefs"}},
		"the status":    {registrar.Update{Status: registrar.ClientInactive}, []string{"status"}},
	} {
		after, err := c.Update(c.Fill(tt.patch), later)
		if err != nil || !slices.Equal(c.Changes(after), tt.want) {
			t.Errorf("%s: %v, %v", name, c.Changes(after), err)
		}
	}
	for from, want := range map[registrar.ClientStatus]registrar.ClientStatus{
		registrar.ClientActive: registrar.ClientActive, registrar.ClientInactive: registrar.ClientInactive,
		registrar.ClientPending: registrar.ClientPending, registrar.ClientFailed: registrar.ClientPending,
	} {
		before := c
		before.Status = from
		if after, err := before.Update(before.Fill(registrar.Update{Name: "New"}), later); err != nil || after.Status != want {
			t.Errorf("%s becomes %s, %v; want %s", from, after.Status, err, want)
		}
	}
}
