package notify_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
)

func titled(title string) func(*engine.RequestInput) {
	return func(in *engine.RequestInput) { in.Title = title }
}

// The notices of five minutes are one mail, five minutes after the first. It leaves out those that no longer hold.
func TestNoticesOfFiveMinutesAreOneMail(t *testing.T) {
	o := collecting(t)
	o.knows("ana", "bo")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo")}})
	first := o.ask(titled("June"))
	o.deliver()
	o.wants("at first")
	o.clock.Advance(4 * time.Minute)
	second := o.ask(titled("July"))
	urgent := o.ask(titled("Now"), func(in *engine.RequestInput) { in.Priority = wf.PriorityUrgent })
	_, err := o.Requests.AddComment(t.Context(), person("rita"), first.ID, wf.CommentInput{Text: "Please", Mentions: []string{"ana"}}, nil)
	must(t, err)
	o.decide(second, "bo", wf.ActionApprove, "")
	o.clock.Advance(time.Minute - time.Millisecond)
	o.deliver()
	o.wants("before the end")
	o.clock.Advance(time.Millisecond)
	third := o.ask(titled("May")) // of the same moment as the mail
	o.deliver()
	o.wants("after five minutes", "ana@people.example Urgent: To decide: Now (Leave), and 4 more",
		"bo@people.example Urgent: To decide: Now (Leave), and 2 more")
	text, html := parts(t, o.to("ana"))
	for r, want := range map[string]int{first.ID: 2, second.ID: 1, urgent.ID: 1, third.ID: 1} {
		if link := pages + "/requests/" + r; strings.Count(text, link) != want || strings.Count(html, link) != want {
			t.Errorf("the mail has %s %d times, want %d:\n%s", r, strings.Count(text, link), want, text)
		}
	}
	if m := o.to("ana"); m.Header("References") != "" {
		t.Errorf("a mail about several requests refers to %s", m.Header("References"))
	}
	o.clock.Advance(time.Hour)
	o.ask(titled("August"))
	o.deliver()
	o.clock.Advance(5 * time.Minute)
	o.deliver()
	o.deliver()
	if got := strings.Count(o.got(), "To decide: August (Leave)"); got != 2 || len(o.mail.Accepted()) != 4 {
		t.Errorf("%d mails about the only task of an hour:\n%s", got, o.got())
	}
	o.states(map[string]int{"delivered": 4})
}

// A mail without a notice that still holds, or to a person without mail by now, is not sent.
func TestNoticesThatNoLongerHoldAreNotMailed(t *testing.T) {
	o := collecting(t)
	o.knows("ana", "bo", "cy")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo", "cy")}})
	o.decide(o.ask(), "ana", wf.ActionApprove, "")
	o.chooses("bo", notice.Settings{Mail: notice.Off})
	o.clock.Advance(5 * time.Minute)
	o.deliver()
	o.wants("after five minutes", "cy@people.example To decide: Leave in July (Leave)")
	o.states(map[string]int{"cancelled no_longer_true": 1, "cancelled not_wanted": 1, "delivered": 1})
}

// A mail lists at most fifty notices and says so.
func TestALongMailIsCut(t *testing.T) {
	o := begin(t)
	o.knows("ana")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana")}})
	const more = "This mail does not list all events."
	for _, n := range []int{50, 51} {
		for range n {
			o.ask()
		}
		o.deliver()
		list := o.mail.Accepted()
		text, html := parts(t, list[len(list)-1])
		if got := strings.Count(text, pages+"/requests/"); got != 50 || strings.Contains(text, more) != (n > 50) ||
			strings.Contains(html, more) != (n > 50) {
			t.Errorf("%d of %d requests:\n%s", got, n, text)
		}
	}
}

// A process that ends between the collection and the mail, or after the mail, loses no notice, and sends none under
// another id.
func TestACrashOfTheCollectorLosesNoNotice(t *testing.T) {
	o := collecting(t)
	o.knows("ana")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana")}})
	o.ask(titled("June"))
	o.clock.Advance(time.Millisecond)
	o.ask(titled("July"))
	o.clock.Advance(5 * time.Minute)
	o.mail.Answer(wftest.MailAnswers{Lose: func(_ string, try int) wftest.Losing {
		if try > 1 {
			return wftest.Never
		}
		return wftest.BeforeSaid
	}})
	o.collect()
	next := open(t, string(o.Config.DatabaseURL), o.mail, o.clock)
	next.knows("ana")
	next.deliver()
	o.ask(titled("August")) // between the attempts
	o.clock.Advance(2 * time.Minute)
	next.deliver()
	mails := o.mail.Accepted()
	if len(mails) != 2 || mails[0].ID() != mails[1].ID() || subject(mails[0]) != "To decide: June (Leave), and 1 more" ||
		subject(mails[1]) != subject(mails[0]) {
		t.Fatalf("the mails are %s", o.got())
	}
	o.clock.Advance(5 * time.Minute)
	next.deliver()
	if got := o.mail.Accepted(); len(got) != 3 || subject(got[2]) != "To decide: August (Leave)" {
		t.Errorf("the mails are %s", o.got())
	}
}

// The golden files are the headers and both parts of mails, in both languages.
func TestMailsMatchGoldenFiles(t *testing.T) {
	for _, language := range []string{"en", "fr"} {
		o := collecting(t)
		o.knows("ana")
		for _, who := range []string{"ana", "rita"} {
			o.chooses(who, notice.Settings{Mail: notice.Frequent, Language: language})
		}
		o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana")}})
		check := func(name string) {
			t.Helper()
			o.deliver()
			list := o.mail.Accepted()
			compareMail(t, language+"-"+name, list[len(list)-1])
		}
		r := o.ask(titled("Congé d’été"))
		o.clock.Advance(5 * time.Minute)
		check("task")
		o.ask(titled("July"))
		o.clock.Advance(time.Minute)
		o.ask(titled(""))
		o.clock.Advance(5 * time.Minute)
		check("tasks")
		o.decide(r, "ana", wf.ActionReject, "Not in July")
		o.clock.Advance(5 * time.Minute)
		check("decided")
	}
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

func compareMail(t *testing.T, name string, m wftest.Mail) {
	t.Helper()
	var b bytes.Buffer
	for _, header := range []string{
		"From", "To", "Date", "Message-ID", "In-Reply-To", "References", "List-Id", "List-Unsubscribe", "Auto-Submitted", "Content-Language",
	} {
		b.WriteString(header + ": " + m.Header(header) + "\n")
	}
	text, html := parts(t, m)
	b.WriteString("Subject: " + subject(m) + "\n\n" + text + "\n" + html)
	ids := map[string]string{}
	got := anyID.ReplaceAllStringFunc(b.String(), func(id string) string {
		if ids[id] == "" {
			ids[id] = "ID-" + string(rune('1'+len(ids)))
		}
		return ids[id]
	})
	compareGolden(t, name+".golden", []byte(got))
}
