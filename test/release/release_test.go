package release

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const (
	prefix  = "github.com/countersign/countersign/"
	version = "v1.2.3"
)

// programs maps modules to the programs of a release.
var programs = map[string]string{"services/wf": "wf", "services/oidc-registrar": "oidc-registrar"}

func TestGoInstallFindsAReleasedService(t *testing.T) {
	repo := repository(t)
	proxy := t.TempDir()
	env := append(os.Environ(), "GOPROXY="+proxies(t, proxy), "GONOSUMDB="+prefix+"*", "GONOSUMCHECK=1",
		"GOFLAGS=-modcacherw -trimpath", "GOWORK=off", "CGO_ENABLED=0",
		// The module cache of this machine never replaces v1.2.3.
		"GOMODCACHE="+t.TempDir(), "GOBIN="+filepath.Join(t.TempDir(), "bin"))
	modules := filepath.Join(root(t), "deploy/release/modules.sh")

	run(t, repo, env, modules, "libs", version)
	publish(t, proxy, repo, "libs")
	run(t, repo, env, modules, "services", version)
	for folder, program := range programs {
		publish(t, proxy, repo, folder)
		t.Run(program, func(t *testing.T) {
			bin := t.TempDir()
			run(t, t.TempDir(), append(env, "GOBIN="+bin), "go", "install", prefix+folder+"/cmd/"+program+"@latest")
			if got := run(t, bin, nil, filepath.Join(bin, program), "--version"); got != version+"\n" {
				t.Errorf("--version = %q, want %s", got, version)
			}
		})
	}
	t.Run("a second run changes nothing", func(t *testing.T) {
		before := run(t, repo, nil, "git", "show-ref")
		run(t, repo, env, modules, "libs", version)
		run(t, repo, env, modules, "services", version)
		if after := run(t, repo, nil, "git", "show-ref"); after != before {
			t.Errorf("tags and branches were\n%sand are\n%s", before, after)
		}
	})
}

func TestModulesAreTaggedWithVersionsOfTheirPath(t *testing.T) {
	repo := repository(t)
	for _, version := range []string{"", "1.2.3", "v1.2", "v2.0.0", "v1.02.3", "v1.2.3-rc.1", "v1.2.3 x"} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(root(t), "deploy/release/modules.sh"), "libs", version)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), `version "`+version+`" is not`) {
			t.Errorf("%q: %v, %s", version, err, out)
		}
	}
	if tags := run(t, repo, nil, "git", "tag"); tags != "" {
		t.Errorf("tags: %s", tags)
	}
}

func TestAnArchiveHoldsTheProgramAndItsSumIsListed(t *testing.T) {
	dist := t.TempDir()
	if err := os.WriteFile(filepath.Join(dist, "sbom.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PLATFORMS="+runtime.GOOS+"/"+runtime.GOARCH)
	run(t, root(t), env, "deploy/release/programs.sh", version, dist)
	sums := run(t, dist, nil, "cat", "SHA256SUMS")
	if got := strings.Count(sums, "\n"); got != len(programs)+1 {
		t.Errorf("SHA256SUMS has %d lines, want %d:\n%s", got, len(programs)+1, sums)
	}
	for _, program := range programs {
		name := program + "_" + version + "_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
		content, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); !strings.Contains(sums, hex.EncodeToString(sum[:])+"  "+name+"\n") {
			t.Errorf("SHA256SUMS does not have the sum of %s:\n%s", name, sums)
		}
		if got := run(t, dist, nil, unpack(t, filepath.Join(dist, name), program), "--version"); got != version+"\n" {
			t.Errorf("%s --version = %q, want %s", program, got, version)
		}
	}
}

func TestNotesAreTheSectionOfTheVersion(t *testing.T) {
	repo := t.TempDir()
	changes := "# Changes\n\n## Unreleased\nlater\n\n## v1.2.30\nother\n\n## v1.2.3 (2026-11-21)\n\n### wf\n- **This**\n\n- and that\n\n## v1.2.2\nolder\n\n## v1.2.1\n\n"
	if err := os.WriteFile(filepath.Join(repo, "CHANGELOG.md"), []byte(changes), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, repo, nil, "git", "init", "--quiet")
	notes := filepath.Join(root(t), "deploy/release/notes.sh")
	if got, want := run(t, repo, nil, notes, version), "\n### wf\n- **This**\n\n- and that\n\n"; got != want {
		t.Errorf("notes are %q, want %q", got, want)
	}
	for _, version := range []string{"v1.2.1", "v9.9.9"} {
		cmd := exec.CommandContext(t.Context(), notes, version)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), `CHANGELOG.md has nothing under "## `+version+`"`) {
			t.Errorf("%s: %v, %s", version, err, out)
		}
	}
}

// A tag of an action can be moved, a hash cannot.
func TestWorkflowsPinActionsByHash(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), ".github/workflows/*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows, %v", len(files), err)
	}
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			_, action, uses := strings.Cut(strings.TrimSpace(line), "uses: ")
			if uses && !strings.HasPrefix(action, "./") && !pinned.MatchString(action) {
				t.Errorf("%s: %s is not pinned by its hash, with the version as a comment", filepath.Base(file), action)
			}
		}
	}
}

// root is the folder of the repository.
func root(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// repository returns a copy of the modules, as they lie here, with a history of one
// commit.
func repository(t *testing.T) string {
	t.Helper()
	repo := t.TempDir()
	for _, folder := range []string{"libs", "services"} {
		if err := os.CopyFS(filepath.Join(repo, folder), os.DirFS(filepath.Join(root(t), folder))); err != nil {
			t.Fatal(err)
		}
	}
	run(t, repo, nil, "git", "init", "--quiet", "--initial-branch=main")
	run(t, repo, nil, "git", "add", ".")
	run(t, repo, nil, "git", "-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet", "-m", "All")
	return repo
}

// proxies is GOPROXY: the proxy of the test, the module cache of this machine, and the proxy of its
// downloads.
func proxies(t *testing.T, proxy string) string {
	t.Helper()
	cache := strings.TrimSpace(run(t, ".", nil, "go", "env", "GOMODCACHE"))
	return "file://" + proxy + ",file://" + filepath.Join(cache, "cache/download") + "," + strings.TrimSpace(run(t, ".", nil, "go", "env", "GOPROXY"))
}

// publish acts like a proxy with a request for a missing tag.
func publish(t *testing.T, proxy, repo, folder string) {
	t.Helper()
	dir := filepath.Join(proxy, prefix+folder, "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	tag := folder + "/" + version
	for name, content := range map[string]string{
		"list":            version + "\n",
		version + ".info": `{"Version":"` + version + `"}`,
		version + ".mod":  run(t, repo, nil, "git", "show", tag+":"+folder+"/go.mod"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := zip.CreateFromVCS(file, module.Version{Path: prefix + folder, Version: version}, repo, tag, folder); err != nil {
		t.Fatal(err)
	}
}

// unpack takes the only file out of an archive and returns its path.
func unpack(t *testing.T, archive, name string) string {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	content := tar.NewReader(plain)
	header, err := content.Next()
	if err != nil || header.Name != name || header.Mode != 0o755 {
		t.Fatalf("%s: %+v, %v", archive, header, err)
	}
	program, err := os.OpenFile(filepath.Join(t.TempDir(), name), os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if _, err := io.Copy(program, content); err != nil {
		t.Fatal(err)
	}
	if header, err := content.Next(); err != io.EOF {
		t.Fatalf("%s: a second file: %+v, %v", archive, header, err)
	}
	return program.Name()
}

// run runs a program in dir and returns its output. Without env it is that of the test.
func run(t *testing.T, dir string, env []string, program string, arguments ...string) string {
	t.Helper()
	var problems strings.Builder
	cmd := exec.CommandContext(t.Context(), program, arguments...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", program, arguments, err, out, &problems)
	}
	return string(out)
}
