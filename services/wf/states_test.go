package wf_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/services/wf"
)

// TestTheChartsNameTheStatesOfTheCode compares docs/states.md with the constants.
func TestTheChartsNameTheStatesOfTheCode(t *testing.T) {
	constants := constantsByType(t, ".")
	for _, dir := range []string{"policy", "approver", "../../libs/outbox"} {
		maps.Copy(constants, constantsByType(t, dir))
	}
	charts := chartedStates()
	for heading, kind := range map[string]string{
		"Policy version":   "VersionStatus",
		"Request":          "RequestStatus",
		"Approval":         "Standing",
		"Stage run":        "StageStatus",
		"Task":             "TaskStatus",
		"Delivery":         "DeliveryStatus",
		"Webhook endpoint": "EndpointState",
		"Delegation":       "DelegationStatus",
	} {
		if want := constants[kind]; len(want) == 0 || !slices.Equal(charts[heading], want) {
			t.Errorf("the chart %q has %v, and %s has %v", heading, charts[heading], kind, want)
		}
		delete(charts, heading)
	}
	if len(charts) > 0 {
		t.Errorf("charts of unknown nouns: %v", charts)
	}
}

// drawn fails the test when a step moves something along no arrow of docs/states.md.
func (s *story) drawn(next wf.Request) {
	s.t.Helper()
	move := func(chart string, before, after any, what string) {
		from, to := fmt.Sprint(before), fmt.Sprint(after)
		if from != to && !leads(arrows()[chart], from, to) {
			s.t.Fatalf("%s goes from %s to %s, and docs/states.md does not draw it", what, from, to)
		}
	}
	if s.now.ID == "" {
		s.now.Status = "[*]"
	}
	move("Request", s.now.Status, next.Status, "the request")
	if next.Standing != s.now.Standing {
		move("Approval", cmp.Or(s.now.Standing, "[*]"), next.Standing, "the approval")
	}
	runs := map[string]any{}
	for _, run := range s.now.Stages {
		runs[run.ID] = run.Status
	}
	for _, run := range next.Stages {
		move("Stage run", cmp.Or(runs[run.ID], any("[*]")), run.Status, "stage "+run.Key)
	}
	for _, task := range next.Tasks {
		before := wf.TaskStatus("[*]")
		if old, ok := s.now.Task(task.ID); ok {
			before = old.Status
		}
		move("Task", before, task.Status, "task "+task.ID)
	}
}

// leads reports whether the arrows lead from one state to another: one step may pass
// several states.
func leads(arrows map[string][]string, from, to string) bool {
	reached := []string{from}
	for i := 0; i < len(reached); i++ {
		for _, next := range arrows[reached[i]] {
			if next == to {
				return true
			}
			if !slices.Contains(reached, next) {
				reached = append(reached, next)
			}
		}
	}
	return false
}

// arrows is what docs/states.md draws: the states that follow each, by chart.
var arrows = sync.OnceValue(func() map[string]map[string][]string {
	doc, err := os.ReadFile("docs/states.md")
	if err != nil {
		panic(err)
	}
	charts := map[string]map[string][]string{}
	for _, section := range strings.Split(string(doc), "\n## ")[1:] {
		heading, rest, _ := strings.Cut(section, "\n")
		charts[heading] = map[string][]string{}
		for line := range strings.Lines(rest) {
			if ends := arrow.FindStringSubmatch(line); ends != nil {
				charts[heading][ends[1]] = append(charts[heading][ends[1]], ends[2])
			}
		}
	}
	return charts
})

var arrow = regexp.MustCompile(`^\s+(\S+) --> (\S+?):`)

// chartedStates returns the states in the chart of each section, sorted.
func chartedStates() map[string][]string {
	charts := map[string][]string{}
	for heading, chart := range arrows() {
		for from, ends := range chart {
			charts[heading] = append(charts[heading], from)
			charts[heading] = append(charts[heading], ends...)
		}
		slices.Sort(charts[heading])
		charts[heading] = slices.DeleteFunc(slices.Compact(charts[heading]), func(s string) bool { return s == "[*]" })
	}
	return charts
}

// constantsByType returns the values of a package's string constants by the name
// of their type, sorted.
func constantsByType(t *testing.T, dir string) map[string][]string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind, typed := spec.Type.(*ast.Ident)
			literal, plain := spec.Values[0].(*ast.BasicLit)
			if typed && plain && literal.Kind == token.STRING {
				value, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				values[kind.Name] = append(values[kind.Name], value)
			}
			return true
		})
	}
	for _, v := range values {
		slices.Sort(v)
	}
	return values
}
