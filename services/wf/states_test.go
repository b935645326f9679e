package wf_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTheChartsNameTheStatesOfTheCode compares docs/states.md with the constants.
func TestTheChartsNameTheStatesOfTheCode(t *testing.T) {
	constants := constantsByType(t)
	charts := chartedStates(t)
	for heading, kind := range map[string]string{
		"Policy version":   "VersionStatus",
		"Request":          "RequestStatus",
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

var arrow = regexp.MustCompile(`^\s+(\S+) --> (\S+?):`)

// chartedStates returns the states in the chart of each section, sorted.
func chartedStates(t *testing.T) map[string][]string {
	doc, err := os.ReadFile("docs/states.md")
	if err != nil {
		t.Fatal(err)
	}
	charts := map[string][]string{}
	for _, section := range strings.Split(string(doc), "\n## ")[1:] {
		heading, rest, _ := strings.Cut(section, "\n")
		for line := range strings.Lines(rest) {
			ends := arrow.FindStringSubmatch(line)
			if ends == nil {
				continue
			}
			for _, state := range ends[1:] {
				if state != "[*]" {
					charts[heading] = append(charts[heading], state)
				}
			}
		}
		slices.Sort(charts[heading])
		charts[heading] = slices.Compact(charts[heading])
	}
	return charts
}

// constantsByType returns the values of the package's string constants by the name
// of their type, sorted.
func constantsByType(t *testing.T) map[string][]string {
	files, err := filepath.Glob("*.go")
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
