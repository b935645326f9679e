package docs

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// A row of the page has the module, its job and the release in use.
func TestThePageOnDependenciesHasEachDirectDependency(t *testing.T) {
	used := map[string]string{}
	for _, module := range []string{"libs", "services/wf", "services/oidc-registrar", "test"} {
		path := filepath.Join(root, module, "go.mod")
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := modfile.Parse(path, content, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range file.Require {
			if !r.Indirect && !strings.HasPrefix(r.Mod.Path, "github.com/countersign/") {
				used[r.Mod.Path] = r.Mod.Version
			}
		}
	}
	listed := map[string]string{}
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| (v[^ ,]+), \\d{4}-\\d{2} \\|$")
	for _, match := range row.FindAllStringSubmatch(pages(t)["docs/dependencies.md"], -1) {
		listed[match[1]] = match[2]
	}
	for _, module := range slices.Sorted(maps.Keys(used)) {
		if listed[module] != used[module] {
			t.Errorf("docs/dependencies.md has %s in release %q, used is %s", module, listed[module], used[module])
		}
		delete(listed, module)
	}
	if len(used) == 0 || len(listed) > 0 {
		t.Errorf("%d modules are used; not used are %v", len(used), slices.Sorted(maps.Keys(listed)))
	}
}
