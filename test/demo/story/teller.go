package story

import (
	"fmt"
	"io"
	"strings"
)

// teller prints the tour and keeps its first error. After an error it prints nothing and no call is
// made, so that the steps need no checks.
type teller struct {
	out    io.Writer
	colour bool

	number int    // of the current step, from 1
	title  string // of the current step
	err    error
}

// Terminal colours (ECMA-48, SGR).
const (
	bold  = "1"
	green = "32"
	faint = "2"
)

func (t *teller) chapter(title string) {
	t.print("\n%s\n", t.paint(bold, strings.ToUpper(title)))
}

func (t *teller) step(title string) {
	if t.err != nil {
		return
	}
	t.number++
	t.title = title
	t.print("\n%s\n", t.paint(bold, fmt.Sprintf("%2d. %s", t.number, title)))
}

// line prints one line of the current step.
func (t *teller) line(format string, args ...any) {
	t.print("    %s\n", fmt.Sprintf(format, args...))
}

// proves prints the conclusion of the current step.
func (t *teller) proves(text string) {
	t.line("%s", t.paint(faint, "=> "+text))
}

// fail ends the tour in the current step.
func (t *teller) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("step %d (%s): %w", t.number, t.title, fmt.Errorf(format, args...))
	}
}

func (t *teller) print(format string, args ...any) {
	if t.err == nil {
		fmt.Fprintf(t.out, format, args...)
	}
}

func (t *teller) paint(colour, text string) string {
	if !t.colour {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
