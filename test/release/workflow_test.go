package release

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// job holds the members of a workflow's job under test.
type job struct {
	Needs           any               `yaml:"needs"`
	If              any               `yaml:"if"`
	ContinueOnError any               `yaml:"continue-on-error"`
	Permissions     map[string]string `yaml:"permissions"`
	Outputs         map[string]string `yaml:"outputs"`
	Steps           []struct {
		ID              string            `yaml:"id"`
		Uses            string            `yaml:"uses"`
		Run             string            `yaml:"run"`
		With            map[string]any    `yaml:"with"`
		Env             map[string]string `yaml:"env"`
		If              any               `yaml:"if"`
		ContinueOnError any               `yaml:"continue-on-error"`
	} `yaml:"steps"`
}

// releaseJobs reads the jobs of the release workflow.
func releaseJobs(t *testing.T) map[string]job {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), ".github/workflows/release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]job `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(content, &workflow); err != nil {
		t.Fatal(err)
	}
	return workflow.Jobs
}

// step returns the index of the first step that uses or runs something with this prefix.
func (j job) step(t *testing.T, prefix string) int {
	t.Helper()
	for i, step := range j.Steps {
		if strings.HasPrefix(step.Uses, prefix) || strings.HasPrefix(step.Run, prefix) {
			return i
		}
	}
	t.Fatalf("no step begins with %q", prefix)
	return -1
}

func (j job) needs(name string) bool {
	list, _ := j.Needs.([]any)
	return slices.Contains(list, any(name))
}

func TestAReleaseWaitsForItsChecks(t *testing.T) {
	jobs := releaseJobs(t)
	for name, needs := range map[string][]string{
		"modules": {"check", "vulnerabilities", "bases"},
		"images":  {"modules", "bases"},
		"release": {"images", "bases"},
	} {
		for _, need := range needs {
			if !jobs[name].needs(need) {
				t.Errorf("%s does not need %s", name, need)
			}
		}
	}
	jobs["vulnerabilities"].step(t, "make vuln")
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		if jobs[name].If != nil || jobs[name].ContinueOnError != nil {
			t.Errorf("%s may be skipped or fail", name)
		}
		for i, step := range jobs[name].Steps {
			if step.If != nil || step.ContinueOnError != nil {
				t.Errorf("%s: step %d may be skipped or fail", name, i)
			}
		}
	}
}

func TestImagesAreBuiltFromRecordedBasesAndSigned(t *testing.T) {
	const contexts = "${{ needs.bases.outputs.contexts }}"
	jobs := releaseJobs(t)
	bases, images, release := jobs["bases"], jobs["images"], jobs["release"]
	resolve := bases.Steps[bases.step(t, "contexts=$(deploy/release/bases.sh services/*/Dockerfile)")]
	if resolve.ID != "resolve" || bases.Outputs["contexts"] != "${{ steps.resolve.outputs.contexts }}" {
		t.Errorf("step %q, outputs %v", resolve.ID, bases.Outputs)
	}

	at := images.step(t, "docker/build-push-action@")
	build := images.Steps[at]
	if build.ID != "build" || build.With["build-contexts"] != contexts || build.With["push"] != true {
		t.Errorf("build step %q with %v", build.ID, build.With)
	}
	if build.With["platforms"] != "linux/amd64,linux/arm64" || build.With["sbom"] != true || build.With["provenance"] != "mode=max" {
		t.Errorf("an image without a platform, an SBOM or a provenance: %v", build.With)
	}
	signed := images.step(t, `cosign sign --yes "$IMAGE@$DIGEST"`)
	if signed < at || images.step(t, "sigstore/cosign-installer@") > signed {
		t.Error("the image is signed before it is built, or without cosign")
	}
	env := images.Steps[signed].Env
	if env["DIGEST"] != "${{ steps.build.outputs.digest }}" || !strings.Contains(build.With["tags"].(string), env["IMAGE"]+":") {
		t.Errorf("cosign signs %v", env)
	}

	recorded := release.step(t, `printf '%s\n' "$BASES" >dist/bases.txt`)
	if release.Steps[recorded].Env["BASES"] != contexts || recorded > release.step(t, "deploy/release/programs.sh") {
		t.Error("SHA256SUMS has no sum of the bases that the images were built from")
	}
}

func TestTheSumsOfTheArchivesAreSigned(t *testing.T) {
	jobs := releaseJobs(t)
	release := jobs["release"]
	order := []int{
		release.step(t, "sigstore/cosign-installer@"),
		release.step(t, `deploy/release/programs.sh "$GITHUB_REF_NAME" dist`),
		release.step(t, "cosign sign-blob --yes --bundle dist/SHA256SUMS.sigstore.json dist/SHA256SUMS"),
		release.step(t, `deploy/release/notes.sh "$GITHUB_REF_NAME" >notes.md`),
	}
	if !slices.IsSorted(order) {
		t.Errorf("the steps are in the order %v", order)
	}
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		signs := name == "images" || name == "release"
		if got := jobs[name].Permissions["id-token"]; signs != (got == "write") {
			t.Errorf("%s has id-token: %q", name, got)
		}
	}
}

func TestBasesAreResolvedToDigests(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0a", 32)
	dockerfile := filepath.Join(t.TempDir(), "Dockerfile")
	text := "ARG GO_IMAGE=golang:1.26\nFROM --platform=$BUILDPLATFORM $GO_IMAGE AS build\nFROM build AS test\nFROM scratch\nfrom registry.example:5000/base:1\n"
	if err := os.WriteFile(dockerfile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bases := filepath.Join(root(t), "deploy/release/bases.sh")
	want := "golang:1.26=docker-image://golang:1.26@" + digest + "\n" +
		"registry.example:5000/base:1=docker-image://registry.example:5000/base:1@" + digest + "\n"
	if got := run(t, ".", fake(t, "docker", "echo "+digest), bases, dockerfile, dockerfile); got != want {
		t.Errorf("bases are\n%swant\n%s", got, want)
	}
	for _, script := range []string{"exit 1", "echo", "echo sha256:0a"} {
		cmd := exec.CommandContext(t.Context(), bases, dockerfile)
		cmd.Env = fake(t, "docker", script)
		if out, err := cmd.Output(); err == nil || len(out) > 0 {
			t.Errorf("%s: %v, %s", script, err, out)
		}
	}
}

func TestMakeVulnFailsUnlessGovulncheckFindsNothing(t *testing.T) {
	for _, tt := range []struct {
		curl, govulncheck string
		fails             bool
	}{
		{"exit 0", "exit 0", false},
		{"exit 0", "exit 3", true},
		{"exit 6", "exit 0", true}, // the database is away
	} {
		env := fake(t, "curl", tt.curl)
		checker := filepath.Join(t.TempDir(), "govulncheck")
		if err := os.WriteFile(checker, []byte("#!/bin/sh\n"+tt.govulncheck+"\n"), 0o700); err != nil { // #nosec G306 -- it is run
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "make", "vuln", "MODULES=./libs", "govulncheck="+checker)
		cmd.Dir, cmd.Env = root(t), env
		if out, err := cmd.CombinedOutput(); (err != nil) != tt.fails {
			t.Errorf("curl: %s, govulncheck: %s: %v, %s", tt.curl, tt.govulncheck, err, out)
		}
	}
}

// fake returns the environment of the test with a program in front of those of the machine.
func fake(t *testing.T, name, script string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil { // #nosec G306 -- it is run
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
}
