package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// The members of the API's replies that are printed.
type (
	user struct{ ID, Username, Name string }

	taskItem struct {
		ID        string
		RequestID string `json:"request_id"`
		StageKey  string `json:"stage_key"`
		Status    string
		CreatedAt time.Time `json:"created_at"`
		Request   struct {
			Title, Priority string
			PolicyKey       string `json:"policy_key"`
			ArtifactID      string `json:"artifact_id"`
			Requester       user
		}
	}

	request struct {
		ID, Status, Title, Priority, Comment, Link string
		PolicyKey                                  string  `json:"policy_key"`
		PolicyVersion                              int     `json:"policy_version"`
		ContextHash                                string  `json:"context_hash"`
		StatusReason                               *reason `json:"status_reason"`
		Requester                                  user
		CreatedAt                                  time.Time `json:"created_at"`
		Context                                    json.RawMessage
		Stages                                     []stage
	}

	reason struct{ Code, Message string }

	stage struct {
		Name, Status string
		Quorum       struct{ Need, Approvals int }
		Approvers    []struct {
			User                    user
			Status, Action, Comment string
		}
	}

	comment struct {
		Text      string
		Author    user
		CreatedAt time.Time `json:"created_at"`
	}
)

func (u user) String() string { return clean(cmp.Or(u.Name, u.Username, u.ID)) }

// clean is text of others as it may go to a terminal: in one line, without control
// characters.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		default:
			return r
		}
	}, text)
}

// day is a time as people read it here.
func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func printInbox(out io.Writer, raw json.RawMessage) error {
	var page struct {
		Items      []taskItem
		NextCursor *string `json:"next_cursor"`
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return err
	}
	if len(page.Items) == 0 && page.NextCursor == nil {
		_, err := fmt.Fprintln(out, "Nothing waits for you.")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TASK\tPRIORITY\tWHAT\tPOLICY\tSTAGE\tFROM\tSINCE")
	for _, t := range page.Items {
		r := t.Request
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, r.Priority, clean(cmp.Or(r.Title, r.ArtifactID, "-")), clean(r.PolicyKey), clean(t.StageKey), r.Requester, day(t.CreatedAt))
	}
	if page.NextCursor != nil {
		fmt.Fprintln(table, "and more: --limit")
	}
	return table.Flush()
}

func printRequest(out io.Writer, raw json.RawMessage, comments []comment) error {
	var r request
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	var text bytes.Buffer
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, "%-10s %s\n", name, value)
		}
	}
	line("Request", r.ID)
	line("Title", clean(r.Title))
	line("Status", r.Status)
	if r.StatusReason != nil {
		line("Because", clean(strings.TrimSuffix(r.StatusReason.Code+": "+r.StatusReason.Message, ": ")))
	}
	line("From", fmt.Sprintf("%s, %s", r.Requester, day(r.CreatedAt)))
	line("Policy", fmt.Sprintf("%s, version %d", clean(r.PolicyKey), r.PolicyVersion))
	line("Priority", r.Priority)
	line("Link", clean(r.Link))
	line("Comment", clean(r.Comment))
	if len(r.Context) > 0 && string(r.Context) != "{}" {
		var content bytes.Buffer
		if err := json.Indent(&content, r.Context, "  ", "  "); err != nil {
			return err
		}
		fmt.Fprintf(&text, "Context    %s\n  %s\n\n", r.ContextHash, lines(content.String()))
	}
	for _, s := range r.Stages {
		fmt.Fprintf(&text, "%s: %s", clean(s.Name), s.Status)
		if s.Quorum.Need > 0 { // it has started
			fmt.Fprintf(&text, ", %d of %d approvals", s.Quorum.Approvals, s.Quorum.Need)
		}
		fmt.Fprintln(&text)
		for _, a := range s.Approvers {
			said := cmp.Or(a.Action, a.Status)
			if a.Comment != "" {
				said += ": " + clean(a.Comment)
			}
			fmt.Fprintf(&text, "  %s %s\n", a.User, said)
		}
	}
	for _, c := range comments {
		fmt.Fprintf(&text, "\n%s, %s:\n  %s\n", c.Author, day(c.CreatedAt), strings.ReplaceAll(lines(c.Text), "\n", "\n  "))
	}
	_, err := text.WriteTo(out)
	return err
}

// lines is clean for text of several lines.
func lines(text string) string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = clean(all[i])
	}
	return strings.Join(all, "\n")
}

func printDecision(out io.Writer, raw json.RawMessage) error {
	var done struct {
		Decision struct{ Action string }
		Request  struct{ ID, Status string }
	}
	if err := json.Unmarshal(raw, &done); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "Your decision, %s, is recorded. Request %s is %s.\n", done.Decision.Action, done.Request.ID, done.Request.Status)
	return err
}

func printPreview(out io.Writer, raw json.RawMessage) error {
	var p struct {
		Status string
		Stages []struct {
			Name, Status string
			Rules        []string
			Approvers    []user
			Count        *int `json:"approver_count"`
			Need         *int
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "The request would be %s.\n", p.Status)
	for i, s := range p.Stages {
		var whom []string
		for _, u := range s.Approvers {
			whom = append(whom, u.String())
		}
		asked := clean(strings.Join(s.Rules, "; "))
		switch {
		case len(whom) > 0:
			asked = fmt.Sprintf("%d of %s", *s.Need, strings.Join(whom, ", "))
		case s.Count != nil:
			asked = fmt.Sprintf("%d of %d people, %s", *s.Need, *s.Count, asked)
		}
		fmt.Fprintf(&text, "%d. %s (%s): %s\n", i+1, clean(s.Name), s.Status, asked)
	}
	_, err := text.WriteTo(out)
	return err
}
