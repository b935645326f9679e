package notify_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/policy"
)

// two is a policy with the approvers ana and bo.
func (o *office) two() {
	o.t.Helper()
	o.knows("ana", "bo")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo")}})
	o.ask()
	o.collect()
}

const (
	toAna = "ana@people.example To decide: Leave in July (Leave)"
	toBo  = "bo@people.example To decide: Leave in July (Leave)"
)

// refuse answers with an SMTP error.
func refuse(code int) func(int) error {
	return func(int) error { return wftest.RefuseMail(code, "no such user") }
}

// only answers for mail to ana.
func only(answer func(try int) error) func(string, int) error {
	return func(to string, try int) error {
		if to != "ana@people.example" {
			return nil
		}
		return answer(try)
	}
}

func TestARefusedRecipientDoesNotDelayOthers(t *testing.T) {
	for _, row := range []struct {
		name    string
		answers wftest.MailAnswers
	}{
		{"as a recipient", wftest.MailAnswers{Rcpt: only(refuse(550))}},
		{"with the message", wftest.MailAnswers{Data: only(refuse(554))}},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := begin(t)
			o.mail.Answer(row.answers)
			o.two()
			o.deliver()
			o.clock.Advance(24 * time.Hour)
			o.deliver()
			o.wants("only bo", toBo)
			if n := o.mail.Attempts("ana@people.example"); n != 1 {
				t.Errorf("ana was tried %d times", n)
			}
		})
	}
}

// Greylisting servers accept a second attempt some minutes later.
func TestGreylistingServersGetASecondAttempt(t *testing.T) {
	o := begin(t)
	o.mail.Answer(wftest.MailAnswers{Rcpt: only(func(try int) error {
		if try < 3 {
			return wftest.RefuseMail(451, "greylisted")
		}
		return nil
	})})
	o.two()
	o.deliver()
	o.wants("at first", toBo)
	o.states(map[string]int{"delivered": 1, "pending status 451": 1})
	o.clock.Advance(2 * time.Minute) // with the time of the attempt
	o.deliver()
	o.wants("after a minute", toBo)
	o.clock.Advance(6 * time.Minute)
	o.deliver()
	o.wants("after six", toAna, toBo)
}

// content returns the subject and both parts of a mail.
func content(t *testing.T, m wftest.Mail) string {
	text, html := parts(t, m)
	return subject(m) + "\n" + text + "\n" + html
}

// If the outcome is unknown, the message is sent again under the same id.
func TestALostConnectionLosesNothing(t *testing.T) {
	for _, row := range []struct {
		when wftest.Losing
		want int
	}{{wftest.BeforeTaken, 1}, {wftest.BeforeSaid, 2}, {wftest.AfterSaid, 1}} {
		t.Run(fmt.Sprint(row.when), func(t *testing.T) {
			o := begin(t)
			o.mail.Answer(wftest.MailAnswers{Lose: func(to string, try int) wftest.Losing {
				if try > 1 || to != "ana@people.example" {
					return wftest.Never
				}
				return row.when
			}})
			o.two()
			o.deliver()
			o.clock.Advance(2 * time.Minute) // with the time of the attempt
			o.deliver()
			var toAna []wftest.Mail
			for _, m := range o.mail.Accepted() {
				if m.To == "ana@people.example" {
					toAna = append(toAna, m)
				}
			}
			if len(toAna) != row.want {
				t.Fatalf("ana has %d mails, want %d", len(toAna), row.want)
			}
			for _, m := range toAna {
				if m.ID() != toAna[0].ID() || content(t, m) != content(t, toAna[0]) {
					t.Errorf("the second is another:\n%s\n%s", m.Raw, toAna[0].Raw)
				}
			}
			o.states(map[string]int{"delivered": 2})
		})
	}
}

// An unreachable server costs no message an attempt, without a time limit.
func TestAnUnreachableServerCostsNoAttempt(t *testing.T) {
	o := begin(t)
	address := net.JoinHostPort("127.0.0.1", fmt.Sprint(o.mail.Port))
	o.mail.Stop()
	o.two()
	for range 3 {
		_, err := o.Sender.RunOnce(t.Context())
		must(t, err)
		o.clock.Advance(24 * time.Hour)
	}
	o.states(map[string]int{"pending": 2})
	if n := strings.Count(o.Log.String(), "mail server unreachable or refusing"); n != 1 {
		t.Errorf("%d log lines about it:\n%s", n, o.Log)
	}
	o.mail = wftest.StartMail(t, address)
	timetest.Eventually(t, "both are told", func() bool {
		_, err := o.Sender.RunOnce(t.Context())
		must(t, err)
		return len(o.mail.Accepted()) == 2
	})
	o.states(map[string]int{"delivered": 2})
	if !strings.Contains(o.Log.String(), "accepts messages again") {
		t.Errorf("no log line about the recovery:\n%s", o.Log)
	}
}

// Rejected credentials of the service are no failure of a message.
func TestRejectedCredentialsCostNoAttempt(t *testing.T) {
	o := begin(t)
	o.mail.Answer(wftest.MailAnswers{User: "wf", Password: "other"})
	o.two()
	_, err := o.Sender.RunOnce(t.Context())
	must(t, err)
	o.states(map[string]int{"pending": 2})
	o.mail.Answer(wftest.MailAnswers{})
	timetest.Eventually(t, "both are told", func() bool {
		_, err := o.Sender.RunOnce(t.Context())
		must(t, err)
		return len(o.mail.Accepted()) == 2
	})
}
