package resolve_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/libs/keycloaktest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/resolve"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

const (
	anaID = "aaaaaaaa-0000-4000-8000-000000000001"
	boID  = "aaaaaaaa-0000-4000-8000-000000000002"
	cyID  = "aaaaaaaa-0000-4000-8000-000000000003"
	deeID = "aaaaaaaa-0000-4000-8000-000000000004"
	gusID = "aaaaaaaa-0000-4000-8000-000000000007"

	robotID = "aaaaaaaa-0000-4000-8000-000000000011" // of the service account
)

// TestInterop queries the realm of deploy/keycloak; make check SUITE=interop runs it against a real
// Keycloak.
func TestInterop(t *testing.T) {
	r := sample(t)
	no := false
	rule := func(r policy.Rule) approver.Question { return approver.Question{Rule: r} }
	manager := func(from string, level int) approver.Question {
		return approver.Question{From: from, Rule: policy.Rule{Type: policy.RuleManager, Level: level}}
	}
	for name, tt := range map[string]struct {
		q       approver.Question
		want    []string
		refused bool
	}{
		"a role, through groups and their subgroups": {q: role("finance-officer"), want: []string{"ana", "bo", "cy"}},
		"a role without groups": {q: rule(policy.Rule{Type: policy.RuleRole, Role: "finance-officer",
			IncludeGroups: &no}), want: []string{"ana"}},
		"a role through those that include it": {
			q: rule(policy.Rule{Type: policy.RuleRole, Role: "finance-officer", IncludeComposites: true}), want: []string{"ana", "bo", "cy", "eli", "fay"},
		},
		"a role of a client, through groups and their subgroups": {
			q: rule(policy.Rule{Type: policy.RuleRole, Role: "releaser", Client: "payments"}), want: []string{"gus", "ida"},
		},
		"a role of a client, without groups": {
			q: rule(policy.Rule{Type: policy.RuleRole, Role: "releaser", Client: "payments", IncludeGroups: &no}), want: []string{"gus"},
		},
		"a role of a client, through those of the client and of the realm that include it": {
			q:    rule(policy.Rule{Type: policy.RuleRole, Role: "releaser", Client: "payments", IncludeComposites: true}),
			want: []string{"fay", "gus", "hal", "ida"},
		},
		"a role without members":       {q: role("finance-nobody"), refused: true},
		"a role of an unknown client":  {q: rule(policy.Rule{Type: policy.RuleRole, Role: "releaser", Client: "pay"}), refused: true},
		"a role that leads elsewhere":  {q: role(".."), refused: true},
		"a group that leads elsewhere": {q: rule(policy.Rule{Type: policy.RuleGroup, Path: "/finance//officers & co/../"}), refused: true},
		"a group":                      {q: rule(policy.Rule{Type: policy.RuleGroup, Path: "/finance"}), want: []string{"eli"}},
		"a group with its subgroups": {q: rule(policy.Rule{Type: policy.RuleGroup, Path: "/finance",
			IncludeSubgroups: true}), want: []string{"bo", "cy", "eli"}},
		"a nested group with a strange name": {q: rule(policy.Rule{Type: policy.RuleGroup, Path: "/finance/officers & co"}), want: []string{"bo"}},
		"an empty group":                     {q: rule(policy.Rule{Type: policy.RuleGroup, Path: "/empty"}), want: []string{}},
		"an unknown group":                   {q: rule(policy.Rule{Type: policy.RuleGroup, Path: "/finance/nobody"}), refused: true},
		"a manager named by username":        {q: manager(anaID, 0), want: []string{"bo"}},
		"a manager named by id":              {q: manager(boID, 1), want: []string{"cy"}},
		"two levels up":                      {q: manager(anaID, 2), want: []string{"cy"}},
		"a disabled manager":                 {q: manager(anaID, 3), want: []string{}},
		"a level above the disabled one":     {q: manager(anaID, 4), want: []string{"fay"}},
		"five levels up":                     {q: manager(anaID, 5), want: []string{"eli"}},
		"a way that leads back":              {q: manager(deeID, 3), want: []string{}},
		"a deleted manager":                  {q: manager(gusID, 1), want: []string{}},
		"a level above a deleted manager":    {q: manager(gusID, 2), want: []string{}},
		"no manager at the top":              {q: manager("aaaaaaaa-0000-4000-8000-000000000008", 1), want: []string{}},
		"the manager of a stranger":          {q: manager("aaaaaaaa-0000-4000-8000-00000000ffff", 1), want: []string{}},
		"usernames, except deleted or disabled users": {
			q: rule(policy.Rule{Type: policy.RuleUser,
				Usernames: []string{"ana", "an", "dee", "BO", "service-account-wf-directory"}}), want: []string{"ana", "bo"},
		},
		"ids, except deleted or disabled users and service accounts": {
			q: rule(policy.Rule{Type: policy.RuleUser,
				IDs: []string{cyID, deeID, robotID, "aaaaaaaa-0000-4000-8000-00000000ffff", "ana", "..", "count", "a/b?c"}}),
			want: []string{"cy"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			people, err := r.Resolve(t.Context(), tt.q)
			if tt.refused {
				if !errors.Is(err, reason.EngineRefused) {
					t.Fatalf("Resolve() = %v, %v; want a refusal", usernames(people), err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, usernames(people)); diff != "" {
				t.Errorf("people (-want +got):\n%s", diff)
			}
		})
	}
	people, err := r.Resolve(t.Context(), role("finance-officer"))
	want := identity.User{ID: anaID, Username: "ana", Name: "Ana Lima", Email: "ana@example.org"}
	if err != nil || !slices.Contains(people, want) {
		t.Errorf("people = %+v, %v; want ana with her id, name and address", people, err)
	}
}

func TestListsAreReadToTheirEnd(t *testing.T) {
	for _, n := range []int{99, 100, 101, 250, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			k := realm(t)
			var ids []string
			for i := range n {
				ids = append(ids, k.AddUser(keycloaktest.User{Username: fmt.Sprintf("u%d", i)}))
			}
			k.AddRole("officer", keycloaktest.Holders{Users: ids})
			k.AddGroup("/officers", ids...)
			r := over(k, resolve.Options{})
			for _, rule := range []policy.Rule{{Type: policy.RuleRole, Role: "officer"}, {Type: policy.RuleGroup, Path: "/officers"}} {
				people, err := r.Resolve(t.Context(), approver.Question{Rule: rule})
				if err != nil || len(people) != n {
					t.Errorf("%s: %d people, %v; want %d", rule, len(people), err, n)
				}
			}
		})
	}
}

func TestManySubgroupsAreAllLookedAt(t *testing.T) {
	k := realm(t)
	k.AddGroup("/all")
	for i := range 130 { // more than one page of children
		k.AddGroup(fmt.Sprintf("/all/g%d", i), k.AddUser(keycloaktest.User{Username: fmt.Sprintf("u%d", i)}))
	}
	people, err := over(k, resolve.Options{}).Resolve(t.Context(),
		approver.Question{Rule: policy.Rule{Type: policy.RuleGroup, Path: "all", IncludeSubgroups: true}})
	if err != nil || len(people) != 130 {
		t.Errorf("%d people, %v; want 130", len(people), err)
	}
}

func TestMoreThanAThousandPeopleAreRefused(t *testing.T) {
	k := realm(t)
	var ids []string
	for i := range 1001 {
		ids = append(ids, k.AddUser(keycloaktest.User{Username: fmt.Sprintf("u%d", i)}))
	}
	k.AddRole("officer", keycloaktest.Holders{Users: ids})
	r := over(k, resolve.Options{})
	_, err := r.Resolve(t.Context(), role("officer"))
	if !errors.Is(err, reason.EngineRefused) || !strings.Contains(err.Error(), "role officer yields more than 1000 people") {
		t.Errorf("Resolve() = %v", err)
	}
	more := role("officer")
	more.Most = 1001
	if people, err := r.Resolve(t.Context(), more); err != nil || len(people) != 1001 {
		t.Errorf("%d people, %v; want 1001, the maximum of the question", len(people), err)
	}
	k.SetEnabled(ids[7], false) // users without the right to approve are not counted
	if people, err := r.Resolve(t.Context(), role("officer")); err != nil || len(people) != 1000 {
		t.Errorf("%d people, %v; want 1000", len(people), err)
	}
}

func TestATokenIsUsedAgainUntilItIsRefusedOrEnds(t *testing.T) {
	k, clock := realm(t), timetest.At(noon)
	k.AddRole("officer", keycloaktest.Holders{Users: []string{k.AddUser(keycloaktest.User{Username: "ana"})}})
	r := over(k, resolve.Options{Now: clock.Now})
	ask := func(issued int) {
		t.Helper()
		clock.Advance(time.Minute) // beyond the stored part of the answer
		if _, err := r.Resolve(t.Context(), role("officer")); err != nil {
			t.Fatal(err)
		}
		if got := k.TokenCount(); got != issued {
			t.Errorf("%d tokens were issued, want %d", got, issued)
		}
	}
	ask(1)
	ask(1)
	k.RevokeTokens()
	ask(2)
	clock.Advance(300*time.Second - 65*time.Second) // 5 s before its end
	ask(3)
}

func TestATokenThatIsRefusedTwiceIsAFailure(t *testing.T) {
	k := realm(t)
	k.SetHook(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusUnauthorized)
		}
		return r.Method == http.MethodGet
	})
	if _, err := over(k, resolve.Options{}).Resolve(t.Context(), role("officer")); !errors.Is(err, reason.ResolverFailed) {
		t.Errorf("Resolve() = %v, want %s", err, reason.ResolverFailed)
	}
	if k.TokenCount() != 2 {
		t.Errorf("%d tokens were issued, want 2", k.TokenCount())
	}
}

func TestAnAnswerWithoutATokenIsAFailure(t *testing.T) {
	for name, answer := range map[string]func(secret string) http.HandlerFunc{
		"a refusal": func(secret string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusUnauthorized)
				says(`{"error":"invalid_client","error_description":"`+secret+`"}`)(w, r)
			}
		},
		"no token": func(string) http.HandlerFunc { return says(`{"expires_in":60}`) },
		"a page":   func(string) http.HandlerFunc { return says(`<html>login</html>`) },
		"a redirect": func(string) http.HandlerFunc {
			return http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect).ServeHTTP
		},
		"without end": func(string) http.HandlerFunc { return flood },
	} {
		t.Run(name, func(t *testing.T) {
			k := realm(t)
			logger, logged := logs()
			r := over(k, resolve.Options{Logger: logger})
			k.SetHook(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/token") {
					t.Errorf("%s was called", r.URL.Path)
				}
				w.Header().Set("Content-Type", "application/json")
				answer(k.ClientSecret)(w, r)
				return true
			})
			if _, err := r.Resolve(t.Context(), role("officer")); !errors.Is(err, reason.ResolverFailed) {
				t.Errorf("Resolve() = %v, want %s", err, reason.ResolverFailed)
			}
			if !strings.Contains(logged.String(), "get a token") || strings.Contains(logged.String(), k.ClientSecret) {
				t.Errorf("the log should name the token and no secret: %s", logged)
			}
		})
	}
}

func TestTokenWithoutExpiryIsUsedOnce(t *testing.T) {
	k := realm(t)
	tokens, calls := 0, 0
	k.SetHook(func(w http.ResponseWriter, r *http.Request) bool {
		answer := `[]`
		switch {
		case strings.HasSuffix(r.URL.Path, "/token"):
			tokens++
			answer = `{"access_token":"t"}`
			w.Header().Set("Content-Type", "application/json")
		case strings.HasSuffix(r.URL.Path, "/officer"):
			answer = `{"id":"r","name":"officer"}`
			fallthrough
		default:
			calls++
		}
		says(answer)(w, r)
		return true
	})
	if _, err := over(k, resolve.Options{}).Resolve(t.Context(), role("officer")); err != nil || calls < 2 || tokens != calls {
		t.Errorf("%d tokens for %d calls, %v", tokens, calls, err)
	}
}

func TestADirectoryThatFailsGivesNoAnswer(t *testing.T) {
	users := "/admin/realms/countersign/roles/officer/users"
	for name, answer := range map[string]http.HandlerFunc{
		"5xx":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"forbidden": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"html":      func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>login</html>")) },
		"half a body": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "500")
			_, _ = w.Write([]byte(`[`))
		},
		"null":                              says(`null`),
		"null for a user":                   says(`[null]`),
		"a user without an id":              says(`[{"username":"ana","enabled":true}]`),
		"a user without the member enabled": says(`[{"id":"ana","username":"ana"}]`),
		"another letter case":               says(`[{"id":"ana","username":"ana","Enabled":true}]`),
		"a member twice":                    says(`[{"id":"ana","id":"bo","username":"ana","enabled":true}]`),
		"a lone surrogate":                  says(`[{"id":"ana","username":"\ud800","enabled":true}]`),
		"bytes behind it":                   says(`[] []`),
		"another shape":                     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"users":[]}`)) },
		"a redirect":                        func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"gone meanwhile":                    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"without end":                       flood,
		"silence":                           func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			k := realm(t)
			k.AddRole("officer", keycloaktest.Holders{Users: []string{k.AddUser(keycloaktest.User{Username: "ana"})}})
			logger, logged := logs()
			o := resolve.Options{Logger: logger}
			if name == "silence" {
				o.Timeout = 2 * time.Second // enough for the answer that comes in the end
			}
			r := over(k, o)
			k.SetHook(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/elsewhere" {
					t.Error("a redirect was followed")
				}
				if r.URL.Path == users {
					answer(w, r)
				}
				return r.URL.Path == users
			})
			people, err := r.Resolve(t.Context(), role("officer"))
			if !errors.Is(err, reason.ResolverFailed) || people != nil {
				t.Fatalf("Resolve() = %v, %v; want %s", people, err, reason.ResolverFailed)
			}
			if text := err.Error(); !strings.Contains(text, "role officer") || strings.Contains(text, "127.0.0.1") {
				t.Errorf("the refusal %q should name the rule and no host", text)
			}
			if !strings.Contains(logged.String(), "role officer") || strings.Contains(logged.String(), k.ClientSecret) {
				t.Errorf("the log should name the rule and no secret: %s", logged)
			}
			k.SetHook(nil)
			if people, err := r.Resolve(t.Context(), role("officer")); err != nil || len(people) != 1 {
				t.Errorf("when it answers again: %v, %v", people, err)
			}
		})
	}
}

func TestKeycloakAnswerWithoutIDIsRejected(t *testing.T) {
	const realmPath = "/admin/realms/countersign"
	for name, tt := range map[string]struct {
		path, answer string
		rule         policy.Rule
	}{
		"a role":           {"/roles/officer", `{"name":"officer"}`, policy.Rule{Type: policy.RuleRole, Role: "officer"}},
		"null for a role":  {"/roles/officer", `null`, policy.Rule{Type: policy.RuleRole, Role: "officer"}},
		"a group":          {"/group-by-path/finance", `{}`, policy.Rule{Type: policy.RuleGroup, Path: "/finance"}},
		"a client":         {"/clients", `[{"clientId":"pay"}]`, policy.Rule{Type: policy.RuleRole, Role: "officer", Client: "pay"}},
		"a user by name":   {"/users", `[{"username":"ana","enabled":true}]`, policy.Rule{Type: policy.RuleUser, Usernames: []string{"ana"}}},
		"a user by id":     {"/users/ana", `{"username":"ana","enabled":true}`, policy.Rule{Type: policy.RuleUser, IDs: []string{"ana"}}},
		"a user of no use": {"/users/ana", `{"id":"ana","username":"ana"}`, policy.Rule{Type: policy.RuleUser, IDs: []string{"ana"}}},
	} {
		t.Run(name, func(t *testing.T) {
			k := realm(t)
			k.AddRole("officer", keycloaktest.Holders{Users: []string{k.AddUser(keycloaktest.User{Username: "bo"})}})
			k.SetHook(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == realmPath+tt.path {
					says(tt.answer)(w, r)
				}
				return r.URL.Path == realmPath+tt.path
			})
			if people, err := over(k, resolve.Options{}).Resolve(t.Context(), approver.Question{Rule: tt.rule}); !errors.Is(err,
				reason.ResolverFailed) || people != nil {
				t.Errorf("Resolve() = %v, %v; want %s", people, err, reason.ResolverFailed)
			}
		})
	}
}

func TestDeletedRoleIsRefusedInsteadOfResolvingEmpty(t *testing.T) {
	k, clock := realm(t), timetest.At(noon)
	k.AddRole("officer", keycloaktest.Holders{Users: []string{k.AddUser(keycloaktest.User{Username: "ana"})}})
	r := over(k, resolve.Options{Now: clock.Now})
	if people, err := r.Resolve(t.Context(), role("officer")); err != nil || len(people) != 1 {
		t.Fatalf("Resolve() = %v, %v", people, err)
	}
	k.SetHook(func(w http.ResponseWriter, r *http.Request) bool {
		gone := strings.HasPrefix(r.URL.Path, "/admin/realms/countersign/roles/officer")
		if gone {
			w.WriteHeader(http.StatusNotFound)
		}
		return gone
	})
	clock.Advance(time.Hour)
	if people, err := r.Resolve(t.Context(), role("officer")); !errors.Is(err, reason.EngineRefused) || people != nil {
		t.Errorf("Resolve() = %v, %v; want %s", people, err, reason.EngineRefused)
	}
}

func TestATransientFailureIsRepeated(t *testing.T) {
	k := realm(t)
	k.AddRole("officer", keycloaktest.Holders{Users: []string{k.AddUser(keycloaktest.User{Username: "ana"})}})
	calls := 0
	k.SetHook(func(w http.ResponseWriter, r *http.Request) bool {
		calls++
		if calls <= 2 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return calls <= 2
	})
	if people, err := over(k, resolve.Options{}).Resolve(t.Context(), role("officer")); err != nil || len(people) != 1 {
		t.Errorf("Resolve() = %v, %v", people, err)
	}
}

func TestABadClientSecretGivesNoAnswer(t *testing.T) {
	k := realm(t)
	r := over(k, resolve.Options{})
	k.ClientSecret = "another"
	if _, err := r.Resolve(t.Context(), role("officer")); !errors.Is(err, reason.ResolverFailed) {
		t.Errorf("Resolve() = %v, want %s", err, reason.ResolverFailed)
	}
}

func TestAnAnswerIsKeptForAMinuteOrAsLongAsTheQuestionAllows(t *testing.T) {
	k, clock := realm(t), timetest.At(noon)
	ana := k.AddUser(keycloaktest.User{Username: "ana"})
	k.AddRole("officer", keycloaktest.Holders{Users: []string{ana}})
	r := over(k, resolve.Options{Now: clock.Now})
	ask := func(maxAge time.Duration, want int) {
		t.Helper()
		q := role("officer")
		q.MaxAge = maxAge
		q.Rule.Label, q.Rule.MinApprovals = "the officers", 2 // the question is the same
		people, err := r.Resolve(t.Context(), q)
		if err != nil || len(people) != want {
			t.Errorf("%v, %v; want %d", people, err, want)
		}
	}
	ask(0, 1)
	k.TakeRole("officer", ana)
	clock.Advance(59 * time.Second)
	ask(0, 1)
	clock.Advance(time.Second)
	ask(5*time.Minute, 1)
	ask(0, 0)
	ask(5*time.Minute, 0)
}

func TestUsernameEqualToManagerIDDoesNotResolveAsManager(t *testing.T) {
	k := realm(t)
	gone := "bbbbbbbb-0000-4000-8000-000000000001"
	k.AddUser(keycloaktest.User{Username: gone})
	ana := k.AddUser(keycloaktest.User{Username: "ana", Attributes: map[string][]string{"manager": {gone}}})
	people, err := over(k, resolve.Options{}).Resolve(t.Context(), approver.Question{From: ana, Rule: policy.Rule{Type: policy.RuleManager}})
	if err != nil || len(people) != 0 {
		t.Errorf("Resolve() = %v, %v; want none", people, err)
	}
}

func TestServiceAccountsAreNotResolvedAsApprovers(t *testing.T) {
	k := realm(t)
	k.AddRole("officer", keycloaktest.Holders{Users: []string{
		k.AddUser(keycloaktest.User{Username: "service-account-robot"}), // as lists show it
		k.AddUser(keycloaktest.User{Username: "robot", ServiceAccount: "robot"}),
	}})
	if people, err := over(k, resolve.Options{}).Resolve(t.Context(), role("officer")); err != nil || len(people) != 0 {
		t.Errorf("Resolve() = %v, %v; want none", people, err)
	}
}

func TestAServiceAccountThatMayApproveHasNotLeft(t *testing.T) {
	k := realm(t)
	robot := k.AddUser(keycloaktest.User{Username: "service-account-robot", ServiceAccount: "robot"})
	gone := k.AddUser(keycloaktest.User{Username: "service-account-gone"})
	k.SetEnabled(gone, false)
	k.AddRole("officer", keycloaktest.Holders{Users: []string{robot}})
	r := resolve.New(resolve.Options{Outbound: local, Keycloak: &resolve.Keycloak{
		URL: k.URL, Realm: k.Realm, ClientID: k.ClientID, ClientSecret: k.ClientSecret, ServiceAccounts: true,
	}})
	people, err := r.Resolve(t.Context(), approver.Question{Rule: policy.Rule{Type: policy.RuleUser, IDs: []string{robot, gone}}})
	if err != nil || len(people) != 1 || people[0].ID != robot {
		t.Errorf("by id: %v, %v; want the robot", people, err)
	}
	if people, err := r.Resolve(t.Context(), role("officer")); err != nil || len(people) != 0 {
		t.Errorf("by role: %v, %v; want none", people, err)
	}
}

func TestUnprintableUserFieldsAreOmitted(t *testing.T) {
	k := realm(t)
	id := k.AddUser(keycloaktest.User{Username: "ana", FirstName: "A\u202ena", Email: "a\a@example.org"})
	people, err := over(k, resolve.Options{}).Resolve(t.Context(), approver.Question{Rule: policy.Rule{Type: policy.RuleUser, IDs: []string{id}}})
	if want := []identity.User{{ID: id, Username: "ana"}}; err != nil || !slices.Equal(people, want) {
		t.Errorf("Resolve() = %+v, %v; want %+v", people, err, want)
	}
}

func TestWithoutADirectoryItsRulesAreRefused(t *testing.T) {
	if _, err := resolve.New(resolve.Options{}).Resolve(t.Context(), role("officer")); !errors.Is(err, reason.EngineRefused) {
		t.Errorf("Resolve() = %v, want %s", err, reason.EngineRefused)
	}
}

// flood sends until the client disconnects, at most a GiB.
func flood(w http.ResponseWriter, _ *http.Request) {
	block := []byte("[" + strings.Repeat(" ", 1<<20))
	for range 1 << 10 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// TestInteropSearch searches people of the realm of deploy/keycloak; see TestInterop.
func TestInteropSearch(t *testing.T) {
	r := sample(t)
	for text, want := range map[string][]string{
		"ana": {"ana"}, "KOR": {"cy"}, "chen bo": {"bo"}, "chen ana": {}, "novak": {}, "service": {}, "no such person": {}, "  ": {}, `*"`: {},
	} {
		found, err := r.Search(t.Context(), text, 20)
		if got := usernames(found); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q finds %v, %v, want %v", text, got, err, want)
		}
	}
}
