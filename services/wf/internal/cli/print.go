package cli

import (
	"cmp"
	_ "embed"
	"strings"
	"text/template"
	"time"
	"unicode"
)

//go:embed print.txt
var textsFile string

// texts holds the templates of printed replies.
var texts = template.Must(template.New("").Funcs(template.FuncMap{
	"day": day, "number": func(i int) int { return i + 1 },
}).Parse(textsFile))

// Printed members of API replies.
type (
	request struct {
		ID, Status, ETag, Standing line
		StatusReason               *struct{ Code, Message line } `json:"status_reason"`
		ValidFrom                  time.Time                     `json:"valid_from"`
	}

	preview struct {
		Status line
		Stages []struct {
			Name, Status line
			DueAt        *time.Time `json:"due_at"`
			DueIn        line       `json:"due_in"` // from the start of a later stage
			Rules        []line
			Approvers    []user
			Count        *int `json:"approver_count"`
			Need         *int
		}
	}

	user struct{ ID, Username, Name line }
)

func (u user) String() string { return string(cmp.Or(u.Name, u.Username, u.ID)) }

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

// day formats a time in the local zone.
func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }
