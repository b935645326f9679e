package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

func TestLinksLeadToFilesAndHeadings(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for name, content := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(content, -1) {
			target, fragment, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, ":") { // another site
				continue
			}
			path := filepath.Join(root, filepath.Dir(name), target)
			if target == "" {
				path = filepath.Join(root, name)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s, which is not there", name, match[1])
			} else if fragment != "" && !anchors(t, path)[fragment] {
				t.Errorf("%s links to %s, which has no such heading", name, match[1])
			}
		}
	}
}

// A path in backquotes that begins at the root of the repository is one. One that begins with internal is of a service.
func TestPathsLeadToFiles(t *testing.T) {
	path := regexp.MustCompile("`((?:\\.github|deploy|docs|internal|libs|services|test)/[^`<\\s]*)`")
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md"} {
		found := path.FindAllStringSubmatch(pages(t)[name], -1)
		if len(found) == 0 {
			t.Errorf("%s names no path", name)
		}
		for _, match := range found {
			pattern := match[1]
			if strings.HasPrefix(pattern, "internal/") {
				pattern = filepath.Join("services/*", pattern)
			}
			if files, err := filepath.Glob(filepath.Join(root, pattern)); err != nil || len(files) == 0 {
				t.Errorf("%s names %s, which is not there", name, match[1])
			}
		}
	}
}

func TestDecisionsAreFewShortAndOfOneForm(t *testing.T) {
	index, decisions := pages(t)["docs/decisions.md"], 0
	for name, content := range pages(t) {
		if filepath.Base(filepath.Dir(name)) != "adr" {
			continue
		}
		decisions++
		rest := content
		for _, heading := range []string{"# ", "## Context\n", "## Decision\n", "## Consequences\n", "## Alternatives\n"} {
			_, after, found := strings.Cut(rest, heading)
			if !found {
				t.Errorf("%s lacks %q, or has it too early", name, heading)
			}
			rest = after
		}
		if words := len(strings.Fields(content)); words > 350 {
			t.Errorf("%s has %d words, want at most 350", name, words)
		}
		if !strings.Contains(index, "(../"+name+")") {
			t.Errorf("docs/decisions.md does not list %s", name)
		}
	}
	if decisions == 0 || decisions > 16 {
		t.Errorf("%d decisions, want 1 to 16: merge the steps of one decision", decisions)
	}
}

// pages are the Markdown files that people read, by their paths from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || len(path) > 1 && path[0] == '.' && path != ".github"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".md"):
			return nil
		}
		content, err := os.ReadFile(filepath.Join(root, path))
		found[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// anchors are the fragments of the headings of a file.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(content)) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			plain := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			found[strings.ReplaceAll(plain, " ", "-")] = true
		}
	}
	return found
}
