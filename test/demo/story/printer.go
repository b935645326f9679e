package story

import (
	"fmt"
	"io"
	"strings"
)

// printer prints the tour and keeps its first error. After an error it prints nothing and no call is
// made, so that the steps need no checks.
type printer struct {
	out    io.Writer
	number int    // of the current step, from 1
	title  string // of the current step
	err    error
}

func (t *printer) chapter(title string) { t.print("\n%s\n", strings.ToUpper(title)) }

func (t *printer) step(title string) {
	if t.err == nil {
		t.number++
		t.title = title
		t.print("\n%2d. %s\n", t.number, title)
	}
}

// line prints one line of the current step.
func (t *printer) line(format string, args ...any) { t.print("    "+format+"\n", args...) }

// proves prints the conclusion of the current step.
func (t *printer) proves(text string) { t.line("=> %s", text) }

// fail ends the tour in the current step.
func (t *printer) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("step %d (%s): %w", t.number, t.title, fmt.Errorf(format, args...))
	}
}

func (t *printer) print(format string, args ...any) {
	if t.err == nil {
		fmt.Fprintf(t.out, format, args...)
	}
}
