package notify_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/notify"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// noDefinition is a store without policies.
func noDefinition(context.Context, string, int) (policy.Definition, error) {
	return policy.Definition{}, reason.PolicyNotFound
}

// WF_NOTIFY_CONTENT=none omits titles and comments from mails and messages to chats.
func TestMessagesOmitTitlesAndCommentsWithContentNone(t *testing.T) {
	o := begin(t, notify.ContentNone)
	o.knows("ana", "bo")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo")}})
	r := o.ask()
	o.deliver()
	_, err := o.Requests.AddComment(t.Context(), person("rita"), r.ID, wf.CommentInput{Text: "Not in July", Mentions: []string{"ana"}}, nil)
	must(t, err)
	o.deliver()
	o.decide(r, "ana", wf.ActionReject, "Not in July")
	o.deliver()
	mails := o.mail.Accepted()
	if len(mails) != 4 {
		t.Errorf("%d mails, want two pending tasks, a mention and a decision", len(mails))
	}
	for _, m := range mails {
		text, html := parts(t, m)
		for _, all := range []string{subject(m), text, html} {
			if strings.Contains(all, "July") {
				t.Errorf("the mail %q has the title or the comment:\n%s", subject(m), all)
			}
		}
		if !strings.Contains(text, "Leave") {
			t.Errorf("the mail %q does not name the policy:\n%s", subject(m), text)
		}
	}
	payload, err := json.Marshal(wf.Payload{Type: audit.EventRequestRejected, Data: wf.PayloadData{
		Request: &wf.RequestSummary{Title: "Leave in July", PolicyKey: "leave", Status: wf.RequestRejected,
			StatusReason: &wf.StatusReason{Message: "Not in July"}},
		Reason: "Not in July", Comment: &wf.Comment{Text: "Not in July"}, Decision: &wf.Decision{Action: wf.ActionReject, Comment: "Not in July"},
	}})
	must(t, err)
	for _, format := range []outbox.Format{outbox.FormatSlack, outbox.FormatMattermost, outbox.FormatTeams} {
		for content, want := range map[notify.Content]bool{notify.ContentAll: true, notify.ContentNone: false} {
			message, err := notify.Chats{Reader: words.Reader("en", time.UTC), Content: content, Definition: noDefinition}.Render(t.Context(), format, payload)
			if got := strings.Contains(string(message), "July"); err != nil || got != want {
				t.Errorf("%s, content %s: %s, %v", format, content, message, err)
			}
		}
	}
}

// Mails and chats carry titles, comments and reasons. They carry no other input of users, because
// the service has no control over readers of a mailbox or a channel.
func TestMailsAndChatsCarryTitlesAndCommentsOnly(t *testing.T) {
	o := begin(t)
	t, c := o.t, chat(o.t)
	canary := func(field string) string { return "canary-" + field + "-yranac" }
	file := func(field string) []wf.Attachment {
		return []wf.Attachment{{Name: canary(field), URL: "https://x.example/" + canary(field), MediaType: "text/plain"}}
	}
	_, err := o.Engine.Webhooks.CreateEndpoint(t.Context(), admin("root"), outbox.Endpoint{
		Name: "team", URL: c.URL + secretPath, Format: outbox.FormatSlack, Events: []string{"*"}, PolicyKeys: []string{"*"},
		Signature: outbox.SignHMAC, Enabled: true,
	}, "")
	must(t, err)
	o.knows("ana", "bo")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo")}})
	r := o.ask(func(in *engine.RequestInput) {
		in.Context, in.Title, in.ArtifactID = []byte(`{"secret":"`+canary("context")+`"}`), canary("title"), canary("artifact")
		in.Link, in.Labels, in.Comment, in.Attachments = "https://x.example/"+canary("link"),
			map[string]string{"l": canary("label")}, canary("note"), file("file")
	})
	_, err = o.Requests.AddComment(t.Context(), person("rita"), r.ID, wf.CommentInput{Text: canary("comment"), Mentions: []string{"bo"}}, nil)
	must(t, err)
	ana := person("ana")
	ana.Auth.ACR = canary("auth")
	_, err = o.Tasks.DecideTask(t.Context(), ana, r.Tasks[0].ID, wf.DecisionInput{
		Action: wf.ActionReject, Comment: canary("decision"), Data: []byte(`{"d":"` + canary("data") + `"}`), Attachments: file("evidence"),
	}, "", nil)
	must(t, err)
	o.deliver()
	var mails, chats strings.Builder
	for _, m := range o.mail.Accepted() {
		text, html := parts(t, m)
		mails.WriteString(subject(m) + text + html)
	}
	for _, body := range c.bodies {
		chats.Write(body)
	}
	for field, want := range map[string]bool{
		"title": true, "comment": true, "decision": true,
		"context": false, "artifact": false, "link": false, "label": false, "note": false, "file": false,
		"auth": false, "data": false, "evidence": false,
	} {
		for medium, sent := range map[string]string{"mails": mails.String(), "chats": chats.String()} {
			if got := strings.Contains(sent, canary(field)); got != want {
				t.Errorf("%s, %s: %t, want %t", medium, field, got, want)
			}
		}
	}
}

// A stored address that is not used leads to the address of the directory.
func TestABadStoredAddressFallsBackToTheDirectorys(t *testing.T) {
	o := begin(t)
	o.knows("ana")
	ana := person("ana")
	ana.Email = "ana@[127.0.0.1]"
	must(t, o.Notices.PutNotifications(t.Context(), ana, notice.Default()))
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana")}})
	o.ask()
	o.deliver()
	o.wants("of the directory", "ana@people.example To decide: Leave in July (Leave)")
}

// Deliveries to people name the person, and the health page counts approvers without an
// address.
func TestDeliveriesNameThePersonAndApproversWithoutAddressAreCounted(t *testing.T) {
	o := begin(t)
	o.chooses("ana", notice.Default())
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo")}})
	r := o.ask()
	if n, sends, err := o.Notices.WithoutAddress(t.Context()); len(n) != 1 || !sends || err != nil {
		t.Errorf("%v have no address, %t, %v; want bo", n, sends, err)
	}
	o.collect()
	list, _, err := o.Engine.Webhooks.Deliveries(t.Context(), outbox.DeliveryFilter{}, wf.Page{})
	must(t, err)
	people, err := o.Notices.Addressees(t.Context(), list...)
	must(t, err)
	names := map[string]bool{}
	for _, d := range list {
		names[people[d.ID].ID+" "+people[d.ID].Name] = true
	}
	if len(list) != 2 || !names["ana Ana"] || !names["bo "] {
		t.Errorf("%d deliveries to %v", len(list), names)
	}
	o.decide(r, "bo", wf.ActionApprove, "") // their token has an address
	if n, _, err := o.Notices.WithoutAddress(t.Context()); len(n) != 0 || err != nil {
		t.Errorf("%v have no address, %v; want none", n, err)
	}
}
