package notify_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/notify/smtptest"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
)

// collecting opens a process that collects tasks for five minutes.
func collecting(t *testing.T, fn func(o *office)) {
	collect = 5 * time.Minute
	defer func() { collect = 0 }()
	each(t, fn)
}

func titled(title string) func(*engine.RequestInput) {
	return func(in *engine.RequestInput) { in.Title = title }
}

// The tasks of five minutes are one mail, five minutes after the first. Urgent requests and other kinds do not wait.
func TestTasksOfFiveMinutesAreOneMail(t *testing.T) {
	collecting(t, func(o *office) {
		t := o.t
		o.knows("ana", "bo")
		o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo")}})
		first := o.ask(titled("June"))
		o.deliver()
		o.wants("at once")
		o.clock.Advance(4 * time.Minute)
		second := o.ask(titled("July"))
		o.ask(titled("Now"), func(in *engine.RequestInput) { in.Priority = wf.PriorityUrgent })
		o.deliver()
		const now = "ana@people.example Urgent: To decide: Now (Leave)"
		o.wants("after four minutes", now, strings.Replace(now, "ana", "bo", 1))
		o.decide(second, "bo", wf.ActionApprove, "")
		o.clock.Advance(time.Minute - time.Millisecond)
		o.deliver()
		o.wants("before the end", now, strings.Replace(now, "ana", "bo", 1))
		o.clock.Advance(time.Millisecond)
		third := o.ask(titled("May")) // of the same moment as the mail
		o.deliver()
		o.wants("after five minutes", now, strings.Replace(now, "ana", "bo", 1), "ana@people.example 3 requests to decide (Leave)", "bo@people.example 2 requests to decide (Leave)")
		text, html := parts(t, o.mail.Accepted()[len(o.mail.Accepted())-1])
		for _, r := range []wf.Request{first, third} {
			if link := pages + "/requests/" + r.ID; strings.Count(text, link) != 1 || strings.Count(html, link) != 1 {
				t.Errorf("the mail lacks %s:\n%s", r.Title, text)
			}
		}
		o.clock.Advance(time.Hour)
		o.ask(titled("August"))
		o.deliver()
		o.clock.Advance(5 * time.Minute)
		o.deliver()
		o.deliver()
		if got := strings.Count(o.got(), "To decide: August (Leave)"); got != 2 || len(o.mail.Accepted()) != 6 {
			t.Errorf("%d mails about the only task of an hour:\n%s", got, o.got())
		}
		o.states(map[string]int{"delivered": 6})
	})
}

// A mail about tasks that were decided, or that the person does not want any more, is not sent.
func TestDecidedTasksAreNotMailed(t *testing.T) {
	collecting(t, func(o *office) {
		t := o.t
		o.knows("ana", "bo", "cy")
		o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo", "cy")}})
		r := o.ask()
		o.decide(r, "ana", wf.ActionApprove, "")
		must(t, o.Notices.Unsubscribe(t.Context(), engine.Unsubscription{Person: "bo", Kind: notice.Waits}))
		o.clock.Advance(5 * time.Minute)
		o.deliver()
		o.wants("after five minutes", "cy@people.example To decide: Leave in July (Leave)")
		o.states(map[string]int{"cancelled no_longer_true": 1, "cancelled not_wanted": 1, "delivered": 1})
	})
}

// A process that ends between the collection and the mail, or after the mail, loses no task, and sends none under
// another id.
func TestACrashOfTheCollectorLosesNoTask(t *testing.T) {
	collecting(t, func(o *office) {
		t := o.t
		o.knows("ana")
		o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana")}})
		o.ask(titled("June"))
		o.ask(titled("July"))
		o.clock.Advance(5 * time.Minute)
		o.mail.Answer(smtptest.Answers{Lose: func(_ string, try int) smtptest.Losing {
			if try > 1 {
				return smtptest.Never
			}
			return smtptest.BeforeSaid
		}})
		o.collect()
		next := open(t, o.url, o.mail, o.clock)
		next.knows("ana")
		next.deliver()
		o.ask(titled("August")) // between the attempts
		o.clock.Advance(2 * time.Minute)
		next.deliver()
		mails := o.mail.Accepted()
		if len(mails) != 2 || mails[0].ID() != mails[1].ID() || subject(mails[0]) != "2 requests to decide (Leave)" || subject(mails[1]) != subject(mails[0]) {
			t.Fatalf("the mails are %s", o.got())
		}
		o.clock.Advance(5 * time.Minute)
		next.deliver()
		if got := o.mail.Accepted(); len(got) != 3 || subject(got[2]) != "To decide: August (Leave)" {
			t.Errorf("the mails are %s", o.got())
		}
	})
}

func TestADeliveryOfAMailAboutTasksNamesTheFirstRequest(t *testing.T) {
	each(t, func(o *office) {
		t := o.t
		o.knows("ana")
		o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana")}})
		r := o.ask()
		o.collect()
		list, _, err := o.store.Outbox.Deliveries(t.Context(), outbox.DeliveryFilter{}, wf.Page{Limit: 10})
		must(t, err)
		person, kind, ok := engine.ReadNoticeTarget(list[0].Target)
		if len(list) != 1 || person != "ana" || kind != notice.Waits || !ok || !engine.IsTaskMail(list[0].Target) {
			t.Fatalf("%d deliveries, the first to %s about %s", len(list), person, kind)
		}
		d, _, err := o.Webhooks.Delivery(t.Context(), list[0].ID)
		must(t, err)
		if body := string(d.Payload); !strings.Contains(body, `"title":"Leave in July"`) || !strings.Contains(body, r.ID) || !strings.Contains(body, `"name":"Rita"`) {
			t.Errorf("the payload is %s", body)
		}
	})
}

var update = flag.Bool("update", false, "write the golden files")

// The golden files are the headers and both parts of mails, in both languages.
func TestMailsMatchGoldenFiles(t *testing.T) {
	for _, language := range []string{"en", "fr"} {
		collecting(t, func(o *office) {
			t := o.t
			o.knows("ana")
			s := notice.Default()
			s.Language = language
			must(t, o.Notices.PutNotifications(t.Context(), person("ana"), s))
			must(t, o.Notices.PutNotifications(t.Context(), person("rita"), s))
			o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana")}})
			check := func(name string) {
				t.Helper()
				o.deliver()
				list := o.mail.Accepted()
				compareGolden(t, language+"-"+name, list[len(list)-1])
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
			check("decided")
		})
	}
}

var (
	anyToken = regexp.MustCompile(`token=[A-Za-z0-9_%:.-]+`)
	anyID    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

func compareGolden(t *testing.T, name string, m smtptest.Mail) {
	t.Helper()
	var b bytes.Buffer
	for _, header := range []string{
		"From", "To", "Date", "Message-ID", "In-Reply-To", "References", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted", "Content-Language",
	} {
		b.WriteString(header + ": " + m.Header(header) + "\n")
	}
	text, html := parts(t, m)
	b.WriteString("Subject: " + subject(m) + "\n\n" + text + "\n" + html)
	ids := map[string]string{}
	got := anyID.ReplaceAllStringFunc(anyToken.ReplaceAllString(b.String(), "token=TOKEN"), func(id string) string {
		if ids[id] == "" {
			ids[id] = "ID-" + string(rune('1'+len(ids)))
		}
		return ids[id]
	})
	path := filepath.Join("testdata", name+".golden")
	if *update {
		must(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	if got != string(want) || err != nil {
		t.Errorf("%s differs (go test -update writes it): %v\n%s", path, err, got)
	}
}

// The colours of mails are those of the pages.
func TestMailsHaveTheColoursOfThePages(t *testing.T) {
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		must(t, err)
		return string(text)
	}
	style := read("../../../../libs/ui/frame/assets/style.css")
	found := regexp.MustCompile(`#[0-9a-f]{3,8}\b`).FindAllString(read("mail.html"), -1)
	if len(found) < 10 {
		t.Errorf("mails have %d colours", len(found))
	}
	for _, colour := range found {
		if !strings.Contains(style, colour) {
			t.Errorf("the pages do not have %s", colour)
		}
	}
}
