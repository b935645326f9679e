package interop

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if isEnabled() {
		fmt.Print(asked.table())
	}
	os.Exit(code)
}

// isEnabled reports whether tests with peers run. The peers are downloaded and started first.
func isEnabled() bool { return os.Getenv("COUNTERSIGN_INTEROP") == "1" }

// asked lists the tested behaviour of the peers so far.
var asked report

// report lists peers, tested behaviour and results.
type report struct {
	mu   sync.Mutex
	rows []row
}

type row struct{ peer, question, result string }

// ask records the tested behaviour of a peer. The end of the test is the result.
func ask(t *testing.T, peer, question string) {
	t.Helper()
	t.Cleanup(func() {
		result := "passed"
		switch {
		case t.Failed():
			result = "FAILED"
		case t.Skipped():
			result = "not available: " + cmp.Or(reason(t.Name()), "skipped")
		}
		asked.mu.Lock()
		defer asked.mu.Unlock()
		asked.rows = append(asked.rows, row{peer, question, result})
	})
}

// reasons maps skipped tests to the reason.
var reasons sync.Map

func reason(test string) string {
	text, _ := reasons.Load(test)
	said, _ := text.(string)
	return said
}

// unavailable ends a test whose peer is not there.
func unavailable(t *testing.T, why string) {
	t.Helper()
	reasons.Store(t.Name(), why)
	t.Skip(why)
}

// table is the report for people.
func (r *report) table() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var text strings.Builder
	text.WriteString("\n")
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PEER\tASKED\tRESULT")
	for _, row := range r.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\n", row.peer, row.question, row.result)
	}
	_ = w.Flush()
	return text.String()
}
