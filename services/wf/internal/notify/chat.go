package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/words"
)

// Chats renders messages for chats. A channel has one language.
type Chats struct {
	i18n.Reader
	Content

	Definition Definition // for names of stages in the language of the channel
}

// note is the content of a message to a channel.
type note struct {
	Event string // the event, as a sentence
	Title string // of the request; empty for an event of the service
	Facts []fact
	Quote string // quoted comment or reason
	Link  string // empty without a configured address of the pages
	Go    string
}

// Render renders an event as a message to a chat. Text from users is escaped: it creates no
// mentions or links and appears as written.
func (c Chats) Render(ctx context.Context, format outbox.Format, payload []byte) ([]byte, error) {
	var said wf.Payload
	if err := json.Unmarshal(payload, &said); err != nil {
		return nil, fmt.Errorf("read an event: %w", err)
	}
	if s, about := said.Data.Stage, said.Data.Request; s != nil && about != nil {
		s.Name = c.Definition.stageName(ctx, c.Reader, about.PolicyKey, about.PolicyVersion, s.Key, s.Name)
	}
	write := chats[format]
	if write == nil {
		return nil, fmt.Errorf("no chat %q", format)
	}
	return json.Marshal(write(c.note(said)))
}

var chats = map[outbox.Format]func(note) object{
	outbox.FormatSlack: note.slack, outbox.FormatMattermost: note.mattermost, outbox.FormatTeams: note.teams,
}

func (c Chats) note(said wf.Payload) note {
	d := said.Data
	n := note{Event: c.event(said, actorOf(c.Reader, d.Actor)), Go: c.T("mail.open"), Quote: d.Reason}
	if about := d.Request; about != nil {
		n.Title, n.Link = titleOf(c.filterText(about.Title), about.PolicyKey), about.Page
		n.Facts = append(n.Facts, fact{c.T("mail.requester"), nameOf(c.Reader, about.Requester)},
			fact{c.T("mail.policy"), line(about.PolicyKey, maxName)},
			fact{c.T("chat.status"), c.Label("request.status", about.Status)})
		if about.Priority != "" && about.Priority != wf.PriorityNormal {
			n.Facts = append(n.Facts, fact{c.T("mail.priority"), c.Label("priority", about.Priority)})
		}
		n.Quote = cmp.Or(n.Quote, reasonOf(about))
	}
	if s := d.Stage; s != nil {
		n.Facts = append(n.Facts, stageFacts(c.Reader, s)...)
	}
	if t := d.Task; t != nil && t.Assignee != nil {
		n.Facts = append(n.Facts, fact{c.T("chat.asked"), nameOf(c.Reader, *t.Assignee)})
	}
	if d.Decision != nil {
		n.Quote = cmp.Or(d.Decision.Comment, n.Quote)
	}
	if d.Comment != nil {
		n.Quote = d.Comment.Text
	}
	n.Quote = strings.Join(quote(c.filterText(n.Quote)), "\n")
	return n
}

// event returns the event as a sentence.
func (c Chats) event(said wf.Payload, who string) string {
	d, whom, stage, detail := said.Data, c.T("unnamed"), "", ""
	if d.Task != nil && d.Task.Assignee != nil {
		whom = nameOf(c.Reader, *d.Task.Assignee)
	}
	if d.Stage != nil {
		stage = line(cmp.Or(d.Stage.Name, d.Stage.Key), maxName)
		detail = c.stageDetail(d.Stage)
	}
	key := "event." + string(said.Type)
	if said.Type == audit.EventTaskDecided && d.Decision != nil {
		key += "." + string(d.Decision.Action)
	}
	if !words.Catalogue.Has(key) {
		return c.T("event.other", who, string(said.Type))
	}
	return c.T(key, who, whom, stage, detail)
}

// stageDetail returns the dates of a moved due date, or the people that an escalation added.
func (c Chats) stageDetail(s *wf.StageSummary) string {
	if s.Moved != nil {
		return c.T("event.due.from_to", c.Clock(s.Moved.From.Time), c.Clock(s.Moved.To.Time))
	}
	var names []string
	for _, u := range s.Added {
		names = append(names, nameOf(c.Reader, u))
	}
	if names == nil {
		return ""
	}
	return line(c.T("event.added", strings.Join(names, ", ")), maxQuote)
}

type object = map[string]any

// slack returns blocks. Their plain_text is not markup; text, which notifications show, is.
func (n note) slack() object {
	plainText := func(text string) object { return object{"type": "plain_text", "text": text, "emoji": false} }
	section := func(text string) object { return object{"type": "section", "text": plainText(text)} }
	blocks := []object{section(n.Event)}
	if n.Title != "" {
		blocks = append(blocks, object{"type": "header", "text": plainText(line(n.Title, 150))})
	}
	if n.Facts != nil {
		var fields []object
		for _, f := range n.Facts {
			fields = append(fields, plainText(f.Name+": "+f.Value))
		}
		blocks = append(blocks, object{"type": "section", "fields": fields})
	}
	if n.Quote != "" {
		blocks = append(blocks, section(n.Quote))
	}
	if n.Link != "" {
		blocks = append(blocks, object{"type": "actions",
			"elements": []object{{"type": "button", "text": plainText(n.Go), "url": n.Link}}})
	}
	text := n.Event
	if n.Title != "" {
		text += ": " + n.Title
	}
	return object{"text": slackText.Replace(text), "blocks": blocks, "unfurl_links": false, "unfurl_media": false}
}

// slackText escapes text for Slack markup: the first three characters begin mentions, links and
// entities. Zero-width spaces separate sequences that resemble links or channels.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "://", ":\u200b//", "@", "@\u200b")

// mattermost returns Markdown.
func (n note) mattermost() object {
	var b strings.Builder
	b.WriteString(markdown(n.Event) + "\n")
	if n.Title != "" {
		b.WriteString("**" + markdown(n.Title) + "**\n")
	}
	for _, f := range n.Facts {
		b.WriteString("\n" + markdown(f.Name) + ": " + markdown(f.Value) + "  ")
	}
	if n.Quote != "" {
		b.WriteString("\n")
		for said := range strings.SplitSeq(n.Quote, "\n") {
			b.WriteString("\n> " + markdown(said))
		}
		b.WriteString("\n")
	}
	if n.Link != "" {
		b.WriteString("\n[" + markdown(n.Go) + "](" + n.Link + ")\n")
	}
	return object{"text": b.String()}
}

// markdown escapes text for Mattermost. A zero-width space separates mentions, channels, addresses
// and emoji.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]()#+-.!|<>&^$=\"'", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if strings.ContainsRune("@~:", r) {
			b.WriteRune('\u200b')
		}
	}
	return strings.NewReplacer("www", "www\u200b", "WWW", "WWW\u200b").Replace(b.String())
}

// teams returns an Adaptive Card. Its text runs are not markup; its text blocks are.
func (n note) teams() object {
	run := func(text string, more object) object {
		inline := object{"type": "TextRun", "text": text}
		maps.Copy(inline, more)
		return object{"type": "RichTextBlock", "inlines": []object{inline}}
	}
	body := []object{run(n.Event, nil)}
	if n.Title != "" {
		body = append(body, run(n.Title, object{"weight": "Bolder", "size": "Medium"}))
	}
	for _, f := range n.Facts {
		body = append(body, run(f.Name+": "+f.Value, object{"isSubtle": true}))
	}
	for said := range strings.SplitSeq(n.Quote, "\n") {
		if said != "" {
			body = append(body, run(said, object{"italic": true}))
		}
	}
	card := object{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard",
		"version": "1.4", "body": body}
	if n.Link != "" {
		card["actions"] = []object{{"type": "Action.OpenUrl", "title": n.Go, "url": n.Link}}
	}
	return object{"type": "message", "attachments": []object{{"contentType": "application/vnd.microsoft.card.adaptive",
		"content": card}}}
}
