package chart

import (
	"fmt"
	"strings"
	"unicode"
)

// Mermaid returns the chart as a Mermaid flowchart.
func (c Chart) Mermaid() string {
	var text strings.Builder
	fmt.Fprintf(&text, "flowchart TD\n  accTitle: %s\n  accDescr: %s\n", escapePlain(c.Title), escapePlain(c.Describe()))
	fmt.Fprintf(&text, "  start([\"%s\"])\n", escapeQuoted(c.Start))
	from := []string{"start"}
	for i, step := range c.Steps {
		var ids []string
		for j, stage := range step {
			id := fmt.Sprintf("s%d_%d", i+1, j+1)
			ids = append(ids, id)
			fmt.Fprintf(&text, "  %s[\"%s\"]%s\n", id, strings.Join(stage.lines(), "<br/>"), class(stage.State))
			for _, before := range from {
				fmt.Fprintf(&text, "  %s --> %s\n", before, id)
			}
		}
		from = ids
	}
	fmt.Fprintf(&text, "  finish([\"%s\"])%s\n", escapeQuoted(c.End.Word), class(c.End.State))
	for _, before := range from {
		fmt.Fprintf(&text, "  %s --> finish\n", before)
	}
	for _, look := range looks {
		if look.state != Plain {
			fmt.Fprintf(&text, "  classDef %s fill:%s,stroke:%s,color:%s%s\n", look.state, look.fill, look.line, ink, mermaidDash(look))
		}
	}
	return text.String()
}

func class(s State) string {
	if s == Plain {
		return ""
	}
	return ":::" + string(s)
}

func mermaidDash(l look) string {
	if l.dash == "" {
		return ""
	}
	return ",stroke-dasharray:" + l.dash
}

// lines returns the quoted lines of a box.
func (s Stage) lines() []string {
	head := "<b>" + escapeQuoted(s.Name) + "</b>"
	if s.Word != "" {
		head += " (" + escapeQuoted(s.Word) + ")"
	}
	lines := []string{head}
	for _, note := range s.Notes {
		lines = append(lines, escapeQuoted(note))
	}
	for _, p := range s.People {
		lines = append(lines, escapeQuoted(p.line()))
	}
	return lines
}

// escapeQuoted escapes text for a quoted Mermaid string. Characters special to Mermaid or HTML become
// numeric entities.
func escapeQuoted(text string) string {
	var out strings.Builder
	for _, r := range singleLine(text) {
		if r == ' ' || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(".,:!?()/'-+%=", r) {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "#%d;", r)
		}
	}
	return out.String()
}

// escapePlain escapes text for an unquoted Mermaid line.
func escapePlain(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("{};#<>%", r) {
			return ' '
		}
		return r
	}, singleLine(text))
}

// singleLine returns text as one line, without control characters that change its display.
func singleLine(text string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(clean), " ")
}
