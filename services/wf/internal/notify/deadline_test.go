package notify_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/notify"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
)

// late is a stage of ana and bo that is due after two hours and then asks cy. oli observes it.
func late() policy.Stage {
	s := stage("ana", "bo")
	s.Observers = []policy.Rule{{Type: policy.RuleUser, IDs: []string{"oli"}}}
	s.Deadline = &policy.Deadline{
		DueIn: "PT2H", RemindBefore: []policy.Duration{"PT30M"}, RemindEvery: "PT1H", OnDue: policy.OnDueEscalate,
		EscalateTo: []policy.Rule{{Type: policy.RuleUser, IDs: []string{"cy"}}},
	}
	return s
}

// passes advances the clock and runs the loop of the deadlines.
func (o *office) passes(d time.Duration) {
	o.t.Helper()
	o.clock.Advance(d)
	_, err := o.Timers.ProcessDeadlines(o.t.Context(), o.clock.Now(), 10)
	must(o.t, err)
}

// new returns the subjects of the mails since the last call, by recipient.
func (o *office) new(seen *int) []string {
	var list []string
	for _, m := range o.mail.Accepted()[*seen:] {
		list = append(list, strings.TrimSuffix(m.To, "@people.example")+" "+subject(m))
		*seen++
	}
	return list
}

// A mail about a task warns once the end of the approval has passed; see wf.Request.EndsUnused.
func TestAMailWarnsOfAnApprovalThatEndsBeforeItCanBeUsed(t *testing.T) {
	o := begin(t)
	o.knows("ana", "bo", "cy", "oli")
	d := policy.Definition{Name: "Leave", Stages: []policy.Stage{late()}}
	d.Settings.Validity = &policy.Validity{UntilCEL: `request.created_at + duration("1h")`}
	o.policy(d)
	o.ask()
	o.deliver()
	o.passes(90 * time.Minute)
	o.deliver()
	warned := 0
	for _, m := range o.mail.Accepted() {
		text, html := parts(t, m)
		const warning = "This approval ends before it can be used."
		warns := strings.Contains(text, warning) && strings.Contains(text, "2 March 2026, 13:00 UTC") &&
			strings.Contains(html, warning)
		if soon := strings.HasPrefix(subject(m), "Due soon"); warns != soon {
			t.Errorf("%s to %s: warns %t:\n%s", subject(m), m.To, warns, text)
		} else if soon {
			warned++
		}
	}
	if warned != 2 {
		t.Errorf("%d reminders", warned)
	}
}

func TestDeadlinesAreSentByMail(t *testing.T) {
	o := begin(t)
	t, seen := o.t, 0
	o.knows("ana", "bo", "cy", "oli")
	o.chooses("bo", notice.Settings{Mail: notice.Frequent, Language: "fr", Zone: "Africa/Johannesburg"})
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{late()}})
	r := o.ask()
	wants := func(what string, want ...string) {
		t.Helper()
		o.deliver()
		got := o.new(&seen)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s:\n%s\nwant:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	wants("at the start", "ana To decide: Leave in July (Leave)", "bo À traiter : Leave in July (Leave)")
	if text, html := parts(t, o.to("ana")); !strings.Contains(text, "Due: 2 March 2026, 14:00 UTC") ||
		!strings.Contains(html, "2 March 2026, 14:00 UTC") {
		t.Errorf("the first mail has no due date:\n%s", text)
	}
	o.passes(90 * time.Minute)
	wants("before the date", "ana Due soon: Leave in July (Leave)", "bo Échéance proche : Leave in July (Leave)")
	o.passes(30 * time.Minute)
	wants("at the date", "ana Overdue: Leave in July (Leave)", "bo En retard : Leave in July (Leave)",
		"rita Overdue: Leave in July (Leave)", "oli Overdue: Leave in July (Leave)",
		"cy To decide: Leave in July (Leave)")
	o.passes(time.Hour)
	wants("after the date", "ana Overdue: Leave in July (Leave)", "bo En retard : Leave in July (Leave)", "cy Overdue: Leave in July (Leave)")
	for _, m := range o.mail.Accepted() {
		text, html := parts(t, m)
		want := []string{"The manager", "Due: 2 March 2026, 14:00 UTC"}
		if m.Header("Content-Language") == "fr" {
			want = []string{"The manager", "Échéance : 2 mars 2026 à 16:00 SAST"}
		}
		switch s := subject(m); {
		case strings.HasPrefix(s, "Due soon"):
			want = append(want, "A decision on this request is due soon.")
		case strings.HasPrefix(s, "Overdue"):
			want = append(want, "The due date of this stage has passed. The stage is not decided.")
		}
		for _, w := range want {
			_, value, _ := strings.Cut(w, ": ")
			if !strings.Contains(text, w) || !strings.Contains(html, value) {
				t.Errorf("%s to %s lacks %q:\n%s", subject(m), m.To, w, text)
			}
		}
	}
	o.decide(r, "ana", wf.ActionReject, "")
}

func TestChatsShowDeadlines(t *testing.T) {
	at := func(hour int) identity.Stamp {
		return identity.Stamp{Time: time.Date(2026, 3, 2, hour, 0, 0, 0, time.UTC)}
	}
	due := at(14)
	of := func(change wf.StageSummary) *wf.StageSummary {
		change.Key, change.Name, change.DueAt = "s", "The <manager>", &due
		return &change
	}
	for kind, row := range map[audit.EventType]struct {
		stage  *wf.StageSummary
		reason string
		en, fr []string
	}{
		audit.EventStageReminded: {stage: of(wf.StageSummary{}), en: []string{"Reminder: stage The ", " is not decided"}, fr: []string{"Rappel : l’étape"}},
		audit.EventStageDue:      {stage: of(wf.StageSummary{}), en: []string{"has reached its due date"}, fr: []string{"a atteint son échéance"}},
		audit.EventStageDueMoved: {stage: of(wf.StageSummary{Moved: &wf.Moved{From: at(13), To: due}}), reason: "audit week",
			en: []string{"Root moved the due date of stage", "from 2 March 2026, 13:00 UTC to 2 March 2026, 14:00 UTC",
				"audit week"}, fr: []string{"du 2 mars 2026 à 13:00 UTC au 2 mars 2026 à 14:00 UTC"}},
		audit.EventStageEscalated: {stage: of(wf.StageSummary{Added: []identity.User{{ID: "cy", Name: "Cy"}, {ID: "dora"}}}),
			en: []string{"Approvers added to stage", "Cy, dora"}, fr: []string{"Approbateurs ajoutés"}},
		audit.EventStageEscalationEmpty: {stage: of(wf.StageSummary{}), en: []string{"No approver to add"}, fr: []string{"Aucun approbateur"}},
	} {
		payload, err := json.Marshal(wf.Payload{Type: kind, Data: wf.PayloadData{
			Actor:   identity.ActorRef{ID: "root", Username: "Root"},
			Request: &wf.RequestSummary{Title: "Leave", PolicyKey: "leave", Status: wf.RequestInReview}, Stage: row.stage, Reason: row.reason,
		}})
		must(t, err)
		for language, want := range map[string][]string{"en": append(row.en, "2 March 2026, 14:00 UTC"), "fr": append(row.fr, "2 mars 2026 à 14:00 UTC")} {
			for _, format := range []outbox.Format{outbox.FormatSlack, outbox.FormatMattermost, outbox.FormatTeams} {
				message, err := notify.Chats{Reader: words.Reader(language, time.UTC), Content: notify.ContentAll,
					Definition: noDefinition}.Render(t.Context(), format, payload)
				must(t, err)
				plain := strings.NewReplacer(`\`, "", "\u200b", "").Replace(string(message))
				for _, w := range want {
					if !strings.Contains(plain, w) {
						t.Errorf("%s in %s to %s lacks %q: %s", kind, language, format, w, plain)
					}
				}
			}
		}
	}
}

// A mail about the end of an approval has the end of its validity, and the person and the reason of a revocation.
func TestTheEndOfAnApprovalIsSentByMail(t *testing.T) {
	o := begin(t)
	t, seen := o.t, 0
	o.knows("ana", "rita")
	o.policy(policy.Definition{Name: "Leave", Settings: policy.Settings{Validity: &policy.Validity{ValidFor: "P30D"}},
		Stages: []policy.Stage{stage("ana")}})
	mailed := func(what string, end func(wf.Request)) string {
		t.Helper()
		r := o.ask()
		o.decide(r, "ana", wf.ActionApprove, "")
		o.deliver()
		o.new(&seen)
		end(r)
		o.deliver()
		if got := o.new(&seen); !slices.Contains(got, "rita "+what+": Leave in July (Leave)") {
			t.Fatalf("mails %q, want %s", got, what)
		}
		all := o.mail.Accepted()
		text, _ := parts(t, all[len(all)-1])
		return text
	}
	revoked := mailed("Approval revoked", func(r wf.Request) {
		_, err := o.Requests.RevokeRequest(t.Context(), person("ana"), r.ID, "left the team", "", nil)
		must(t, err)
	})
	if !strings.Contains(revoked, "Valid until: ") || !strings.Contains(revoked, "Revoked by: Ana") || !strings.Contains(revoked, "left the team") {
		t.Errorf("the mail of a revocation is\n%s", revoked)
	}
	lapsed := mailed("Approval lapsed", func(wf.Request) {
		o.clock.Advance(31 * 24 * time.Hour)
		_, err := o.Timers.LapseApprovals(t.Context(), o.clock.Now(), 10)
		must(t, err)
	})
	if !strings.Contains(lapsed, "Valid until: ") || strings.Contains(lapsed, "Revoked by") {
		t.Errorf("the mail of a lapse is\n%s", lapsed)
	}
}
