package notify

import (
	"cmp"
	"context"
	"embed"
	"html/template"
	"slices"
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
	Lead     string // the event, as a sentence
	Title    string // of the request; empty for a digest
	Facts    []fact
	Quote    []string // quoted text, by line
	Sections []section
	Link     string
	Go       string // link text
	Settings string // address of the notification settings
	Stop     string // unsubscribe link of the kind; empty without keys
	Kind     notice.Kind
	Request  string // id of the only request; empty for several
}

type fact struct{ Name, Value string }

// section is a part of a digest.
type section struct {
	Heading string
	Items   []item
	More    string // the number of omitted items, as text
}

type item struct{ Title, Note, Link string }

// letter returns the letter of an event for a recipient.
func (n *Notifier) letter(ctx context.Context, r i18n.Reader, kind notice.Kind, said wf.Payload, to store.Recipient) *letter {
	about := said.Data.Request
	n.definition().translateStage(ctx, r, said.Data)
	name := n.policyName(ctx, r, about.PolicyKey, about.PolicyVersion)
	title, titled := titleOf(n.filterText(about.Title), name), titledOf(r, n.filterText(about.Title), name)
	l := &letter{
		Reader: r, Kind: kind, Request: about.ID, Subject: r.T("mail."+subjects[kind]+".subject", titled), Title: title, Link: n.page(about.ID), Go: r.T("mail.open"),
		Facts:    []fact{{r.T("mail.requester"), nameOf(r, about.Requester)}, {r.T("mail.policy"), name}},
		Settings: n.Pages + settingsPage,
	}
	who := actorOf(r, said.Data.Actor, to.Actor)
	switch kind {
	case notice.Waits:
		l.Lead = r.T("mail.waits.lead", nameOf(r, about.Requester))
		if about.Priority == wf.PriorityUrgent {
			l.Subject = r.T("mail.urgent", l.Subject)
		}
	case notice.Expires:
		text := expiryText(said)
		l.Subject, l.Lead = r.T("mail."+text+".subject", titled), r.T("mail."+text+".lead")
	case notice.Decided:
		if text, ok := standingTexts[said.Type]; ok {
			n.describeStanding(l, text, said, titled, who)
			break
		}
		l.Subject = r.T("mail.decided.subject", r.Label("request.status", about.Status), titled)
		l.Lead = r.T("mail.decided.lead", r.Label("request.status", about.Status))
		if said.Data.Actor.Kind != identity.ActorSystem {
			l.Facts = append(l.Facts, fact{r.T("mail.by"), who})
		}
		l.Quote = quote(n.filterText(reasonOf(about)))
	case notice.Changes:
		l.Lead = r.T("mail.changes.lead", who)
		l.Quote = quote(n.filterText(reasonOf(about)))
	case notice.Mentioned:
		l.Lead = r.T("mail.mentioned.lead", who)
		if said.Data.Comment != nil {
			l.Quote = quote(n.filterText(said.Data.Comment.Text))
		}
	}
	if s := said.Data.Stage; s != nil && (kind == notice.Waits || kind == notice.Expires) {
		l.Facts = append(l.Facts, stageFacts(r, s)...)
	}
	if about.Priority != "" && about.Priority != wf.PriorityNormal {
		l.Facts = append(l.Facts, fact{r.T("mail.priority"), r.Label("priority", about.Priority)})
	}
	if !to.ExpiresAt.IsZero() && !to.Status.Final() {
		l.Facts = append(l.Facts, fact{r.T("mail.expires"), r.Clock(to.ExpiresAt)})
	}
	return l
}

// stageFacts returns the name and the due date of a stage.
func stageFacts(r i18n.Reader, s *wf.StageSummary) []fact {
	facts := []fact{{r.T("mail.stage"), line(cmp.Or(s.Name, s.Key), maxName)}}
	if s.DueAt != nil {
		facts = append(facts, fact{r.T("mail.due"), r.Clock(s.DueAt.Time)})
	}
	return facts
}

// expiryText returns the key of the text of a notice of kind Expires: about the end of the request, or a due date.
func expiryText(said wf.Payload) string {
	before := said.Data.Stage != nil && said.Data.Stage.Reminder != nil && said.Data.Stage.Reminder.Phase == wf.ReminderBefore
	switch {
	case !ofDeadline(said):
		return "expires"
	case before:
		return "reminded"
	default:
		return "overdue"
	}
}

// ofDeadline reports whether the event is about the due date of a stage.
func ofDeadline(said wf.Payload) bool {
	return said.Type == audit.EventStageReminded || said.Type == audit.EventStageDue
}

// subjects maps kinds to keys of package words.
var subjects = map[notice.Kind]string{
	notice.Waits: "waits", notice.Expires: "expires", notice.Decided: "decided", notice.Changes: "changes", notice.Mentioned: "mentioned",
}

// standingTexts maps the events about the standing of an approval to keys of package words.
var standingTexts = map[audit.EventType]string{
	audit.EventRequestLapsing: "lapsing", audit.EventRequestLapsed: "lapsed", audit.EventRequestRevoked: "revoked",
}

// describeStanding fills in a letter about the standing of an approval.
func (n *Notifier) describeStanding(l *letter, text string, said wf.Payload, titled, who string) {
	about := said.Data.Request
	l.Subject = l.T("mail.decided.subject", l.T("mail."+text+".status"), titled)
	l.Lead = l.T("mail." + text + ".lead")
	if until := about.ValidUntil; until != nil {
		l.Facts = append(l.Facts, fact{l.T("mail.valid_until"), l.Clock(until.Time)})
	}
	if said.Type == audit.EventRequestRevoked {
		l.Facts = append(l.Facts, fact{l.T("mail.revoked.by"), who})
	}
	l.Quote = quote(n.filterText(about.EndReason))
}

// settingsPage is the path of the notification settings, below the first page.
const settingsPage = "/settings"

func (n *Notifier) page(request string) string { return n.Pages + "/requests/" + request }

// actorOf returns the display name of an actor; known has the stored name of the user.
func actorOf(r i18n.Reader, a identity.ActorRef, known identity.User) string {
	if a.Kind == identity.ActorSystem {
		return r.Label("system", strings.TrimPrefix(a.ID, "system:"))
	}
	return nameOf(r, identity.User{ID: a.ID, Username: cmp.Or(known.Username, a.Username), Name: known.Name})
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

// reasonOf returns the message of a request's status.
func reasonOf(r *wf.RequestSummary) string {
	if r.StatusReason == nil {
		return ""
	}
	return r.StatusReason.Message
}

// digest returns the daily digest of a recipient.
func (n *Notifier) digest(ctx context.Context, r i18n.Reader, d store.DigestContent) *letter {
	l := &letter{Reader: r, Kind: notice.Digest, Lead: r.T("mail.digest.lead"), Link: n.Pages, Go: r.T("mail.open.work"), Settings: n.Pages + settingsPage}
	l.Subject = r.T("mail.digest.subject")
	if d.Waits > 0 {
		l.Subject = r.N("mail.digest.waits", d.Waits)
		waiting := section{Heading: r.T("mail.waits.heading")}
		for _, x := range d.Waiting {
			waiting.Items = append(waiting.Items, n.item(ctx, r, x))
		}
		if more := d.Waits - len(d.Waiting); more > 0 {
			waiting.More = r.N("mail.digest.more", more)
		}
		l.Sections = append(l.Sections, waiting)
	}
	for _, kind := range notice.Kinds {
		part := section{Heading: r.T("mail." + subjects[kind] + ".heading")}
		for _, x := range d.News {
			if x.Kind == kind {
				part.Items = append(part.Items, n.item(ctx, r, x))
			}
		}
		if part.Items != nil {
			l.Sections = append(l.Sections, part)
		}
	}
	return l
}

// taskMail returns the mail about the tasks of a recipient; about one task it has the facts of its request.
func (n *Notifier) taskMail(ctx context.Context, r i18n.Reader, d store.DigestContent) *letter {
	if d.Waits == 1 {
		x, to := d.Waiting[0], d.Recipient
		stage := &wf.StageSummary{Key: x.StageKey, Name: x.StageName}
		if !x.DueAt.IsZero() {
			stage.DueAt = &identity.Stamp{Time: x.DueAt}
		}
		to.Status, to.ExpiresAt = x.Status, x.ExpiresAt
		return n.letter(ctx, r, notice.Waits, wf.Payload{Data: wf.PayloadData{Stage: stage, Request: &wf.RequestSummary{
			ID: x.RequestID, PolicyKey: x.PolicyKey, PolicyVersion: x.PolicyVersion, Title: x.Title, Priority: x.Priority, Requester: x.Requester,
		}}}, to)
	}
	var policies []string
	tasks := section{}
	for _, x := range d.Waiting {
		tasks.Items = append(tasks.Items, n.item(ctx, r, x))
		if name := n.policyName(ctx, r, x.PolicyKey, x.PolicyVersion); !slices.Contains(policies, name) {
			policies = append(policies, name)
		}
	}
	if more := d.Waits - len(d.Waiting); more > 0 {
		tasks.More = r.N("mail.digest.more", more)
	}
	return &letter{
		Reader: r, Kind: notice.Waits, Subject: titledOf(r, r.N("mail.digest.waits", d.Waits), strings.Join(policies, ", ")),
		Lead: r.T("mail.tasks.lead"), Sections: []section{tasks}, Link: n.Pages, Go: r.T("mail.open.work"), Settings: n.Pages + settingsPage,
	}
}

// delegationMail returns the mail about a delegation to its delegator.
func (n *Notifier) delegationMail(r i18n.Reader, d approver.Delegation, by identity.User) *letter {
	delegate := nameOf(r, d.DelegateTo)
	return &letter{
		Reader: r, Kind: notice.Delegated, Subject: r.T("mail.delegated.subject", delegate), Lead: r.T("mail.delegated.lead", delegate),
		Facts: []fact{
			{r.T("mail.delegated.period"), r.T("delegations.window", r.Clock(d.StartsAt), r.Clock(d.EndsAt))},
			{r.T("mail.delegated.by"), nameOf(r, by)},
		},
		Quote: quote(n.filterText(d.Reason)), Link: n.Pages + "/delegations", Go: r.T("mail.open.delegations"), Settings: n.Pages + settingsPage,
	}
}

func (n *Notifier) item(ctx context.Context, r i18n.Reader, x store.DigestLine) item {
	name := n.policyName(ctx, r, x.PolicyKey, x.PolicyVersion)
	stage := n.definition().stageName(ctx, r, x.PolicyKey, x.PolicyVersion, x.StageKey, x.StageName)
	notes := []string{name, nameOf(r, x.Requester), cmp.Or(line(cmp.Or(stage, x.StageKey), maxName), r.Label("request.status", x.Status))}
	if x.Priority == wf.PriorityUrgent || x.Priority == wf.PriorityHigh {
		notes = append(notes, r.Label("priority", x.Priority))
	}
	if !x.DueAt.IsZero() {
		notes = append(notes, r.T("mail.due.at", r.Clock(x.DueAt)))
	}
	if !x.ExpiresAt.IsZero() && !x.Status.Final() {
		notes = append(notes, r.T("mail.until", r.Clock(x.ExpiresAt)))
	}
	return item{titleOf(n.filterText(x.Title), name), strings.Join(notes, " · "), n.page(x.RequestID)}
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
