package notify

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"slices"
	"strconv"
	"strings"
	text "text/template"
	"unicode"

	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/reason"
)

// Maximum lengths of user text in a mail.
const (
	maxSubject = 160
	maxTitle   = 200
	maxName    = 100
	maxQuote   = 2000
)

//go:embed mail.html mail.txt
var files embed.FS

// Templates of the two formats of a letter.
var (
	mailHTML = template.Must(template.ParseFS(files, "mail.html"))
	mailText = text.Must(text.ParseFS(files, "mail.txt"))
)

// letter is the content of a mail.
type letter struct {
	i18n.Reader
	Subject  string
	Entries  []entry
	More     bool   // entries were left out
	Settings string // address of the notification settings
	Request  string // id of the only request; empty for several or none
}

// entry is one notice of a mail.
type entry struct {
	Subject string
	Lead    string // the event, as a sentence
	Title   string // of the request; empty for none
	Facts   []fact
	Quote   []string // quoted text, by line
	Link    string
	Go      string // link text

	request string
	rank    int // position in the mail
}

type fact struct{ Name, Value string }

const (
	maxEntries = 50   // of a mail
	maxLoaded  = 200  // requests, of which some notices no longer hold
	maxNotices = 1000 // of one mail
)

// write returns the mail of a delivery. It has the notices that hold, of each kind and request the newest, and every
// mention. Without entries nothing is to be sent.
func (n *Notifier) write(ctx context.Context, delivery, person string, r i18n.Reader) (*letter, error) {
	l := &letter{Reader: r, Settings: n.Pages + "/settings"}
	list, err := n.Store.Notices.Mail(ctx, person, delivery, maxNotices)
	if err != nil {
		return l, err
	}
	l.More = len(list) == maxNotices
	type subject struct {
		kind    notice.Kind
		request string
	}
	seen, requests := map[subject]bool{}, map[string]wf.Case{}
	for _, x := range slices.Backward(list) {
		about := subject{x.Kind, x.RequestID}
		if seen[about] && x.RequestID != "" && x.Kind != notice.Mentioned {
			continue
		}
		if seen[about] = true; len(l.Entries) == maxEntries || len(requests) >= maxLoaded && len(l.Entries) > 0 {
			l.More = true
			break
		}
		e, holds, err := n.entry(ctx, r, x, person, requests)
		if err != nil {
			return l, err
		}
		if holds {
			l.Entries = append(l.Entries, e)
		}
	}
	slices.Reverse(l.Entries)
	slices.SortStableFunc(l.Entries, func(a, b entry) int { return cmp.Compare(a.rank, b.rank) })
	if len(l.Entries) > 0 {
		first := l.Entries[0]
		l.Subject, l.Request = first.Subject, first.request
		if more := len(l.Entries) - 1; more > 0 {
			l.Subject = r.N("mail.several", more, line(first.Subject, maxSubject*3/4))
		}
		if slices.ContainsFunc(l.Entries, func(e entry) bool { return e.request != first.request }) {
			l.Request = ""
		}
	}
	return l, nil
}

// entry returns the entry of a notice. holds is false if the notice no longer holds, or its subject is gone.
func (n *Notifier) entry(
	ctx context.Context, r i18n.Reader, x store.MailNotice, person string, requests map[string]wf.Case,
) (e entry, holds bool, err error) {
	if x.RequestID == "" {
		return n.ofDelegation(ctx, r, x)
	}
	about, ok := requests[x.RequestID]
	if !ok {
		found, err := n.Store.ReadRequestFor(ctx, store.ByID(x.RequestID), person)
		if errors.Is(err, reason.RequestNotFound) {
			return e, false, nil
		}
		if err != nil {
			return e, false, err
		}
		about = wf.Case{Request: found.Request, Delegations: found.Delegations, Now: found.Now}
		requests[x.RequestID] = about
	}
	if !notice.Holds(x.Kind, x.Event, about, person) {
		return e, false, nil
	}
	return n.ofRequest(ctx, r, x, about, person), true, nil
}

// ofRequest returns the entry of a notice about a request.
func (n *Notifier) ofRequest(ctx context.Context, r i18n.Reader, x store.MailNotice, c wf.Case, person string) entry {
	about := c.Request
	policies := Definition(n.Store.Policies.Definition)
	name := policies.policyName(ctx, r, about.PolicyKey, about.PolicyVersion)
	titled := titledOf(r, n.filterText(about.Title), name)
	e := entry{
		Title: titleOf(n.filterText(about.Title), name), Link: n.Pages + "/requests/" + about.ID, Go: r.T("mail.open"),
		Facts:   []fact{{r.T("mail.requester"), nameOf(r, about.Requester)}, {r.T("mail.policy"), name}},
		request: about.ID, rank: slices.Index(notice.Kinds, x.Kind),
	}
	said, actor := "", actorOf(r, x.Event.Actor)
	write := func(text, quoted string, args ...any) {
		e.Subject, e.Lead, said = r.T("mail."+text+".subject", titled), r.T("mail."+text+".lead", args...), quoted
	}
	switch x.Kind {
	case notice.Waits:
		write("waits", "", nameOf(r, about.Requester))
	case notice.Expires:
		write(expiryText(x.Event), "")
	case notice.Decided:
		n.describeEnd(r, x.Event, &e, &said, titled)
	case notice.Changes:
		write("changes", reasonOf(x.Event.Request), actor)
	case notice.Mentioned:
		write("mentioned", x.Event.Comment.Text, actor)
	}
	e.Quote = quote(n.filterText(said))
	if run, ok := stageOf(x, c, person); ok {
		s := wf.StageSummary{Key: run.Key, Name: policies.stageName(ctx, r, about.PolicyKey, about.PolicyVersion, run.Key, run.Name)}
		if !run.DueAt.IsZero() {
			s.DueAt = &identity.Stamp{Time: run.DueAt}
		}
		e.Facts = append(e.Facts, stageFacts(r, &s)...)
	}
	if about.Priority != wf.PriorityNormal {
		e.Facts = append(e.Facts, fact{r.T("mail.priority"), r.Label("priority", about.Priority)})
	}
	if x.Kind == notice.Waits && about.Priority == wf.PriorityUrgent {
		e.Subject, e.rank = r.T("mail.urgent", e.Subject), -1
	}
	if (x.Kind == notice.Waits || x.Kind == notice.Expires) && about.EndsUnused(c.Now) {
		e.Lead += " " + r.T("request.ends_unused")
		e.Facts = append(e.Facts, fact{r.T("mail.valid_until"), r.Clock(about.ValidUntil)})
	}
	if about.ExpiresAt != nil && !about.Status.Final() {
		e.Facts = append(e.Facts, fact{r.T("mail.expires"), r.Clock(*about.ExpiresAt)})
	}
	return e
}

// endTexts maps the events about the standing of an approval to keys of package words.
var endTexts = map[audit.EventType]string{
	audit.EventRequestLapsing: "lapsing", audit.EventRequestLapsed: "lapsed", audit.EventRequestRevoked: "revoked",
}

// describeEnd fills in an entry about the end of a request or of its approval, and the reason of the end.
func (n *Notifier) describeEnd(r i18n.Reader, x wf.Event, e *entry, said *string, titled string) {
	about, by, status := x.Request, "mail.by", r.Label("request.status", x.Request.Status)
	e.Lead, *said = r.T("mail.decided.lead", status), reasonOf(about)
	if text, ok := endTexts[x.Type]; ok {
		by, status = "mail.revoked.by", r.T("mail."+text+".status")
		e.Lead, *said = r.T("mail."+text+".lead"), about.EndReason
		if about.ValidUntil != nil {
			e.Facts = append(e.Facts, fact{r.T("mail.valid_until"), r.Clock(about.ValidUntil.Time)})
		}
	}
	e.Subject = r.T("mail.decided.subject", status, titled)
	if x.Actor.Kind != identity.ActorSystem {
		e.Facts = append(e.Facts, fact{r.T(by), actorOf(r, x.Actor)})
	}
}

// reasonOf returns the message of a request's status.
func reasonOf(r *wf.RequestSummary) string {
	if r.StatusReason == nil {
		return ""
	}
	return r.StatusReason.Message
}

// stageOf returns the stage of a notice: in which a task waits for the person, or of the event.
func stageOf(x store.MailNotice, c wf.Case, person string) (wf.StageRun, bool) {
	switch {
	case x.Kind == notice.Waits:
		if task, waits := c.WaitsFor(person); waits {
			return c.Request.LatestRun(task.StageKey)
		}
	case x.Kind == notice.Expires && x.Event.Stage != nil:
		return c.Request.LatestRun(x.Event.Stage.Key)
	}
	return wf.StageRun{}, false
}

// stageFacts returns the name and the due date of a stage.
func stageFacts(r i18n.Reader, s *wf.StageSummary) []fact {
	facts := []fact{{r.T("mail.stage"), line(cmp.Or(s.Name, s.Key), maxName)}}
	if s.DueAt != nil {
		facts = append(facts, fact{r.T("mail.due"), r.Clock(s.DueAt.Time)})
	}
	return facts
}

// expiryText returns the key of the texts of a notice of kind Expires: about the end of the request, or a due date.
func expiryText(e wf.Event) string {
	switch {
	case e.Stage == nil:
		return "expires"
	case e.Stage.Reminder != nil && e.Stage.Reminder.Phase == wf.ReminderBefore:
		return "reminded"
	default:
		return "overdue"
	}
}

// ofDelegation returns the entry about a delegation in the name of the recipient, or about the start of one to them.
func (n *Notifier) ofDelegation(ctx context.Context, r i18n.Reader, x store.MailNotice) (e entry, holds bool, err error) {
	d, err := n.Store.Delegations.Delegation(ctx, x.Event.Resource.ID)
	if errors.Is(err, reason.DelegationNotFound) {
		return e, false, nil
	}
	if err != nil {
		return e, false, err
	}
	known, err := n.Store.KnownPeople(ctx, []string{d.User.ID, d.DelegateTo.ID})
	if err != nil {
		return e, false, err
	}
	delegate, delegator := nameOf(r, cmp.Or(known[d.DelegateTo.ID], d.DelegateTo)), nameOf(r, cmp.Or(known[d.User.ID], d.User))
	e = entry{
		Subject: r.T("mail.delegated.subject", delegate), Lead: r.T("mail.delegated.lead", delegate),
		Facts: []fact{
			{r.T("mail.delegated.period"), r.T("delegations.window", r.Clock(d.StartsAt), r.Clock(d.EndsAt))},
			{r.T("mail.delegated.by"), actorOf(r, x.Event.Actor)},
		},
		Quote: quote(n.filterText(d.Reason)), Link: n.Pages + "/delegations", Go: r.T("mail.open.delegations"),
		rank: slices.Index(notice.Kinds, x.Kind),
	}
	if x.Kind != notice.Started {
		return e, true, nil
	}
	e.Subject, e.Lead = r.T("mail.delegation_started.subject", delegator), r.T("mail.delegation_started.lead", delegator)
	e.Link, e.Go = n.Pages+"?role="+string(wf.InboxDelegate), r.T("mail.open.work")
	now, err := n.Store.Now(ctx)
	if err != nil || d.Status(now) != approver.DelegationActive {
		return e, false, err
	}
	waits, more, err := n.Store.TaskStats(ctx, wf.TaskFilter{
		Inbox: d.DelegateTo.ID, Role: wf.InboxDelegate, Delegations: []approver.Delegation{d}, AsOf: now,
	})
	count := r.Number(strconv.FormatInt(wf.TotalOf(waits), 10))
	if more {
		count += "+"
	}
	e.Facts[1] = fact{r.T("mail.delegation_started.tasks"), count}
	return e, true, err
}

// actorOf returns the display name of an actor.
func actorOf(r i18n.Reader, a identity.ActorRef) string {
	if a.Kind == identity.ActorSystem {
		return r.Label("system", strings.TrimPrefix(a.ID, "system:"))
	}
	return nameOf(r, a.User())
}

func nameOf(r i18n.Reader, u identity.User) string {
	return cmp.Or(line(cmp.Or(u.Name, u.Username, u.ID), maxName), r.T("unnamed"))
}

// titleOf returns the display title of a request.
func titleOf(title, policyName string) string { return cmp.Or(line(title, maxTitle), policyName) }

// titledOf returns the title of a request with the name of its policy, for subjects.
func titledOf(r i18n.Reader, title, policyName string) string {
	if title = line(title, maxSubject/2); title == "" {
		return policyName
	}
	return r.T("mail.titled", title, line(policyName, maxSubject/4))
}

// quote returns the lines of a text, truncated to maxQuote characters.
func quote(said string) []string {
	said = strings.TrimSpace(strings.ReplaceAll(said, "\r\n", "\n"))
	if said == "" {
		return nil
	}
	if runes := []rune(said); len(runes) > maxQuote {
		said = string(runes[:maxQuote]) + "…"
	}
	lines := strings.Split(said, "\n")
	for i := range lines {
		lines[i] = cleanHeader(lines[i])
	}
	return lines
}

// line returns a text as one line of at most the given length.
func line(text string, most int) string {
	text = strings.Join(strings.Fields(cleanHeader(text)), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return text
}

// cleanHeader replaces invisible characters, which could end a header or change the text direction.
func cleanHeader(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		default:
			return -1
		}
	}, strings.ToValidUTF8(text, ""))
}
