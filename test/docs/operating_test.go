package docs

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

// read is a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The settings that the page for operators names are those of docs/configuration.md and of the
// Compose database.
func TestThePageOnOperatingNamesSettingsThatThereAre(t *testing.T) {
	page := read(t, "docs/operating.md")
	settings := map[string]bool{}
	for _, file := range []string{"docs/configuration.md", "deploy/postgres.env"} {
		for _, match := range regexp.MustCompile("(?m)^(?:#?|\\| `)([A-Z_0-9]+)(?:=|`)").FindAllStringSubmatch(read(t, file), -1) {
			settings[match[1]] = true
		}
	}
	named := regexp.MustCompile(`\b(?:WF|REGISTRAR)_[A-Z_]*[A-Z]`).FindAllString(page, -1)
	if len(named) < 20 || len(settings) < 60 {
		t.Fatalf("%d settings on the page, %d in the files", len(named), len(settings))
	}
	for _, name := range named {
		if !settings[name] && !settings[strings.TrimSuffix(name, "_FILE")] {
			t.Errorf("docs/operating.md names %s, which is no setting", name)
		}
	}
}

func TestThePageOnOperatingNamesCommandsThatThereAre(t *testing.T) {
	page := read(t, "docs/operating.md")
	for program, min := range map[string]int{"wf": 6, "oidc-registrar": 2} {
		command := regexp.MustCompile("(?m)^\t([A-Z]\\w*) +\\S+ +`cmd:\"\"(?: name:\"([a-z-]+)\")?")
		known := map[string]bool{}
		for _, match := range command.FindAllStringSubmatch(read(t, filepath.Join("services", program, "cmd", program, "main.go")), -1) {
			if match[2] == "" {
				match[2] = strings.ToLower(match[1])
			}
			known[match[2]] = true
		}
		named := regexp.MustCompile("(?m)(?:^|[`/ ])"+program+" ((?:serve|[a-z]+(?:-[a-z]+)?)\\b)[^`\n]*(?:`|$)").FindAllStringSubmatch(inCode(page), -1)
		if len(named) < min {
			t.Errorf("docs/operating.md names %d commands of %s, want %d at least", len(named), program, min)
		}
		for _, match := range named {
			if !known[match[1]] {
				t.Errorf("docs/operating.md names %s %s, which is no command", program, match[1])
			}
		}
	}
}

// inCode returns the text in backquotes and in blocks of code, a line each.
func inCode(page string) string {
	var lines []string
	for i, part := range strings.Split(page, "```") {
		if i%2 == 1 {
			for line := range strings.Lines(part) {
				if strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "# ") {
					lines = append(lines, strings.TrimSpace(line[2:]))
				}
			}
			continue
		}
		for _, match := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(part, -1) {
			lines = append(lines, match[1])
		}
	}
	return strings.Join(lines, "\n")
}

// An error requires an action, which the page describes. Warnings are on the page if they do.
func TestThePageOnTheLogExplainsEveryError(t *testing.T) {
	page := read(t, "docs/operating-log.md")
	var code strings.Builder
	errors := 0
	for _, folder := range []string{"libs", "services"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "test"+string(filepath.Separator)) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			code.Write(text)
			for message, level := range readMessages(t, path) {
				if level != "warn" {
					errors++
				}
				if level != "warn" && !strings.Contains(page, "`"+message+"`") {
					t.Errorf("%s logs %q, which docs/operating-log.md does not explain", path, message)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if errors < 10 {
		t.Errorf("only %d messages found", errors)
	}
	rows := regexp.MustCompile("(?m)^(?:\\| |- )`([^`]+)`(?: \\||:) ").FindAllStringSubmatch(page, -1)
	if len(rows) < 20 {
		t.Errorf("only %d messages on the page", len(rows))
	}
	for _, row := range rows {
		literal := regexp.MustCompile(`(WF|REGISTRAR)_[A-Z]+`).Split(row[1], 2)[0] // a setting is a variable in some messages
		if !strings.Contains(code.String(), `"`+literal) {
			t.Errorf("docs/operating-log.md explains %q, which is not logged", row[1])
		}
	}
}

// readMessages returns the messages of level warn or error in a file, with warn for the level of a warning.
func readMessages(t *testing.T, path string) map[string]string {
	t.Helper()
	messages := map[string]string{}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Warn", "WarnContext", "Error", "ErrorContext", "Log", "Failed"}, method.Sel.Name) || len(call.Args) == 0 {
			return true
		}
		at, level := 0, ""
		if strings.HasPrefix(method.Sel.Name, "Warn") {
			level = "warn"
		}
		switch method.Sel.Name {
		case "WarnContext", "ErrorContext":
			at = 1
		case "Log":
			at = 2
		case "Failed": // of an outage, which is logged once a minute
			at = 3
		}
		if at < len(call.Args) {
			if text, ok := call.Args[at].(*ast.BasicLit); ok && text.Kind == token.STRING {
				message, err := strconv.Unquote(text.Value)
				if err != nil {
					t.Fatal(err)
				}
				messages[message] = level
			}
		}
		return true
	})
	return messages
}
