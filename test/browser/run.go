package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Missing returns the reason that stories cannot run on this machine, or "".
func Missing() string {
	for _, tool := range []string{"chromium", "node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "there is no " + tool + " (apt-get install " + tool + ")"
		}
	}
	return ""
}

// RunStory runs a story of this folder with more environment. It requires a test in a folder of this module, and
// installs the tools of the stories from the network. The pictures are in a folder of the name of the story.
func RunStory(t *testing.T, name string, env ...string) {
	t.Helper()
	if why := Missing(); why != "" {
		t.Fatal(why)
	}
	stories, err := filepath.Abs("../browser")
	if err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(stories, "../../.cache/browser")
	if err := os.MkdirAll(cache, 0o755); err != nil { // #nosec G301 -- tools and pictures
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(stories, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(cache, name), text, 0o644) // #nosec G306 G703 -- names and texts of this package
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run(t, cache, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	folder := "pictures"
	if name != "story.mjs" {
		folder += "-" + strings.TrimSuffix(name, ".mjs")
	}
	run(t, cache, append(env, "CHROMIUM="+chromium, "MODULES="+filepath.Join(cache, "node_modules"), "PICTURES="+filepath.Join(cache, folder)),
		"node", filepath.Join(stories, name))
}

func run(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	out, err := command.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
