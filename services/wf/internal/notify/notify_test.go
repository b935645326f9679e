package notify_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/notify"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
)

func subject(m wftest.Mail) string {
	text, err := new(mime.WordDecoder).DecodeHeader(m.Header("Subject"))
	if err != nil {
		return err.Error()
	}
	return text
}

// parts are the text and the HTML of a mail.
func parts(t *testing.T, m wftest.Mail) (text, html string) {
	t.Helper()
	message, err := mail.ReadMessage(bytes.NewReader(m.Raw))
	must(t, err)
	media, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	must(t, err)
	if media != "multipart/alternative" {
		t.Fatalf("the mail is %s", media)
	}
	reader := multipart.NewReader(message.Body, params["boundary"])
	for {
		part, err := reader.NextRawPart()
		if err == io.EOF {
			return text, html
		}
		must(t, err)
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		must(t, err)
		body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/plain") {
			text = string(body)
		} else {
			html = string(body)
		}
	}
}

func TestUsersAreNotifiedByMail(t *testing.T) {
	o := begin(t)
	o.knows("ana", "bo")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo")}})
	r := o.ask(func(in *engine.RequestInput) { in.Priority = wf.PriorityUrgent })
	o.deliver()
	o.wants("after the creation", "ana@people.example Urgent: To decide: Leave in July (Leave)",
		"bo@people.example Urgent: To decide: Leave in July (Leave)")
	m := o.to("ana")
	text, html := parts(t, m)
	for _, want := range []string{"Rita submitted a request for your decision.", "Leave in July", "The manager", "Urgent",
		pages + "/requests/" + r.ID, pages + "/settings", "1 April 2026, 12:00 UTC"} {
		if !strings.Contains(text, want) || !strings.Contains(html, want) {
			t.Errorf("the mail lacks %q:\n%s\n%s", want, text, html)
		}
	}
	for name, want := range map[string]string{
		"From": `"Approvals" <approvals@wf.example>`, "To": `"Ana" <ana@people.example>`, "List-Id": "<notices.wf.example>",
		"In-Reply-To": "<request." + r.ID + "@wf.example>", "References": "<request." + r.ID + "@wf.example>",
		"List-Unsubscribe": "<" + pages + "/settings>", "List-Unsubscribe-Post": "",
		"Auto-Submitted": "auto-generated", "Content-Language": "en", "Date": "Mon, 02 Mar 2026 12:05:00 +0000",
	} {
		if got := m.Header(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if strings.Contains(string(m.Raw), "hunter2") || strings.Contains(html, "<form") {
		t.Errorf("the mail contains excluded text:\n%s", m.Raw)
	}
	o.decide(r, "ana", wf.ActionReject, "Not in July")
	o.deliver()
	text, _ = parts(t, o.to("rita"))
	if !strings.Contains(text, "> Not in July") || !strings.Contains(text, "Decided by: Ana") ||
		subject(o.to("rita")) != "Rejected: Leave in July (Leave)" {
		t.Errorf("rita received %q:\n%s", subject(o.to("rita")), text)
	}
	o.states(map[string]int{"delivered": 3})
}

// Mails name a policy and its stage in the reader's language, and chats name the stage in that of the channel.
func TestMessagesNamePoliciesAndStagesInTheReaderLanguage(t *testing.T) {
	o := begin(t)
	o.knows("ana", "bo")
	o.chooses("ana", notice.Settings{Mail: notice.Frequent, Language: "fr"})
	desk := stage("ana", "bo")
	desk.NameI18n = policy.Texts{"fr-CH": "Le responsable"}
	o.policy(policy.Definition{Name: "Leave", NameI18n: policy.Texts{"fr": "Congé"}, Stages: []policy.Stage{desk}})
	r := o.ask()
	o.deliver()
	o.ask(titled("June"))
	o.clock.Advance(time.Millisecond)
	o.ask(titled("May"))
	o.deliver()
	for _, m := range o.mail.Accepted() {
		names, others := []string{"Leave", "The manager"}, []string{"Congé", "Le responsable"}
		if m.To == "ana@people.example" {
			names, others = others, names
		}
		text, html := parts(t, m)
		for i, name := range names {
			said := strings.ReplaceAll(text, "Leave in July", "")
			if !strings.Contains(said, name) || !strings.Contains(html, name) || strings.Contains(said, others[i]) {
				t.Errorf("the mail to %s lacks %q, or has %q:\n%s", m.To, name, others[i], text)
			}
		}
	}
	o.wants("each in its language", "bo@people.example To decide: Leave in July (Leave)", "bo@people.example To decide: June (Leave), and 1 more",
		"ana@people.example À traiter : Leave in July (Congé)", "ana@people.example À traiter : June (Congé), et 1 de plus")
	payload, err := json.Marshal(wf.Payload{Type: audit.EventStageStarted, Data: wf.PayloadData{
		Request: &wf.RequestSummary{PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion}, Stage: &wf.StageSummary{Key: "s", Name: "The manager"},
	}})
	must(t, err)
	for language, want := range map[string]string{"en": "The manager", "fr": "Le responsable"} {
		c := notify.Chats{
			Reader: words.Reader(language, time.UTC), Content: notify.ContentAll, Definition: o.Store.Policies.Definition,
		}
		if message, err := c.Render(t.Context(), outbox.FormatSlack, payload); err != nil || strings.Count(string(message), want) < 1 {
			t.Errorf("the message in %s lacks %q: %s, %v", language, want, message, err)
		}
	}
}

// A daily mail has the notices of a day that still hold, whatever they are about. A person without mail gets none.
func TestUsersChooseTheFrequencyOfMail(t *testing.T) {
	o := collecting(t)
	o.knows("ana", "bo", "cy")
	o.chooses("ana", notice.Settings{Mail: notice.Off})
	o.chooses("bo", notice.Settings{Mail: notice.Daily, Zone: "Africa/Johannesburg"})
	o.chooses("rita", notice.Settings{Mail: notice.Daily})
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo", "cy")}})
	first := o.ask()
	o.clock.Advance(time.Millisecond)
	o.ask(titled("Leave in August"))
	o.clock.Advance(5 * time.Minute)
	o.deliver()
	frequent := "cy@people.example To decide: Leave in July (Leave), and 1 more"
	o.wants("frequent", frequent)
	o.decide(first, "ana", wf.ActionReject, "No")
	o.clock.Set(time.Date(2026, 3, 3, 6, 0, 0, 0, time.UTC).Add(-time.Millisecond))
	o.deliver()
	o.wants("before the hour", frequent)
	o.clock.Advance(time.Millisecond)
	o.deliver()
	bo := "bo@people.example To decide: Leave in August (Leave)"
	o.wants("at the hour of bo", frequent, bo)
	o.clock.Advance(2 * time.Hour)
	o.deliver()
	o.wants("at the hour of rita", frequent, bo, "rita@people.example Rejected: Leave in July (Leave)")
	o.clock.Advance(24 * time.Hour) // without notices
	o.deliver()
	if n := len(o.mail.Accepted()); n != 3 {
		t.Errorf("%d mails after two mornings:\n%s", n, o.got())
	}
}

func TestErasedUserReceivesNoMail(t *testing.T) {
	o := begin(t)
	o.knows("ana")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "ghost")}})
	o.ask()
	o.deliver()
	o.states(map[string]int{"cancelled no_address": 1, "delivered": 1})
	o.chooses("ana", notice.Default())
	if _, err := o.Deletion.ErasePerson(t.Context(), "ana", false); err != nil {
		t.Fatal(err)
	}
	delete(o.known, "ana")
	o.ask(func(in *engine.RequestInput) { in.Title = "Another" })
	o.deliver()
	o.states(map[string]int{"cancelled no_address": 3, "delivered": 1})
}

// A header ends at the line end: names and titles cannot add headers.
func TestNothingThatPeopleWriteIsAHeader(t *testing.T) {
	const attack = "x\r\nBcc: eve@people.example\r\n\r\nHello"
	o := begin(t)
	o.known["ana"] = identity.User{ID: "ana", Name: "Ana\r\nBcc: eve@people.example", Email: "ana@people.example"}
	o.known["bad"] = identity.User{ID: "bad", Email: "bad@people.example>\r\nRCPT TO:<eve@people.example"}
	o.known["two"] = identity.User{ID: "two", Email: "two@people.example, eve@people.example"}
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bad", "two")}})
	r := o.ask(func(in *engine.RequestInput) { in.Title = attack + "\u202egnp.exe" })
	_, err := o.Requests.AddComment(t.Context(), person("rita"), r.ID, wf.CommentInput{Text: attack + "\n.\nQUIT", Mentions: []string{"ana"}}, nil)
	must(t, err)
	o.deliver()
	if n := len(o.mail.Accepted()); n != 1 {
		t.Fatalf("%d mails:\n%s", n, o.got())
	}
	for _, m := range o.mail.Accepted() {
		text, html := parts(t, m)
		if m.To != "ana@people.example" || m.Header("Bcc") != "" || strings.Contains(subject(m)+text+html, "\u202e") || strings.Contains(subject(m), "\n") {
			t.Errorf("a mail to %s:\n%s", m.To, m.Raw)
		}
	}
	o.states(map[string]int{"cancelled bad_address": 2, "delivered": 1})
	o.ask(titled("=?UTF-8?B?c2VjcmV0?="))
	o.deliver()
	if got := subject(o.mail.Accepted()[1]); !strings.Contains(got, "UTF-8?B?c2VjcmV0?=") {
		t.Errorf("a title is decoded: %s", got)
	}
}

// The log contains no address, for every server reply.
func TestTheLogHasNoAddress(t *testing.T) {
	o := begin(t)
	o.knows("ana", "bo")
	o.mail.Answer(wftest.MailAnswers{Rcpt: func(to string, _ int) error {
		return wftest.RefuseMail(550, "no such user "+to)
	}})
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo")}})
	o.ask()
	o.deliver()
	o.states(map[string]int{"failed status 550": 2})
	list, _, err := o.Store.Outbox.Deliveries(t.Context(), outbox.DeliveryFilter{}, wf.Page{Limit: 10})
	must(t, err)
	for _, d := range list {
		if strings.Contains(d.ResponseExcerpt+d.LastError+d.Target.URL, "@") {
			t.Errorf("the delivery has an address: %+v", d)
		}
	}
	if strings.Contains(o.Log.String(), "people.example") {
		t.Errorf("the log has an address:\n%s", o.Log)
	}
}

// Three processes collect and send at the same time: each person gets one mail with all of their tasks.
func TestProcessesSendEachMailOnce(t *testing.T) {
	wftest.Schema.Each(t, func(t *testing.T, url string) {
		const requests = 3
		server, clock := wftest.StartMail(t), timetest.At(noon)
		processes := []*office{open(t, url, server, clock), open(t, url, server, clock), open(t, url, server, clock)}
		ids := newUsers(60)
		for _, o := range processes {
			o.knows(ids...)
		}
		processes[0].policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{pool(ids...)}})
		for range requests {
			processes[0].ask()
		}
		clock.Advance(5 * time.Minute)
		done := make(chan error, len(processes))
		for _, o := range processes {
			go func() {
				for {
					made, err := o.Notices.SendMails(t.Context(), clock.Now(), 7)
					sent, failed := o.Sender.RunOnce(t.Context())
					if err = errors.Join(err, failed); err != nil || made+sent == 0 && len(server.Accepted()) >= len(ids) {
						done <- err
						return
					}
				}
			}()
		}
		for range processes {
			must(t, timetest.Await(t, done, "everybody is told"))
		}
		if n := server.MaxConnections(); n > 4*len(processes) {
			t.Errorf("%d connections at a time, want at most 4 of each process", n)
		}
		seen := map[string]bool{}
		for _, m := range server.Accepted() {
			if seen[m.To] {
				t.Errorf("%s received two mails", m.To)
			}
			seen[m.To] = true
			text, _ := parts(t, m)
			if n := strings.Count(text, pages+"/requests/"); n != requests || subject(m) != "To decide: Leave in July (Leave), and 2 more" {
				t.Errorf("the mail %q lists %d requests, want %d", subject(m), n, requests)
			}
		}
		if len(seen) != len(ids) {
			t.Errorf("%d of %d received mail", len(seen), len(ids))
		}
	})
}
