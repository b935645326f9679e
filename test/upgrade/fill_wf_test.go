package upgrade

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/timetest"
)

// request is the part of a request that the test reads.
type request struct {
	ID, Status string
	Requester  struct{ ID string }
	Stages     []struct{ Key, Status string }
	Tasks      []task
}

type task struct {
	ID, Status, Kind string
	Assignee         *struct{ ID string }
	Candidates       []struct{ ID string }
}

// open returns the tasks that can be decided or assigned.
func (r request) open() (list []task) {
	for _, t := range r.Tasks {
		if t.Status == "open" || t.Status == "claimed" {
			list = append(list, t)
		}
	}
	return list
}

func (u user) request(id string) (r request) {
	u.s.t.Helper()
	u.call("GET", "/v1/wf/requests/"+id, nil).Is(200).Decode(&r)
	return r
}

// policy creates a policy and activates it.
func (u user) policy(key string, settings object, stages ...object) {
	u.s.t.Helper()
	u.call("POST", "/v1/wf/policies", object{"policy_key": key, "name": "Policy " + key, "settings": settings,
		"stages": stages}).Is(201)
	u.call("POST", "/v1/wf/policies/"+key+"/versions/1/activate", nil).Is(200)
}

// users is a rule that names users.
func users(ids ...string) []object { return []object{{"type": "user", "ids": ids}} }

// create creates a request of a policy. more are further members.
func (u user) create(policy string, more object) request {
	u.s.t.Helper()
	body := object{"policy_key": policy, "title": "A request under " + policy, "context": object{"amount": 50}}
	for name, value := range more {
		body[name] = value
	}
	var r request
	u.call("POST", "/v1/wf/requests", body).Is(201).Decode(&r)
	return r
}

// decide decides the open task of a user, or one that the user may claim.
func (p *process) decide(r request, subject, action string) {
	p.s.t.Helper()
	tasks := p.admin().request(r.ID).open()
	at := slices.IndexFunc(tasks, func(t task) bool { return t.Assignee != nil && t.Assignee.ID == subject })
	if at < 0 {
		at = slices.IndexFunc(tasks, func(t task) bool { return t.Assignee == nil })
	}
	if at < 0 {
		p.s.t.Fatalf("%s has no task of request %s: %+v", subject, r.ID, tasks)
	}
	p.as(subject).call("POST", "/v1/wf/tasks/"+tasks[at].ID+"/decision", object{"action": action,
		"comment": "The decision of " + subject}).Is(200)
}

// replayed is the call whose stored reply the current program repeats.
var replayed = object{"policy_key": "pair", "title": "Sent twice", "context": object{"amount": 7}}

// addPolicies creates the policies and webhook endpoints of wf.
func addPolicies(p *process) {
	ada := p.admin()
	forever := object{"expires_in": nil, "delegation": object{"max_hops": 2}}
	pair := object{"key": "pair", "name": "Two approvers", "approvers": users("ana", "bo"),
		"allow": object{"abstain": true}}
	pool := object{"key": "pool", "name": "One of a pool", "assignment": "pool", "approvers": users("cy", "dee",
		"eve"), "quorum": object{"mode": "any"}}
	high := object{"key": "high", "name": "For high amounts", "when": "context.amount > 100.0",
		"approvers": users("eve")}
	officers := object{"key": "officers", "name": "Officers", "approvers": []object{{"type": "role",
		"role": "officer"}}, "quorum": object{"mode": "any"}}
	controllers := object{"key": "controllers", "name": "Controllers", "approvers": []object{{"type": "role",
		"role": "controller"}}}

	for path, events := range map[string]any{"ok": []string{"*"}, "busy": []string{"request.*"},
		"gone": []string{"request.created"}, "slow": []string{"request.resubmitted"}} {
		ada.call("POST", "/v1/wf/admin/webhooks", object{"name": path, "url": "http://" + outside + "/" + path,
			"events": events}).Is(201)
	}
	for i, signature := range []string{"v1a", "both"} {
		var made struct{ ID string }
		ada.call("POST", "/v1/wf/admin/webhooks", object{"name": signature, "signature": signature,
			"url": "http://" + outside + "/ok", "events": []string{"policy.*"}}).Is(201).Decode(&made)
		if i == 0 {
			ada.call("POST", "/v1/wf/admin/webhooks/"+made.ID+"/rotate-secret", object{}).Is(200)
		}
	}
	ada.call("POST", "/v1/wf/admin/webhooks", object{"name": "chat", "format": "mattermost",
		"url": "http://" + outside + "/ok/hook", "events": []string{"request.approved"}}).Is(201)
	ada.policy("pair", forever, pair, high)
	ada.policy("pool", forever, pool)
	ada.policy("steps", forever, object{"key": "first", "name": "First", "approvers": users("ana")}, officers)
	ada.policy("missing", forever, controllers)
	ada.policy("parallel", forever,
		object{"key": "left", "name": "Left", "parallel_group": "both", "approvers": users("ana")},
		object{"key": "right", "name": "Right", "parallel_group": "both", "approvers": users("bo")})
	ada.policy("override", object{"expires_in": nil, "admin_override": true}, pair)
	ada.policy("quiet", forever, object{"key": "quiet", "name": "Without notices", "approvers": users("hal")})
	ada.policy("any", forever, object{"key": "any", "name": "Any", "approvers": users("ana", "bo", "cy"),
		"quorum": object{"mode": "any"}})
	ada.policy("retired", forever, pair)
	ada.policy("oidc-client", object{"expires_in": nil, "submitters": users("oidc-registrar"),
		"on_behalf": "submitters"},
		object{"key": "review", "name": "Review", "approvers": users("fay")})
	ada.call("POST", "/v1/wf/admin/webhooks", object{"name": "registrar", "secret": secret,
		"url": "http://" + registrar + "/v1/registrar/approvals",
		"events": []string{"request.approved", "request.rejected", "request.cancelled",
			"request.expired"}, "policy_keys": []string{"oidc-client"}}).Is(201)
	ada.call("POST", "/v1/wf/policies", object{"policy_key": "draft", "name": "Draft",
		"stages": []object{pair}}).Is(201)
	ada.call("PUT", "/v1/wf/policies/pool", object{"policy_key": "pool", "name": "Pool of two",
		"stages": []object{pool}, "settings": forever}).Is(201)

}

// fillWF creates rows of wf in every state and ends the process while it sends webhooks.
func fillWF(p *process, database string) {
	t, ada, mia := p.s.t, p.admin(), p.as("mia")
	settings := object{"kinds": object{"waits_for_you": "daily", "expires_soon": "daily", "decided": "daily",
		"changes_asked": "daily", "mentioned": "daily"}, "language": "fr", "zone": "Africa/Dakar"}
	p.as("ana").call("PUT", "/v1/wf/me/notifications", settings).Is(200)
	for _, quiet := range []string{"bo", "hal"} { // purged requests have no pending notices
		p.as(quiet).call("PUT", "/v1/wf/me/notifications", object{"kinds": object{"waits_for_you": "none",
			"expires_soon": "none", "decided": "none", "changes_asked": "none", "mentioned": "none"}}).Is(200)
	}
	p.as("cy").call("PUT", "/v1/wf/me/notifications", object{"zone": "Europe/Paris"}).Is(200)

	// Requests that end.
	purged := p.as("bo").create("quiet", object{"callback_url": "http://" + outside + "/ok"})
	p.decide(purged, "hal", "approve")
	approved := mia.create("pair", object{"callback_url": "http://" + outside + "/ok", "priority": "low",
		"artifact_type": "invoice", "artifact_id": "I-1"})
	mia.call("POST", "/v1/wf/requests/"+approved.ID+"/comments", object{"text": "Please hurry.",
		"mentions": []string{"ana"}}).Is(200)
	p.decide(approved, "ana", "approve")
	p.decide(approved, "bo", "abstain")
	high1 := mia.create("pair", object{"context": object{"amount": 500}, "priority": "urgent"})
	p.decide(high1, "bo", "approve")
	p.decide(high1, "ana", "reject")
	p.decide(mia.create("any", nil), "cy", "approve") // skips the other tasks
	half := mia.create("parallel", nil)
	p.decide(half, "ana", "reject") // cancels the other stage
	cancelled := mia.create("pool", nil)
	mia.call("POST", "/v1/wf/requests/"+cancelled.ID+"/cancel", object{"reason": "No longer needed"}).Is(200)
	overridden := mia.create("override", nil)
	ada.call("POST", "/v1/wf/tasks/"+overridden.Tasks[0].ID+"/decision", object{"action": "approve",
		"comment": "Decided in the meeting of 3 March"}).Is(200)
	expired := mia.create("pair", object{"expires_in": "PT1M"})
	runUnguarded(t, database, fmt.Sprintf("UPDATE request SET expires_ms = %d WHERE id = '%s'",
		time.Now().UnixMilli(), expired.ID))
	gil := p.as("gil").create("pair", nil)
	p.as("gil").call("POST", "/v1/wf/requests/"+gil.ID+"/cancel", nil).Is(200)

	// Requests that continue.
	keyed := mia
	keyed.key = "sent-twice"
	keyed.call("POST", "/v1/wf/requests", replayed).Is(201)
	mia.create("retired", object{"priority": "high"})
	ada.call("POST", "/v1/wf/policies/retired/versions/1/deactivate", nil).Is(200)
	abstained := mia.create("pair", object{"context": object{"amount": 900}})
	p.decide(abstained, "ana", "approve")
	changes := mia.create("pair", nil)
	p.decide(changes, "ana", "request_changes")
	again := mia.create("pair", nil)
	p.decide(again, "bo", "request_changes")
	mia.create("pool", nil)
	claimed := mia.create("pool", nil)
	p.as("cy").call("POST", "/v1/wf/tasks/"+claimed.Tasks[0].ID+"/claim", nil).Is(200)
	mia.create("missing", nil)
	rescued := mia.create("missing", nil)
	ada.call("POST", "/v1/wf/tasks/"+rescued.Tasks[0].ID+"/reassign", object{"new_assignee": "hal"}).Is(200)
	warned := mia.create("pair", object{"expires_in": "PT31M"})
	runUnguarded(t, database, "UPDATE request SET expires_ms = expires_ms - 59000 WHERE id = '"+warned.ID+"'")
	handed := mia.create("any", nil)
	ada.call("POST", "/v1/wf/tasks/"+handed.open()[0].ID+"/reassign", object{"new_assignee": "fay",
		"reason": "Away"}).Is(200)
	resolving := mia.create("steps", nil)

	// Delegations.
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }
	delegate := func(from string, body object) (d struct{ ID string }) {
		p.as(from).call("POST", "/v1/wf/delegations", body).Is(201).Decode(&d)
		return d
	}
	mia.create("any", nil)
	delegate("ana", object{"delegate_to": "fay", "ends_at": in(300 * 24 * time.Hour), "reason": "Leave"})
	delegate("bo", object{"delegate_to": "hal", "ends_at": in(300 * 24 * time.Hour), "mode": "share"})
	delegate("dee", object{"delegate_to": "hal", "ends_at": in(300 * 24 * time.Hour),
		"scope": object{"policy_keys": []string{"pool"}}})
	delegate("eve", object{"delegate_to": "fay", "starts_at": in(100 * 24 * time.Hour),
		"ends_at": in(300 * 24 * time.Hour)})
	revoked := delegate("hal", object{"delegate_to": "cy", "ends_at": in(24 * time.Hour)})
	p.as("hal").call("DELETE", "/v1/wf/delegations/"+revoked.ID, nil).Is(200)
	ended := delegate("cy", object{"delegate_to": "eve", "ends_at": in(24 * time.Hour), "apply_to_open": false,
		"return_on_end": false})
	runUnguarded(t, database, fmt.Sprintf("UPDATE delegation SET ends_ms = %d WHERE id = '%s'",
		time.Now().UnixMilli(), ended.ID))
	mia.create("pool", nil)
	mia.create("pair", nil)

	signIn(p)

	// Deliveries: delivered, failed, pending; and those of an endpoint that is disabled.
	timetest.Eventually(t, "webhooks are sent",
		func() bool { return p.s.outside.got("/ok") > 20 && p.s.outside.got("/gone") > 0 })
	var endpoints struct{ Items []struct{ ID, Name string } }
	ada.call("GET", "/v1/wf/admin/webhooks?limit=100", nil).Is(200).Decode(&endpoints)
	off := func(name string) {
		for _, e := range endpoints.Items {
			if e.Name == name {
				ada.call("PATCH", "/v1/wf/admin/webhooks/"+e.ID, object{"enabled": false}).Is(200)
			}
		}
	}
	db := open(t, database)
	for what, rows := range map[string]string{
		"the request expires":     "request WHERE status = 'expired'",
		"the delegation ends":     "delegation WHERE closed AND revoked_ms = 0",
		"the expiry is announced": "request WHERE expiry_notified AND id = '" + warned.ID + "'",
	} {
		timetest.Eventually(t, what, func() bool { return count(t, db, "SELECT count(*) FROM "+rows) == 1 })
	}
	off("busy")
	p.s.directory.SetHook(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	p.decide(resolving, "fay", "approve") // ana has delegated to fay

	// One process dies while it sends, its successor records that, and dies as well.
	mia.call("POST", "/v1/wf/requests/"+again.ID+"/resubmit", object{"context": object{"amount": 60}}).Is(200)
	timetest.Eventually(t, "a webhook is in flight", func() bool { return p.s.outside.waits("/slow") > 0 })
	p.kill()
	timetest.Eventually(t, "the connections are closed", func() bool { return p.s.outside.waits("/slow") == 0 })
	year := time.Now().AddDate(-1, 0, 0).UnixMilli()
	runUnguarded(t, database,
		fmt.Sprintf("UPDATE request SET created_ms = %d, completed_ms = %[1]d WHERE id = '%s'", year, purged.ID),
		fmt.Sprintf("UPDATE participant SET created_ms = %d WHERE request_id = '%s'", year, purged.ID))
	if said := p.run("purge", "--no-dry-run"); !strings.Contains(said, "deleted 1 requests") {
		t.Errorf("purge: %s", said)
	}
	p.run("erase-person", "gil", "--no-dry-run")
	next := p.s.wf(database)
	timetest.Eventually(t, "the crash is recorded", func() bool {
		return count(t, db, "SELECT count(*) FROM delivery_attempt WHERE outcome = 'unknown'") > 0
	})
	for range 3 {
		p.as("eve").call("POST", "/v1/wf/tasks/"+handed.open()[0].ID+"/decision", object{"action": "approve"}).Is(403)
	}
	timetest.Eventually(t, "a webhook is in flight again", func() bool { return p.s.outside.waits("/slow") > 0 })
	p.Process, p.command = next.Process, next.command
}

// signIn signs a user in to the pages.
func signIn(p *process) {
	p.s.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	form, err := http.NewRequest("POST", p.url+"/inbox/signin", strings.NewReader(url.Values{"person": {"tom"},
		"to": {"/inbox"}}.Encode()))
	if err != nil {
		p.s.t.Fatal(err)
	}
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	form.Header.Set("Origin", p.url)
	form.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := client.Do(form)
	if err != nil {
		p.s.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		p.s.t.Fatalf("sign-in: %d", response.StatusCode)
	}
}
