package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

const examples = "../../../../docs/examples/policies"

// upstream configures a directory and a resolver, which the writing of policies does not call.
func upstream() []string {
	return []string{
		"WF_KEYCLOAK_URL=http://127.0.0.1:1/realms/none", "WF_KEYCLOAK_CLIENT_SECRET=secret", "WF_ALLOW_DEV_VALUES=true",
		"WF_RESOLVERS=data-owners=http://127.0.0.1:1/ whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
	}
}

// file writes a file and returns its name.
func file(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// copyExamples copies the example policies and their tests into a folder.
func copyExamples(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "policies")
	must(t, os.CopyFS(dir, os.DirFS(examples)))
	return dir
}

// versions returns the number of versions of every policy.
func (o *operated) versions() (count int) {
	o.t.Helper()
	list := wftest.At(o.t, o.url, o.root).Get("/v1/wf/policies?limit=200").Want(200)
	for _, latest := range list.Items("latest_version") {
		n, err := strconv.Atoi(latest)
		must(o.t, err)
		count += n
	}
	return count
}

func replaceIn(t *testing.T, path, old, now string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(content), old) {
		t.Fatalf("%s does not contain %q: %v", path, old, err)
	}
	must(t, os.WriteFile(path, []byte(strings.Replace(string(content), old, now, 1)), 0o600))
}

// A repository of policies that is applied twice adds no version; one changed file adds one.
func TestPoliciesAreAppliedFromFiles(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, database string) {
		o, dir := operate(t, database, upstream()...), copyExamples(t)
		wftest.At(t, o.url, o.root).Post("/v1/wf/policies", `{"policy_key":"by.hand","name":"By hand","stages":[]}`).Want(201)
		o.run(o.viewer, 2, "create       leave", "policy", "plan", dir)
		o.run(o.other, 1, "WF-008", "policy", "plan", dir)
		for range 2 {
			o.run(o.root, 0, "leave: ", "policy", "apply", dir, "--activate", "--note", "first")
			if n := o.versions(); n != 15 {
				t.Errorf("%d versions after apply, want 15", n)
			}
		}
		o.run(o.viewer, 0, "not in the files: by.hand", "policy", "plan", dir)

		exported := filepath.Join(t.TempDir(), "exported")
		o.run(o.viewer, 0, "leave: version 1 written", "policy", "export", "leave", "break.glass", "--dir", exported)
		for _, key := range []string{"leave", "break.glass"} {
			got, err := os.ReadFile(filepath.Join(exported, key+".policy.yaml"))
			must(t, err)
			if want := withoutComments(t, filepath.Join(dir, key+".policy.yaml")); strings.Replace(string(got), "change_note: first\n", "", 1) != want {
				t.Errorf("export of %s is\n%s\nwant\n%s", key, got, want)
			}
		}
		o.run(o.viewer, 0, "leave: version 1 unchanged", "policy", "export", "--dir", dir)

		leave := filepath.Join(dir, "leave.policy.yaml")
		replaceIn(t, leave, "expires_in: P14D", "expires_in: P15D")
		out := o.run(o.viewer, 2, "new version  leave", "policy", "plan", dir)
		if !strings.Contains(out, "settings: expires_in") || strings.Count(out, "unchanged") != 13 {
			t.Errorf("plan prints\n%s", out)
		}
		o.run(o.root, 0, "leave: version 2 created (", "policy", "apply", dir)
		o.run(o.viewer, 2, "activate     leave", "policy", "plan", leave)
		o.run(o.root, 0, "leave: version 2 is unchanged, active", "policy", "apply", leave, "--activate")
		o.run(o.viewer, 0, "unchanged    leave", "policy", "plan", leave)
		if n := o.versions(); n != 16 {
			t.Errorf("%d versions after one change, want 16", n)
		}

		// A refused file does not stop the others.
		replaceIn(t, leave, "expires_in: P15D", "expires_in: P16D")
		file(t, dir, "a.policy.yaml", "policy_key: a\nname: A\nsettings: {submitters: [{type: http, resolver: unknown}]}\nstages: []\n")
		o.run(o.root, 1, "a: refused: ", "policy", "apply", dir)
		o.run(o.viewer, 2, "activate     leave", "policy", "plan", leave)
	})
}

func withoutComments(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	var kept strings.Builder
	for line := range strings.Lines(string(content)) {
		if !strings.HasPrefix(line, "#") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func TestPolicyFilesAreCheckedOffline(t *testing.T) {
	dir := t.TempDir()
	good := file(t, dir, "good.policy.yaml", "policy_key: good\nname: Good\nstages: []\n")
	bad := file(t, dir, "bad.policy.yaml",
		"policy_key: bad\nname: Bad\nstages:\n- key: a\n  name: A\n  aprovers: []\n- key: a\n  name: A\n  approvers: [{type: user, ids: [ana]}]\n")
	wrong := file(t, dir, "wrong.policy.json",
		"{\"policy_key\": \"good\", \"name\": \"W\",\n \"stages\": [{\"key\": \"a\", \"name\": \"A\", \"when\": \"contxt.x\",\n \"approvers\": [{\"type\": \"user\", \"ids\": [\"ana\"]}]}]}")
	tests := file(t, dir, "good.policy.test.yaml",
		"policy: good.policy.yaml\ncases:\n- {name: no stage, given: {requester: rita}, expect: {status: approved}}\n")
	for name, tt := range map[string]struct {
		args   []string
		status int
		want   []string
	}{
		"a file": {[]string{"check", good}, 0, nil},
		"every problem": {[]string{"check", dir}, 2, []string{
			bad + ":4: /stages/0/approvers: Field required", bad + ":6: /stages/0/aprovers: Extra inputs are not permitted; did you mean 'approvers'?",
			wrong + ":1: /policy_key: " + good + " has the same key", wrong + ":2: /stages/0/when: ",
		}},
		"no file":      {[]string{"check", filepath.Join(dir, "none.policy.yaml")}, 1, []string{"no such file"}},
		"empty folder": {[]string{"check", t.TempDir()}, 1, []string{"contains no file *.policy.yaml or *.policy.json"}},
		"no tests":     {[]string{"test", t.TempDir()}, 1, []string{"contains no file *.policy.test.yaml"}},
		"a failed test": {[]string{"test", dir}, 2, []string{
			tests + ":3: /cases/0/given: \"no stage\": is refused with 400: ", "0 passed, 1 failed",
		}},
		"the examples": {[]string{"check", mustAbs(t, examples)}, 0, []string{"warning: "}},
		"their tests":  {[]string{"test", mustAbs(t, examples)}, 0, []string{"76 passed, 0 failed"}},
	} {
		status, out, text := runs(t, dir, nil, append([]string{"policy"}, tt.args...)...)
		if status != tt.status {
			t.Errorf("%s: ended with %d, want %d:\n%s%s", name, status, tt.status, out, text)
		}
		for _, want := range tt.want {
			if !strings.Contains(out+text, want) {
				t.Errorf("%s printed\n%s%s\nwant %q", name, out, text, want)
			}
		}
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	must(t, err)
	return abs
}

// The commands of the pipelines, without the download of the program.
func TestPipelinesApplyPolicies(t *testing.T) {
	for _, program := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	binary, err := os.Executable()
	must(t, err)
	bin := t.TempDir()
	must(t, os.Symlink(binary, filepath.Join(bin, "wf")))
	for name, list := range map[string]func(t *testing.T, pipeline map[string]any) []string{
		"github-policies.yaml": githubCommands, "gitlab-policies.yaml": gitlabCommands,
	} {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join("../../../../deploy/ci", name))
			must(t, err)
			if lines := strings.Count(string(content), "\n"); lines > 30 {
				t.Errorf("%d lines, want at most 30", lines)
			}
			var pipeline map[string]any
			must(t, yaml.Unmarshal(content, &pipeline))
			o := operate(t, sqldbtest.SQLite(t), upstream()...)
			issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				id, secret, _ := r.BasicAuth()
				if r.FormValue("grant_type") != "client_credentials" || id != "ci" || secret != "secret" {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				_, _ = w.Write([]byte(`{"access_token":"` + o.root + `"}`))
			}))
			t.Cleanup(issuer.Close)
			dir := copyExamples(t)
			for range 2 {
				cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", strings.Join(list(t, pipeline), "\n"))
				cmd.Dir = filepath.Dir(dir)
				cmd.Env = []string{
					asProgram + "=1", "GORACE=atexit_sleep_ms=0", "PATH=" + bin + ":" + os.Getenv("PATH"), "WF_URL=" + o.url, "CLIENT=ci:secret",
					"TOKEN_URL=" + issuer.URL, "GITHUB_SHA=abc", "CI_COMMIT_SHA=abc",
				}
				if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "leave: ") {
					t.Fatalf("%v:\n%s", err, out)
				}
				if n := o.versions(); n != 14 {
					t.Errorf("%d versions, want 14", n)
				}
			}
		})
	}
}

// githubCommands returns the commands of the steps.
func githubCommands(t *testing.T, workflow map[string]any) (commands []string) {
	t.Helper()
	job := workflow["jobs"].(map[string]any)["policies"].(map[string]any)
	for _, step := range job["steps"].([]any) {
		if run, ok := step.(map[string]any)["run"].(string); ok && !strings.Contains(run, "$RELEASE") {
			commands = append(commands, run)
		}
	}
	return commands
}

// gitlabCommands returns the commands of both jobs.
func gitlabCommands(t *testing.T, pipeline map[string]any) (commands []string) {
	t.Helper()
	for _, job := range []string{"check-policies", "apply-policies"} {
		for _, line := range pipeline[job].(map[string]any)["script"].([]any) {
			commands = append(commands, line.(string))
		}
	}
	return commands
}
