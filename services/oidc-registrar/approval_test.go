package registrar_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// active is a client that the identity provider has confirmed.
func active(t *testing.T) registrar.Client {
	t.Helper()
	c, err := registration(t).NewClient("ana", born).Activate("", born)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestChangesRequiringApproval(t *testing.T) {
	c := active(t)
	for name, tt := range map[string]struct {
		change func(c, after *registrar.Client)
		want   bool
	}{
		"nothing":        {func(c, after *registrar.Client) {}, false},
		"a name":         {func(c, after *registrar.Client) { after.Name = "New" }, true},
		"a logo":         {func(c, after *registrar.Client) { after.LogoURI = "https://rp.example/new.png" }, true},
		"to switch off":  {func(c, after *registrar.Client) { after.Status = registrar.ClientInactive }, false},
		"to switch on":   {func(c, after *registrar.Client) { c.Status = registrar.ClientInactive }, true},
		"redirect URIs":  {func(c, after *registrar.Client) { after.RedirectURIs = []string{"https://rp.example/new"} }, true},
		"claims":         {func(c, after *registrar.Client) { after.UserClaims = []string{"name"} }, true},
		"ACRs":           {func(c, after *registrar.Client) { after.ACRs = nil }, true},
		"grant types":    {func(c, after *registrar.Client) { after.GrantTypes = nil }, true},
		"authentication": {func(c, after *registrar.Client) { after.AuthMethods = nil }, true},
		"another name":   {func(c, after *registrar.Client) { after.Extensions.Names = map[string]string{"fra": "Santé"} }, true},
		"a setting":      {func(c, after *registrar.Client) { after.Extensions.Config = `{"require_pkce":true}` }, true},
		"an encryption":  {func(c, after *registrar.Client) { after.Extensions.EncKey = "{}" }, true},
		"a key":          {func(c, after *registrar.Client) { after.OtherKeys = []registrar.Key{{Thumbprint: "k2"}} }, true},
		"off and a key":  {func(c, after *registrar.Client) { after.Status, after.Key.Thumbprint = registrar.ClientInactive, "k2" }, true},
		"what is PENDING": {func(c, after *registrar.Client) {
			c.Status, after.Status = registrar.ClientPending, registrar.ClientPending
		}, true},
		"what has FAILED": {func(c, after *registrar.Client) {
			c.Status, after.Status = registrar.ClientFailed, registrar.ClientPending
		}, true},
	} {
		before, after := c, c
		tt.change(&before, &after)
		if got := before.NeedsApproval(after, nil); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
		exempt := before.Status == registrar.ClientActive && (name == "a name" || name == "a logo")
		if got := before.NeedsApproval(after, []string{"clientName", "logoUri"}); got != (tt.want && !exempt) {
			t.Errorf("%s, with an exempt name and logo: %t", name, got)
		}
	}
}

func TestApprovalContextCoversAllSentChanges(t *testing.T) {
	c := active(t)
	c.OtherKeys = []registrar.Key{{Thumbprint: "k0"}}
	after := c
	after.RedirectURIs = []string{"https://rp.example/new"}
	a, err := c.Ask(after, registrar.CallUpdate, registrar.Update{Name: "New"}, "clients", "ana", 2, later, "")
	if err != nil {
		t.Fatal(err)
	}
	if a.State != registrar.ApprovalAsking || a.Revision != 3 || a.Title != "Change the client "+c.Name || a.Wanted.Name != "New" ||
		a.Requester != "ana" || !a.DueAt.Equal(later) {
		t.Errorf("approval %+v", a)
	}
	after.Name = strings.Repeat("é", 256)
	a, err = c.Ask(after, registrar.CallRegister, registrar.Update{}, "clients", "ana", 0, later, "")
	if err != nil || len([]rune(a.Title)) != 200 || !strings.HasPrefix(a.Title, "Register the client é") {
		t.Errorf("title %q, %v", a.Title, err)
	}
}

// Each change that needs an approval is shown with its title, the value before and the value after.
func TestApproversSeeWhatChanges(t *testing.T) {
	c := active(t)
	c.Extensions = registrar.Extensions{Config: `{"require_pkce":true}`}
	for title, change := range map[string]func(c, after *registrar.Client){
		"Name":                     func(_, after *registrar.Client) { after.Name = "New" },
		"Names in other languages": func(_, after *registrar.Client) { after.Extensions.Names = map[string]string{"fra": "Santé"} },
		"Logo":                     func(_, after *registrar.Client) { after.LogoURI = "https://rp.example/new.png" },
		"Redirect URIs": func(_, after *registrar.Client) {
			after.RedirectURIs = []string{"https://new.example/cb", "io.example.app:/cb"}
		},
		"Claims about the user":        func(_, after *registrar.Client) { after.UserClaims = []string{"address"} },
		"Levels of authentication":     func(_, after *registrar.Client) { after.ACRs = nil },
		"Grant types":                  func(_, after *registrar.Client) { after.GrantTypes = nil },
		"Authentication of the client": func(_, after *registrar.Client) { after.AuthMethods = nil },
		"Keys of the client (SHA-256 thumbprints)": func(_, after *registrar.Client) {
			after.OtherKeys = []registrar.Key{{Thumbprint: "k2"}}
		},
		"Key for encryption (SHA-256 thumbprint)": func(_, after *registrar.Client) {
			after.Extensions.EncKey = `{"kty":"EC","crv":"P-256","x":"Y76Xt0D3eChgKjB126sVV_NLNs_elEPSVdVn8s51gCo",` +
				`"y":"siYTSiazJH1VIt_bgKg7lJxjbePI-XXK-epnT6I02_o"}`
		},
		"Settings": func(_, after *registrar.Client) { after.Extensions.Config = "" },
		"Status":   func(c, _ *registrar.Client) { c.Status = registrar.ClientInactive },
	} {
		before, after := c, c
		change(&before, &after)
		a, err := before.Ask(after, registrar.CallUpdate, registrar.Update{}, "clients", "ana", 0, later, "")
		if err != nil {
			t.Fatal(err)
		}
		var asked struct {
			Changes []struct {
				Member, Title string
				Before, After any
			}
			RedirectHosts []string
		}
		if err := json.Unmarshal([]byte(a.Context), &asked); err != nil {
			t.Fatal(err)
		}
		if len(asked.Changes) != 1 || asked.Changes[0].Title != title || reflect.DeepEqual(asked.Changes[0].Before, asked.Changes[0].After) ||
			asked.Changes[0].Before == nil || asked.Changes[0].After == nil {
			t.Errorf("%s: %+v", title, asked.Changes)
		}
		if title == "Redirect URIs" && !slices.Equal(asked.RedirectHosts, []string{"new.example", "io.example.app"}) {
			t.Errorf("hosts %v", asked.RedirectHosts)
		}
	}
}

// The tables of docs/approval.md name every member of the contexts, and no other.
func TestTheGuideNamesEveryMemberOfTheContext(t *testing.T) {
	guide, err := os.ReadFile("../../docs/approval.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]string{}
	name := regexp.MustCompile("`(\\w+)`")
	for _, section := range strings.Split(string(guide), "\n## ") {
		title, text, _ := strings.Cut(section, "\n")
		_, table, found := strings.Cut(text, "| Member | Content |\n|---|---|\n")
		for row := range strings.Lines(table) {
			cells := strings.Split(row, " | ")
			if found = found && strings.HasPrefix(row, "| "); !found {
				break
			}
			for _, member := range name.FindAllStringSubmatch(cells[0], -1) {
				tables[title] = append(tables[title], member[1])
			}
		}
	}
	c := active(t)
	change, err1 := c.Ask(c, registrar.CallUpdate, registrar.Update{}, "clients", "ana", 0, later, "192.0.2.1")
	mapping, err2 := registrar.MappingRequest{Key: "k"}.Ask(registrar.Partner{}, registrar.Policy{}, "mappings")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for title, sent := range map[string]string{"Configuration": change.Context, "Mapping requests": mapping.Context} {
		var context map[string]any
		if err := json.Unmarshal([]byte(sent), &context); err != nil {
			t.Fatal(err)
		}
		got, want := tables[title], slices.Sorted(maps.Keys(context))
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: the table has %v, the context %v", title, got, want)
		}
	}
}

// The tests of the shipped policy have the context that this service sends.
func TestTheShippedPolicyIsTestedWithRealRequests(t *testing.T) {
	data, err := os.ReadFile("../../docs/examples/policies/oidc.client.policy.test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name  string
			Given struct{ Context map[string]any }
		}
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	c := registrar.Client{
		ID: "nYi9V7hGgoZ4hbHY2SxTOO5rqSvBBoDIzRYT2hGdL_8", API: registrar.PartnerAPI, Name: "Health portal", PartnerID: "demo-partner",
		PolicyID: "demo-policy", Key: registrar.Key{Thumbprint: "nYi9V7hGgoZ4hbHY2SxTOO5rqSvBBoDIzRYT2hGdL_8"},
		UserClaims: []string{"name", "email"}, ACRs: []string{"mosip:idp:acr:generated-code"}, LogoURI: "https://portal.example/logo.png",
		RedirectURIs: []string{"https://portal.example/cb"}, GrantTypes: []string{"authorization_code"},
		AuthMethods: []string{"private_key_jwt"}, Status: registrar.ClientPending,
	}
	sensitive, moved, before := c, c, c
	sensitive.UserClaims = []string{"name", "address", "birthdate"}
	moved.RedirectURIs = []string{"https://new.example/cb"}
	before.Status, moved.Status = registrar.ClientActive, registrar.ClientActive
	for i, tt := range []struct {
		before, after registrar.Client
		kind          registrar.CallKind
	}{{c, c, registrar.CallRegister}, {sensitive, sensitive, registrar.CallRegister}, {before, moved, registrar.CallUpdate}} {
		a, err := tt.before.Ask(tt.after, tt.kind, registrar.Update{}, "oidc.client", "rita", int64(0), later, "")
		if err != nil {
			t.Fatal(err)
		}
		given, err := json.Marshal(file.Cases[i].Given.Context)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := errors.Join(json.Unmarshal(given, &got), json.Unmarshal([]byte(a.Context), &want)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the context is\n%s\nand the service sends\n%s\n%v", file.Cases[i].Name, given, a.Context, err)
		}
	}
}

// An approval is for one request with one content.
func TestAVerdictIsJudged(t *testing.T) {
	waiting := registrar.Approval{State: registrar.ApprovalWaiting, RequestID: "r1", ContextHash: "h1", DueAt: born}
	says := func(status, words string) registrar.Verdict {
		return registrar.Verdict{RequestID: "r1", ContextHash: "h1", Status: status, Comment: words, Standing: registrar.StandingInForce}
	}
	other, content := says("approved", ""), says("approved", "")
	other.RequestID, content.ContextHash = "r2", "h2"
	for name, tt := range map[string]struct {
		verdict registrar.Verdict
		state   registrar.ApprovalState
		words   string
		due     time.Time
	}{
		"approved":                     {says("approved", ""), registrar.ApprovalGranted, "", later},
		"rejected, with words":         {says("rejected", "not yours"), registrar.ApprovalDenied, "not yours", born},
		"rejected, without":            {says("rejected", ""), registrar.ApprovalDenied, "the request was rejected", born},
		"cancelled":                    {says("cancelled", ""), registrar.ApprovalDenied, "the request was cancelled", born},
		"expired":                      {says("expired", ""), registrar.ApprovalDenied, "the request was expired", born},
		"still open":                   {says("in_progress", ""), registrar.ApprovalWaiting, "", later.Add(registrar.PollInterval)},
		"an unknown status":            {says("APPROVED", ""), registrar.ApprovalWaiting, "", later.Add(registrar.PollInterval)},
		"approved, of another request": {other, registrar.ApprovalDenied, "the decision is for another request or other content", born},
		"approved, of another content": {content, registrar.ApprovalDenied, "the decision is for another request or other content", born},
	} {
		a := waiting.ApplyVerdict(tt.verdict, later)
		if a.State != tt.state || a.Comment != tt.words || !a.DueAt.Equal(tt.due) {
			t.Errorf("%s: %s %q, due %s", name, a.State, a.Comment, a.DueAt)
		}
	}
	for _, state := range []registrar.ApprovalState{
		registrar.ApprovalAsking, registrar.ApprovalGranted, registrar.ApprovalDenied, registrar.ApprovalWithdrawing, registrar.ApprovalWithdrawn,
	} {
		a := waiting
		if a.State = state; !reflect.DeepEqual(a.ApplyVerdict(says("approved", ""), later), a) {
			t.Errorf("one that is %s is approved", state)
		}
	}
}

func TestUnneededApprovalIsWithdrawn(t *testing.T) {
	for name, tt := range map[string]struct {
		state    registrar.ApprovalState
		attempts int
		want     registrar.ApprovalState
		open     bool
	}{
		"never asked":      {registrar.ApprovalAsking, 0, registrar.ApprovalWithdrawn, true},
		"perhaps asked":    {registrar.ApprovalAsking, 1, registrar.ApprovalWithdrawing, true},
		"asked":            {registrar.ApprovalWaiting, 1, registrar.ApprovalWithdrawing, true},
		"found there":      {registrar.ApprovalWaiting, 0, registrar.ApprovalWithdrawing, true},
		"granted":          {registrar.ApprovalGranted, 1, registrar.ApprovalGranted, false},
		"denied":           {registrar.ApprovalDenied, 1, registrar.ApprovalDenied, false},
		"being withdrawn":  {registrar.ApprovalWithdrawing, 1, registrar.ApprovalWithdrawing, false},
		"withdrawn before": {registrar.ApprovalWithdrawn, 0, registrar.ApprovalWithdrawn, false},
	} {
		a := registrar.Approval{State: tt.state, Attempts: tt.attempts, DueAt: born}
		got := a.Withdraw(later)
		if got.State != tt.want || a.Open() != tt.open || got.DueAt.Equal(later) != (tt.open && tt.want == registrar.ApprovalWithdrawing) {
			t.Errorf("%s: %s, due %s, open %t", name, got.State, got.DueAt, a.Open())
		}
		if done := got.RecordCancellation(); done.State != registrar.ApprovalWithdrawn {
			t.Errorf("%s: once it is cancelled it is %s", name, done.State)
		}
	}
}

func TestTheServiceHasReceivedARequest(t *testing.T) {
	v := registrar.Verdict{RequestID: "r1", ContextHash: "h1"}
	got := registrar.Approval{State: registrar.ApprovalAsking}.RecordRequest(v)
	if got.State != registrar.ApprovalWaiting || got.RequestID != "r1" || got.ContextHash != "h1" {
		t.Errorf("%+v", got)
	}
	for _, state := range []registrar.ApprovalState{registrar.ApprovalWaiting, registrar.ApprovalWithdrawing, registrar.ApprovalDenied} {
		a := registrar.Approval{State: state, RequestID: "r0", ContextHash: "h0"}
		if got := a.RecordRequest(v); !reflect.DeepEqual(got, a) {
			t.Errorf("%s: another request took its place: %+v", state, got)
		}
	}
}

func TestAnInitialTokenHasBounds(t *testing.T) {
	const day = 24 * time.Hour
	for name, tt := range map[string]struct {
		uses     int
		lifetime time.Duration
		wrong    []string
	}{
		"once":            {1, time.Second, nil},
		"the most":        {1000, 90 * day, nil},
		"never":           {0, day, []string{"uses"}},
		"too often":       {1001, day, []string{"uses"}},
		"over already":    {1, 0, []string{"expiresIn"}},
		"too long":        {1, 90*day + time.Second, []string{"expiresIn"}},
		"neither will do": {-1, -day, []string{"uses", "expiresIn"}},
	} {
		err := registrar.InitialToken{PartnerID: "p", PolicyID: "q", Uses: tt.uses, ExpiresAt: born.Add(tt.lifetime)}.Check(born)
		var wrong []string
		if refused, ok := errors.AsType[*refusal.Error](err); ok {
			for _, p := range refused.List() {
				wrong = append(wrong, registrar.FieldPath(p.Where))
			}
		}
		if !slices.Equal(wrong, tt.wrong) {
			t.Errorf("%s: %v, want %v", name, err, tt.wrong)
		}
	}
}
