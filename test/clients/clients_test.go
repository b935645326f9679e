package clients

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/test/programs"
)

// wanted is set by make check SUITE=clients, because the generators come from the network and compile for long: 1 for
// one generator of each language, as for each commit, and all.
const wanted = "COUNTERSIGN_CLIENTS"

const (
	wf        = "services/wf/openapi.yaml"
	registrar = "services/oidc-registrar/openapi.yaml"
)

// enabled returns the root of the repository, or skips the test.
func enabled(t *testing.T) string {
	t.Helper()
	if os.Getenv(wanted) == "" {
		t.Skip("make check SUITE=clients runs this")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestGeneratedClients(t *testing.T) {
	root := enabled(t)
	env := serve(t)
	every := os.Getenv(wanted) == "all"
	document := func(name string) string { return filepath.Join(root, name) }

	t.Run("oapi-codegen", func(t *testing.T) {
		u := use(t, "oapi-codegen", env)
		for name, file := range map[string]string{"wf": wf, "registrar": registrar} {
			u.mkdir(name)
			u.run("go", "tool", "oapi-codegen", "-generate", "types,client", "-package", name, "-o", name+"/client.go", document(file))
		}
		u.run("go", "run", ".")
	})
	// ogen cannot read the document of wf: its newest release (v1.22.0) does not
	// support lists of types, the form of nullable values in OpenAPI 3.1.
	t.Run("ogen", func(t *testing.T) {
		if !every {
			t.Skip(wanted + " is not all")
		}
		u := use(t, "ogen", env)
		u.run("go", "tool", "ogen", "-loglevel", "error", "-package", "registrar", "-target", "registrar", document(registrar))
		u.run("go", "run", ".")
	})
	t.Run("TypeScript", func(t *testing.T) {
		if _, err := exec.LookPath("npm"); err != nil {
			t.Skip("npm is not there")
		}
		u := use(t, "typescript", env)
		u.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
		for name, file := range map[string]string{"wf": wf, "registrar": registrar} {
			u.run("node_modules/.bin/openapi-typescript", document(file), "-o", "src/openapi-typescript/"+name+".d.ts")
			if every {
				u.run("node_modules/.bin/openapi-ts", "-i", document(file), "-o", "src/hey-api/"+name, "-c", "@hey-api/client-fetch")
			}
		}
		generators := []string{"openapi-typescript", "hey-api"}
		if !every {
			generators = generators[:1]
			if err := os.Remove(filepath.Join(u.dir, "src/hey-api.ts")); err != nil {
				t.Fatal(err)
			}
		}
		u.run("node_modules/.bin/tsc")
		for _, generator := range generators {
			t.Run(generator, func(t *testing.T) {
				v := user{t, u.dir, person(t, generator, env)}
				v.run("node", "out/"+generator+".js")
			})
		}
	})
}

// Other libraries verify the pinned receipt, export and checkpoints, and refuse every change of a byte.
func TestReceiptsVerifyElsewhere(t *testing.T) {
	golden := filepath.Join(enabled(t), "services/wf/internal/receipt/testdata")
	file := func(name string) string { return filepath.Join(golden, name) }
	t.Run("jose", func(t *testing.T) {
		if _, err := exec.LookPath("npm"); err != nil {
			t.Skip("npm is not there")
		}
		u := use(t, "receipt", nil)
		u.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
		u.run("node", "verify.mjs", file("receipt.jws"), file("jwks.json"))
	})
	t.Run("PyJWT", func(t *testing.T) {
		u := use(t, "receipt", nil)
		u.installPython()
		u.run("env/bin/python", "verify.py", file("receipt.jws"), file("jwks.json"), file("statement.json"))
		trail := filepath.Join(golden, "../../trail/testdata")
		u.run("env/bin/python", "audit.py", filepath.Join(trail, "trail.ndjson"), filepath.Join(trail, "checkpoints.jws"),
			filepath.Join(trail, "jwks.json"))
	})
}

// Official clients of the Model Context Protocol, and a graph of LangGraph, use the tools of agents.
func TestAgents(t *testing.T) {
	enabled(t)
	env := serve(t)
	t.Run("TypeScript", func(t *testing.T) {
		if _, err := exec.LookPath("npm"); err != nil {
			t.Skip("npm is not there")
		}
		u := use(t, "agent", env)
		u.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
		u.run("node", "agent.mjs")
	})
	t.Run("Python and LangGraph", func(t *testing.T) {
		u := use(t, "agent", env)
		u.installPython()
		u.run("env/bin/python", "agent.py")
	})
}

// user is a user of a generator.
type user struct {
	t   *testing.T
	dir string
	env []string
}

// use copies a folder of testdata to where clients can be generated into it.
func use(t *testing.T, name string, env []string) user {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return user{t, dir, person(t, name, env)}
}

// person adds what differs for each client: a name, and a key.
func person(t *testing.T, name string, env []string) []string {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := private.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	key := fmt.Sprintf(`{"kty":"EC","crv":"P-256","x":%q,"y":%q}`, encode(point[1:33]), encode(point[33:]))
	return append(env[:len(env):len(env)], "CLIENT="+name, "CLIENT_KEY="+key)
}

// installPython installs the requirements of the folder. Without a package index, or without python3, the test is
// skipped.
func (u user) installPython() {
	u.t.Helper()
	if exec.Command("python3", "-c", "import ensurepip, venv").Run() != nil {
		u.t.Skip("python3 with venv is not there")
	}
	u.run("python3", "-m", "venv", "env")
	install := exec.CommandContext(u.t.Context(), "env/bin/python", "-m", "pip", "install", "--quiet", "--requirement", "requirements.txt")
	install.Dir = u.dir
	if out, err := install.CombinedOutput(); err != nil {
		u.t.Skipf("the requirements cannot be installed: %v\n%s", err, out)
	}
}

func (u user) mkdir(name string) {
	u.t.Helper()
	if err := os.Mkdir(filepath.Join(u.dir, name), 0o755); err != nil {
		u.t.Fatal(err)
	}
}

// run runs a program in the folder, outside of the workspace.
func (u user) run(program string, arguments ...string) {
	u.t.Helper()
	if strings.Contains(program, "/") { // installed in the folder
		program = filepath.Join(u.dir, program)
	}
	if out, err := u.command(program, arguments...).CombinedOutput(); err != nil {
		u.t.Fatalf("%s %q: %v\n%s", program, arguments, err, out)
	}
}

// command returns a program in the folder, outside of the workspace.
func (u user) command(program string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(u.t.Context(), program, arguments...)
	cmd.Dir = u.dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0"), u.env...)
	return cmd
}

// serve starts both services and returns the variables with their addresses and the tokens of
// some people.
func serve(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	wfProgram := programs.Build(t, "wf")
	registrarProgram := programs.Build(t, "oidc-registrar")
	env := []string{
		"WF_URL=" + programs.Start(t, wfProgram, "WF_LISTEN", dir, "WF_MCP=true", "WF_INBOX_URL=https://approvals.example.org"),
		"REGISTRAR_URL=" + programs.Start(t, registrarProgram, "REGISTRAR_LISTEN", dir),
	}
	for name, token := range map[string]struct {
		program   string // of the service that is the audience of the token
		arguments []string
	}{
		"ROOT":    {wfProgram, []string{"--sub", "root", "--role", "WF_ADMIN"}},
		"RITA":    {wfProgram, []string{"--sub", "rita"}},
		"ANA":     {wfProgram, []string{"--sub", "ana"}},
		"PARTNER": {registrarProgram, []string{"--sub", "root", "--role", "PARTNER_ADMIN"}},
		"PAT":     {registrarProgram, []string{"--sub", "pat", "--role", "AUTH_PARTNER", "--claim", "partner_id=demo-partner"}},
	} {
		cmd := exec.CommandContext(t.Context(), token.program, append([]string{"token"}, token.arguments...)...)
		cmd.Dir, cmd.Env = dir, []string{}
		token, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(token)))
	}
	return env
}

// Schemathesis calls each operation with generated parameters and bodies. The statuses are those of the document, and
// none is 5xx.
func TestGeneratedCallsGetDocumentedStatuses(t *testing.T) {
	root := enabled(t)
	env := serve(t)
	u := use(t, "schemathesis", env)
	u.installPython()
	for _, service := range []struct{ file, url, token string }{{wf, "WF_URL", "ROOT"}, {registrar, "REGISTRAR_URL", "PARTNER"}} {
		u.run("env/bin/schemathesis", "run", filepath.Join(root, service.file), "--url", variable(env, service.url),
			"--header", "Authorization: Bearer "+variable(env, service.token), "--checks", "status_code_conformance,not_a_server_error",
			"--phases", "fuzzing", "--max-examples", "5", "--seed", "1", "--suppress-health-check", "all",
			"--exclude-path", "/v1/registrar/admin/import") // its body is NDJSON, which Schemathesis cannot generate
	}
}

// variable returns the value of a variable.
func variable(env []string, name string) string {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
