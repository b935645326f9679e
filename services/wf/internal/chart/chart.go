// Package chart renders a policy or a request as a vertical flowchart: as SVG and as Mermaid. It
// checks no permissions: the caller passes only visible data.
package chart

import (
	"fmt"
	"strings"
)

// State is the state of a chart element. A policy has none.
type State string

// The states. Each has a label and an outline, not only a color.
const (
	Plain   State = ""
	Done    State = "done"
	Now     State = "now"
	Blocked State = "blocked"
	Later   State = "later"
	Skipped State = "skipped"
	Refused State = "refused"
)

// Chart is the content of a flowchart.
type Chart struct {
	Title string
	Start string // label of the start
	Steps []Step
	End   End
}

// Step is a group of parallel stages.
type Step []Stage

// Stage is one box.
type Stage struct {
	Name   string
	State  State
	Word   string   // label of the state
	Notes  []string // approvers, condition and quorum
	People []Person
}

// Person is one line of a box.
type Person struct {
	Name  string
	Word  string // decision made or due
	State State
}

// End is the final element of the chart.
type End struct {
	Word  string
	State State
}

// Describe returns a text alternative for screen readers.
func (c Chart) Describe() string {
	var text strings.Builder
	sentence := func(parts ...string) {
		for _, part := range parts {
			if part = strings.TrimRight(strings.TrimSpace(part), "."); part != "" {
				fmt.Fprintf(&text, "%s. ", part)
			}
		}
	}
	sentence(c.Start)
	for i, step := range c.Steps {
		for j, stage := range step {
			number := fmt.Sprintf("%d", i+1)
			if len(step) > 1 {
				number += string(rune('a' + j%26))
			}
			name := number + " " + stage.Name
			if stage.Word != "" {
				name += ": " + stage.Word
			}
			sentence(name)
			sentence(stage.Notes...)
			for _, p := range stage.People {
				sentence(p.line())
			}
		}
	}
	sentence(c.End.Word)
	return strings.TrimSpace(text.String())
}

func (p Person) line() string {
	if p.Word == "" {
		return p.Name
	}
	return p.Name + ": " + p.Word
}
