package cli

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"strings"
	"text/template"
	"time"
	"unicode"
)

//go:embed print.txt
var textsFile string

// texts holds the templates of printed replies. Tabs separate columns.
var texts = template.Must(template.New("").Funcs(template.FuncMap{"day": day, "number": func(i int) int { return i + 1 }}).Parse(textsFile))

// Printed members of API replies.
type (
	request struct {
		ID, Status, Title, Priority, Comment, Link line
		PolicyKey                                  line `json:"policy_key"`
		PolicyVersion                              int  `json:"policy_version"`
		ContextHash                                line `json:"context_hash"`
		ETag                                       line
		StatusReason                               *struct{ Code, Message line } `json:"status_reason"`
		Standing                                   line
		ValidFrom                                  time.Time  `json:"valid_from"`
		ValidUntil                                 *time.Time `json:"valid_until"`
		EndedAt                                    *time.Time `json:"ended_at"`
		EndedBy                                    user       `json:"ended_by"`
		EndReason                                  line       `json:"end_reason"`
		Requester                                  user
		CreatedAt                                  time.Time `json:"created_at"`
		Context                                    json.RawMessage
		Stages                                     []stage
	}

	stage struct {
		Name, Status line
		due
		Quorum    struct{ Need, Approvals int }
		Approvers []struct {
			User                           user
			Status, Action, Comment, Added line
		}
	}

	// due is the due date of a stage, or the time to it from the start of a later stage.
	due struct {
		DueAt   *time.Time `json:"due_at"`
		DueIn   line       `json:"due_in"`
		Overdue bool
	}

	preview struct {
		Status line
		Stages []struct {
			Name, Status line
			due
			Rules     []line
			Approvers []user
			Count     *int `json:"approver_count"`
			Need      *int
		}
	}

	user struct{ ID, Username, Name line }
)

func (u user) String() string { return string(cmp.Or(u.Name, u.Username, u.ID)) }

// Content returns the indented context of the request, or "" if it is empty.
func (r request) Content() (string, error) {
	if len(r.Context) == 0 || string(r.Context) == "{}" {
		return "", nil
	}
	var content bytes.Buffer
	err := json.Indent(&content, r.Context, "  ", "  ")
	return lines(content.String()), err
}

// line is foreign text in one line, sanitized for terminals.
type line string

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *line) UnmarshalText(text []byte) error {
	*l = line(sanitize(string(text)))
	return nil
}

// sanitize sanitizes foreign text for a terminal: one line without control characters.
func sanitize(text string) string {
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

// lines is clean for text of several lines.
func lines(text string) string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = sanitize(all[i])
	}
	return strings.Join(all, "\n")
}

// day formats a time in the local zone.
func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }
