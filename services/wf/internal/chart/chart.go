// Package chart draws a policy, or a request on its way through one, from top to bottom: as
// SVG for people and as Mermaid for their documents. It only draws: what callers may see,
// they are given.
package chart

import (
	"fmt"
	"strings"
)

// State is how a part of the picture stands. A policy has none.
type State string

// The states. Each is told by its word and its outline too, not by its colour alone.
const (
	Plain   State = ""
	Done    State = "done"
	Now     State = "now"
	Blocked State = "blocked"
	Later   State = "later"
	Skipped State = "skipped"
	Refused State = "refused"
)

// Chart is what is drawn.
type Chart struct {
	Title string
	Start string // where the way begins
	Steps []Step
	End   End
}

// Step is the stages that run together.
type Step []Stage

// Stage is one box.
type Stage struct {
	Name   string
	State  State
	Word   string   // what the state is called
	Notes  []string // whom the stage asks, when, and how many must approve
	People []Person
}

// Person is one line of a box.
type Person struct {
	Name  string
	Word  string // what they have done, or have to do
	State State
}

// End is how the way ends, or has ended.
type End struct {
	Word  string
	State State
}

// Describe tells the picture in words, for whoever cannot see it.
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
