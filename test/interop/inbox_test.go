package interop

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// startInbox starts wf with the pages for people, whose tokens last so long.
func (k keycloak) startInbox(lifespan string, variables ...string) service {
	k.t.Helper()
	address := programs.FreeAddress(k.t)
	k.movePages("wf-inbox", "http://127.0.0.1:8081", "http://"+address, lifespan)
	return startWf(k.t, k.issuer(), append([]string{"LISTEN=" + address, "KEYCLOAK_URL=" + k.issuer(), "KEYCLOAK_CLIENT_SECRET=directory-secret",
		encKeys(), "INBOX_CLIENT_ID=wf-inbox", "INBOX_CLIENT_SECRET=inbox-secret", "INBOX_URL=http://" + address}, variables...)...)
}

// movePages sets the address of the pages of a client in Keycloak until the end of the test.
func (k keycloak) movePages(clientID, from, to, lifespan string) {
	k.t.Helper()
	k.changePages(clientID, func(client object) {
		attributes := maps.Clone(client["attributes"].(object))
		for name, at := range attributes {
			if text := at.(string); strings.HasPrefix(text, from) {
				attributes[name] = strings.Replace(text, from, to, 1)
			}
		}
		attributes["access.token.lifespan"] = lifespan
		back := client["redirectUris"].([]any)[0].(string)
		client["attributes"], client["redirectUris"] = attributes, []string{strings.Replace(back, from, to, 1)}
	})
}

// changePages changes what Keycloak has of the client of pages, until the test ends.
func (k keycloak) changePages(clientID string, change func(client object)) {
	k.t.Helper()
	path, client := k.client(clientID)
	before := maps.Clone(client)
	k.t.Cleanup(func() { k.manage(http.MethodPut, path, before, nil) })
	change(client)
	k.manage(http.MethodPut, path, client, nil)
}

func TestPeopleSignInToTheInboxAtKeycloak(t *testing.T) {
	ask(t, "Keycloak", "inbox of wf: sign-in, refused sign-in, a decision")
	k := theKeycloak(t)
	s := k.startInbox("300")
	root, payments := k.person("root"), k.application("payments", "payments-secret")
	s.call(root, "POST", policies, object{"policy_key": "payment", "name": "Payment", "stages": []object{{
		"key": "officers", "name": "Officers", "approvers": []object{{"type": "role", "role": "finance-officer"}}, "quorum": object{"mode": "any"},
	}}}).Is(201)
	s.call(root, "POST", policies+"/payment/versions/1/activate", nil).Is(200)
	var request struct{ ID string }
	s.call(payments, "POST", "/v1/wf/requests", object{"policy_key": "payment", "context": object{}}).Is(201).Decode(&request)

	inbox := s.url + "/inbox"
	newBrowser(t, "").signIn(inbox, "bo", "wrong").sees(t, 200, "Invalid username or password")
	newBrowser(t, "").signIn(inbox, "dee", passwordOf("dee")).sees(t, 200, "disabled")
	bo := newBrowser(t, "")
	page := bo.signIn(inbox, "bo", passwordOf("bo"))
	page.sees(t, 200, "Bo Chen", "Request under payment")
	if page.at.String() != inbox {
		t.Errorf("the sign-in ends at %s", page.at)
	}
	page = bo.open(inbox + "/requests/" + request.ID)
	page.sees(t, 200, "Bo Chen", "Payment")
	bo.submit(page, func(f form) bool { return strings.HasSuffix(f.action, "/decision") }, url.Values{"action": {"approve"}})
	var decided struct{ Status string }
	s.call(payments, "GET", "/v1/wf/requests/"+request.ID, nil).Is(200).Decode(&decided)
	if decided.Status != "approved" {
		t.Errorf("after bo's decision the request is %s", decided.Status)
	}
	if !newBrowser(t, "").open(inbox).asks() {
		t.Error("another user needs no password")
	}
}

func TestTheInboxFollowsTheRolesOfKeycloak(t *testing.T) {
	ask(t, "Keycloak", "inbox of wf: a role that is given and taken counts when the tokens are renewed")
	k := theKeycloak(t)
	s := k.startInbox("20") // every page renews such a token
	root, payments := k.person("root"), k.application("payments", "payments-secret")
	s.call(root, "POST", policies, forAna("interop")).Is(201)
	s.call(root, "POST", policies+"/interop/versions/1/activate", nil).Is(200)
	var request struct{ ID string }
	s.call(payments, "POST", "/v1/wf/requests", object{"policy_key": "interop", "context": object{}}).Is(201).Decode(&request)

	gus, foreign := newBrowser(t, ""), s.url+"/inbox/requests/"+request.ID
	console, endpoints := s.url+"/inbox/console", s.url+"/inbox/console/endpoints"
	gus.signIn(s.url+"/inbox", "gus", passwordOf("gus")).sees(t, 200, "Gus Roy")
	gus.open(foreign).sees(t, 403, "You do not have access to this page or action")
	gus.open(console).sees(t, 403, "You do not have access to this page or action")
	takeViewer := k.give(gusID, "WF_VIEWER")
	gus.open(foreign).sees(t, 200, "Interop")
	gus.open(console).sees(t, 200, "Gus Roy")
	gus.open(endpoints).sees(t, 403, "You do not have access to this page or action")
	takeAdmin := k.give(gusID, "WF_ADMIN")
	gus.open(endpoints).sees(t, 200, "Gus Roy")
	takeAdmin()
	gus.open(endpoints).sees(t, 403, "You do not have access to this page or action")
	takeViewer()
	gus.open(foreign).sees(t, 403, "You do not have access to this page or action")
	gus.open(console).sees(t, 403, "You do not have access to this page or action")
}

// give grants a role of the realm to a user, until take or the end of the test.
func (k keycloak) give(person, role string) (take func()) {
	k.t.Helper()
	var found object
	k.manage(http.MethodGet, "/"+k.realm+"/roles/"+role, nil, &found)
	path := "/" + k.realm + "/users/" + person + "/role-mappings/realm"
	take = func() { k.manage(http.MethodDelete, path, []object{found}, nil) }
	k.t.Cleanup(take)
	k.manage(http.MethodPost, path, []object{found}, nil)
	return take
}

func TestADecisionAfterTheSessionOfKeycloakNeedsASignIn(t *testing.T) {
	ask(t, "Keycloak", "inbox of wf: a session that ends there during a decision leads to the sign-in, and decides nothing")
	k := theKeycloak(t)
	s := k.startInbox("300")
	root, payments := k.person("root"), k.application("payments", "payments-secret")
	s.call(root, "POST", policies, forAna("interop")).Is(201)
	s.call(root, "POST", policies+"/interop/versions/1/activate", nil).Is(200)
	var request struct{ ID string }
	s.call(payments, "POST", "/v1/wf/requests", object{"policy_key": "interop", "context": object{}}).Is(201).Decode(&request)

	decides := func(f form) bool { return strings.HasSuffix(f.action, "/decision") }
	ana, elsewhere := newBrowser(t, ""), s.url+"/inbox/requests/"+request.ID
	page := ana.signIn(elsewhere, "ana", passwordOf("ana"))
	page.sees(t, 200, "Ana Lima")
	k.endSessions(anaID)
	timetest.Eventually(t, "the inbox learns of the logout at Keycloak", func() bool { return ana.open(elsewhere).asks() })
	var decided struct{ Status string }
	approve := url.Values{"action": {"approve"}}
	if page = ana.submit(page, decides, approve); !page.asks() {
		t.Errorf("a decision without a session leads to %s", page.at)
	}
	s.call(payments, "GET", "/v1/wf/requests/"+request.ID, nil).Is(200).Decode(&decided)
	if decided.Status != "in_review" {
		t.Errorf("without a session the request is %s", decided.Status)
	}
	page = ana.signIn(elsewhere, "ana", passwordOf("ana"))
	page.sees(t, 200, "Ana Lima")
	ana.submit(page, decides, approve)
	s.call(payments, "GET", "/v1/wf/requests/"+request.ID, nil).Is(200).Decode(&decided)
	if decided.Status != "approved" {
		t.Errorf("after ana's decision the request is %s", decided.Status)
	}
}

// Keycloak requires consent here. A form sent with both of its buttons is a
// refusal.
func TestSignInRefusedAtKeycloakShowsMessage(t *testing.T) {
	ask(t, "Keycloak", "inbox of wf: somebody who says no at Keycloak is not signed in, and may begin again")
	k := theKeycloak(t)
	inbox := k.startInbox("300").url + "/inbox"
	k.changePages("wf-inbox", func(client object) { client["consentRequired"] = true })
	hal := newBrowser(t, "")
	page := hal.signIn(inbox, "hal", passwordOf("hal"))
	presses := func(button string) func(form) bool {
		return func(f form) bool { return f.fields.Has(button) }
	}
	hal.submit(page, presses("cancel"), nil).sees(t, 403, "Sign-in was cancelled or refused")
	page = hal.signIn(inbox, "hal", passwordOf("hal"))
	for i := range page.forms {
		page.forms[i].fields.Del("cancel")
	}
	t.Cleanup(func() { k.manage(http.MethodDelete, "/"+k.realm+"/users/"+halID+"/consents/wf-inbox", nil, nil) })
	hal.submit(page, presses("accept"), nil).sees(t, 200, "Hal Mensah")
}

func TestTheInboxAndKeycloakEndASessionTogether(t *testing.T) {
	ask(t, "Keycloak", "inbox of wf: sign-out from either side ends the session on both")
	k := theKeycloak(t)
	s := k.startInbox("300")
	inbox := s.url + "/inbox"
	ana := newBrowser(t, "")
	page := ana.signIn(inbox, "ana", passwordOf("ana"))
	page.sees(t, 200, "Ana Lima")
	page = ana.submit(page, func(f form) bool { return strings.HasSuffix(f.action, "/signout") }, nil)
	if page.at.Host != strings.TrimPrefix(s.url, "http://") { // Keycloak requires a confirmation
		page = ana.submit(page, func(f form) bool { return strings.Contains(f.action, "logout-confirm") }, nil)
	}
	page.sees(t, 200, "signed out")
	if page = ana.open(inbox); !page.asks() {
		t.Errorf("after a sign-out ana needs no password: %s %s", page.at, page.text)
	}

	eli := newBrowser(t, "")
	eli.signIn(inbox, "eli", passwordOf("eli")).sees(t, 200, "Eli Haddad")
	k.endSessions(eliID)
	timetest.Eventually(t, "the inbox learns of the logout at Keycloak", func() bool { return eli.open(inbox).asks() })
}

// Of several sessions that it ends together, Keycloak sends a logout for one. The others end at the
// renewal of their tokens.
func TestEverySessionOfTheInboxEndsWithThatOfKeycloak(t *testing.T) {
	ask(t, "Keycloak", "inbox of wf: several sessions of a person that are ended at Keycloak")
	k := theKeycloak(t)
	inbox := k.startInbox("20").url + "/inbox"
	eli, abroad := newBrowser(t, ""), newBrowser(t, "")
	for _, b := range []*browser{eli, abroad} {
		b.signIn(inbox, "eli", passwordOf("eli")).sees(t, 200, "Eli Haddad")
	}
	k.endSessions(eliID)
	timetest.Eventually(t, "both sessions end", func() bool { return eli.open(inbox).asks() && abroad.open(inbox).asks() })
}

const (
	eliID = "aaaaaaaa-0000-4000-8000-000000000005"
	gusID = "aaaaaaaa-0000-4000-8000-000000000007"
	halID = "aaaaaaaa-0000-4000-8000-000000000012"
)

// endSessions signs a user out, like an administrator in the console.
func (k keycloak) endSessions(person string) {
	k.t.Helper()
	k.manage(http.MethodPost, "/"+k.realm+"/users/"+person+"/logout", nil, nil)
}
