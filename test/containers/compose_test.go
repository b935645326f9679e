package containers

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/test/programs"
)

// composition holds the members of docker-compose.yml under test.
type composition struct {
	Services map[string]struct {
		Image       string            `yaml:"image"`
		Command     []string          `yaml:"command"`
		Profiles    []string          `yaml:"profiles"`
		ReadOnly    bool              `yaml:"read_only"`
		CapDrop     []string          `yaml:"cap_drop"`
		SecurityOpt []string          `yaml:"security_opt"`
		Pids        int               `yaml:"pids_limit"`
		Memory      string            `yaml:"mem_limit"`
		Environment map[string]string `yaml:"environment"`
		EnvFile     string            `yaml:"env_file"`
		Networks    []string          `yaml:"networks"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		Secrets     []any             `yaml:"secrets"`
		Healthcheck struct {
			Test []string `yaml:"test"`
		} `yaml:"healthcheck"`
		DependsOn map[string]struct {
			Condition string `yaml:"condition"`
		} `yaml:"depends_on"`
	} `yaml:"services"`
	Networks map[string]struct {
		Internal bool `yaml:"internal"`
	} `yaml:"networks"`
	Secrets map[string]struct {
		File string `yaml:"file"`
	} `yaml:"secrets"`
}

// defaulted is a variable of Compose with its default: ${NAME:-value}.
var defaulted = regexp.MustCompile(`\$\{\w+:-([^}]*)\}`)

// compose reads docker-compose.yml with the defaults of its variables.
func compose(t *testing.T) (all composition) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(defaulted.ReplaceAll(content, []byte("$1")), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryContainerIsConfined(t *testing.T) {
	all := compose(t)
	if len(all.Services) != 10 {
		t.Errorf("%d services", len(all.Services))
	}
	published := regexp.MustCompile(`^127\.0\.0\.1:\d+:\d+$`)
	for name, s := range all.Services {
		t.Run(name, func(t *testing.T) {
			writable := name == "keycloak" // it writes where its program is
			if s.ReadOnly == writable || !slices.Equal(s.CapDrop, []string{"ALL"}) ||
				!slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}) || s.Pids == 0 || s.Memory == "" {
				t.Errorf("not confined: %+v", s)
			}
			if _, err := os.Stat(filepath.Join(root, s.EnvFile)); err != nil {
				t.Errorf("env_file: %v", err)
			}
			if name == "keycloak" {
				if heap := settings(t, name)["JAVA_OPTS_KC_HEAP"]; s.Memory != "2g" || !strings.HasSuffix(heap, "-Xmx1g") {
					t.Errorf("heap %s of mem_limit %s, want half", heap, s.Memory)
				}
				return // its port is tested with its address
			}
			for _, port := range s.Ports {
				if !published.MatchString(port) {
					t.Errorf("port %s is not one of 127.0.0.1", port)
				}
			}
			if name == "postgres" {
				if len(s.Ports) != 0 || !slices.Equal(s.Networks, []string{"database"}) || !all.Networks["database"].Internal {
					t.Errorf("the database can be reached from outside: %+v", s)
				}
				return
			}
			if name == "proxy" {
				return // not a Go program
			}
			if services[name] != "" && len(s.Ports) != 0 {
				t.Errorf("ports %q: a second replica could not start", s.Ports)
			}
			var memory, goal int
			fmt.Sscanf(s.Memory, "%dm", &memory)
			fmt.Sscanf(s.Environment["GOMEMLIMIT"], "%dMiB", &goal)
			if share := float64(goal) / float64(memory); share < 0.85 || share > 0.9 {
				t.Errorf("GOMEMLIMIT %s of mem_limit %s, want 85 to 90 %%", s.Environment["GOMEMLIMIT"], s.Memory)
			}
		})
	}
}

func TestTheSettingsExistAndAgree(t *testing.T) {
	variables := regexp.MustCompile(`(?m)^#?([A-Z][A-Z0-9_]*)=`)
	listed := func(text string, pattern *regexp.Regexp) (names []string) {
		for _, match := range pattern.FindAllStringSubmatch(text, -1) {
			names = append(names, match[1])
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	for name, program := range map[string][]string{"wf": {"serve", "--help"}, "oidc-registrar": {"serve", "--help"}, "demo": {"--help"}} {
		file := name
		if name == "demo" {
			file = "smoke"
		}
		content, err := os.ReadFile(filepath.Join(root, "deploy", file+".env"))
		if err != nil {
			t.Fatal(err)
		}
		want := listed(run(t, nil, build(t, name), program...), regexp.MustCompile(`\$([A-Z][A-Z0-9_]*)`))
		for _, name := range listed(string(content), variables) {
			if !slices.Contains(want, name) && !slices.Contains(want, strings.TrimSuffix(name, "_FILE")) {
				t.Errorf("deploy/%s.env has %s, which is not a setting", file, name)
			}
		}
	}

	postgres := settings(t, "postgres")
	for name, prefix := range services {
		database, err := url.Parse(settings(t, name)[prefix+"_DATABASE_URL"])
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := database.User.Password(); got != postgres[prefix+"_PASSWORD"] {
			t.Errorf("%s_DATABASE_URL has another password than postgres.env", prefix)
		}
	}
	if secret := settings(t, "smoke")["DEMO_WEBHOOK_SECRET"]; settings(t, "wf")["WF_CALLBACK_HOSTS"] != "smoke="+secret {
		t.Error("WF_CALLBACK_HOSTS has another secret than smoke.env")
	}
	all, where := compose(t), settings(t, "wf")["WF_ENC_KEYS_FILE"]
	if !slices.Equal(all.Services["wf"].Secrets, []any{"enc_keys"}) || where != "/run/secrets/enc_keys" ||
		all.Secrets["enc_keys"].File != ".data/wf-enc.keys" {
		t.Errorf("wf loads its keys from %s", where)
	}
	registrar := settings(t, "oidc-registrar")
	if settings(t, "smoke")["DEMO_WEBHOOK_SECRET"] != registrar["REGISTRAR_APPROVAL_WEBHOOK_SECRET"] {
		t.Error("REGISTRAR_APPROVAL_WEBHOOK_SECRET is another secret than that of smoke.env")
	}
}

// oidc-registrar asks wf with tokens of the development issuer, whose key it has.
func TestTheRegistrarHasTheKeyOfTheIssuer(t *testing.T) {
	registrar := compose(t).Services["oidc-registrar"]
	key := map[string]any{"source": "issuer", "target": "dev-issuer.jwk"}
	if !reflect.DeepEqual(registrar.Secrets, []any{key}) || !slices.Equal(registrar.Command, []string{"serve", "--data-dir=/run/secrets"}) {
		t.Errorf("the key of the issuer is %v, and the command %q", registrar.Secrets, registrar.Command)
	}
}

// An unchanged copy of the files of deploy does not start: public secrets are refused.
func TestInstallingCopiesDeployWfEnv(t *testing.T) {
	for name, want := range map[string][]string{
		"wf":             {"WF_AUTH_ISSUER", "WF_DATABASE_URL", "WF_CALLBACK_HOSTS", "WF_KEYCLOAK_CLIENT_SECRET"},
		"oidc-registrar": {"REGISTRAR_AUTH_ISSUER", "REGISTRAR_DATABASE_URL", "REGISTRAR_APPROVAL_WEBHOOK_SECRET", "REGISTRAR_IDP_CLIENT_SECRET"},
	} {
		values := settings(t, name)
		keepSecrets(t, values)
		values[services[name]+"_AUTH_JWKS_URL"] = "file://" + filepath.Join(root, "Makefile") // it exists
		values[want[3]] = "directory-secret"
		values["WF_KEYCLOAK_URL"] = "https://id.example.org/realms/countersign"
		refuses(t, name, values, want...)
	}
}

// The passwords and secrets of the files of deploy and of the realm are those that the
// services refuse.
func TestEveryPublishedSecretIsRefused(t *testing.T) {
	secrets := []string{settings(t, "smoke")["DEMO_WEBHOOK_SECRET"], settings(t, "keycloak")["KC_BOOTSTRAP_ADMIN_PASSWORD"]}
	for _, password := range settings(t, "postgres") {
		secrets = append(secrets, password)
	}
	for _, client := range readRealm(t).Clients {
		if client.Secret != "" {
			secrets = append(secrets, client.Secret)
		}
	}
	if len(secrets) < 10 {
		t.Fatalf("only %d secrets found", len(secrets))
	}
	for _, secret := range secrets {
		refuses(t, "wf", map[string]string{"WF_INBOX_CLIENT_SECRET": secret}, "WF_INBOX_CLIENT_SECRET")
	}
}

// refuses fails the test unless a service refuses to start and names the variables.
func refuses(t *testing.T, name string, values map[string]string, variables ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	serve := exec.CommandContext(ctx, build(t, name), "serve")
	serve.Dir, serve.Env = t.TempDir(), environment(values)
	out, err := serve.CombinedOutput()
	if err == nil {
		t.Errorf("%s starts", name)
	}
	for _, variable := range variables {
		if !regexp.MustCompile(`(?m)^(?:` + name + `: configuration:\n)?` + variable + `: .*` + services[name] + `_ALLOW_DEV_VALUES=true`).Match(out) {
			t.Errorf("%s is not refused:\n%s", variable, out)
		}
	}
}

// The templates for production have no secret, name existing settings, and start once their empty
// values are filled in.
func TestTheServicesStartWithTheirSettingsOfProduction(t *testing.T) {
	for name, prefix := range services {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			keys := filepath.Join(dir, "jwks.json")
			if err := os.WriteFile(keys, []byte(run(t, nil, build(t, "wf"), "jwks", "--data-dir", dir)), 0o644); err != nil {
				t.Fatal(err)
			}
			values, known := settings(t, name+".production"), contentOf(t, filepath.Join("docs", "configuration.md"))
			for _, match := range regexp.MustCompile(`(?m)^#?([A-Z][A-Z0-9_]*)=(.*)$`).FindAllStringSubmatch(contentOf(t,
				filepath.Join("deploy", name+".production.env")), -1) {
				if !strings.Contains(known, "| `"+strings.TrimSuffix(match[1], "_FILE")+"` |") {
					t.Errorf("%s is no setting", match[1])
				}
				if secret := regexp.MustCompile(`SECRET|PASSWORD|ENC_KEYS|TOKEN$|DATABASE_URL|_HOSTS$`); secret.MatchString(
					match[1]) && match[2] != "" && !strings.HasSuffix(match[1], "_FILE") {
					t.Errorf("%s is not empty", match[1])
				}
			}
			if values[prefix+"_ALLOW_DEV_VALUES"] != "" || values[prefix+"_AUTH_ISSUER"] != "" {
				t.Error("the template is not for production")
			}
			for variable, value := range map[string]string{
				"LISTEN": programs.FreeAddress(t), "ADMIN_LISTEN": "off", "AUTH_ISSUER": "https://id.example.org", "AUTH_JWKS_URL": "file://" + keys,
				"DATABASE_URL": "sqlite:" + filepath.Join(dir, "test.db"), "DRAIN_DELAY": "0s",
			} {
				values[prefix+"_"+variable] = value
			}
			program, env := build(t, name), environment(values)
			serveUntil(t, program, env, func() bool {
				check := exec.CommandContext(t.Context(), program, "healthcheck")
				check.Env = env
				return check.Run() == nil
			})
		})
	}
}

func TestTheServicesStartWithTheirSettings(t *testing.T) {
	for name, prefix := range services {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			keys := filepath.Join(dir, "jwks.json")
			if err := os.WriteFile(keys, []byte(run(t, nil, build(t, "wf"), "jwks", "--data-dir", dir)), 0o644); err != nil {
				t.Fatal(err)
			}
			values := settings(t, name)
			maps.Copy(values, compose(t).Services[name].Environment)
			keepSecrets(t, values)
			for variable, value := range map[string]string{
				"LISTEN": programs.FreeAddress(t), "ADMIN_LISTEN": "off", "AUTH_JWKS_URL": "file://" + keys,
				"DATABASE_URL": "sqlite:" + filepath.Join(dir, "test.db"), "DRAIN_DELAY": "0s",
			} {
				values[prefix+"_"+variable] = value
			}
			program, env := build(t, name), environment(values)
			serveUntil(t, program, env, func() bool {
				check := exec.CommandContext(t.Context(), program, "healthcheck")
				check.Env = env
				return check.Run() == nil
			})
		})
	}
}

// keepSecrets puts the key that encrypts secrets, as make up makes it, where the test can have it.
func keepSecrets(t *testing.T, values map[string]string) {
	t.Helper()
	if values["WF_ENC_KEYS_FILE"] == "" {
		return
	}
	recipe := regexp.MustCompile(`\|\| echo "(.*)" >\.data/wf-enc\.keys`).FindStringSubmatch(contentOf(t, "Makefile"))
	if recipe == nil {
		t.Fatal("make up makes no .data/wf-enc.keys")
	}
	key, err := exec.CommandContext(t.Context(), "sh", "-c", `echo "`+strings.ReplaceAll(recipe[1], "$$", "$")+`"`).Output()
	if err != nil {
		t.Fatal(err)
	}
	values["WF_ENC_KEYS_FILE"] = filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(values["WF_ENC_KEYS_FILE"], key, 0o600); err != nil {
		t.Fatal(err)
	}
}

// serveUntil starts a service and stops it once it is well. It fails the test if the
// service ends by itself, or does not become well.
func serveUntil(t *testing.T, program string, env []string, well func() bool) {
	t.Helper()
	var logs strings.Builder
	serve := exec.Command(program, "serve")
	serve.Dir, serve.Env, serve.Stderr = t.TempDir(), env, &logs
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()

	limit, tick := time.After(5*time.Minute), time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for !well() {
		select {
		case <-tick.C:
		case err := <-ended:
			t.Fatalf("ended with %v\n%s", err, &logs)
		case <-limit:
			serve.Process.Kill()
			<-ended
			t.Fatalf("does not become healthy\n%s", &logs)
		}
	}
	serve.Process.Signal(syscall.SIGTERM)
	if err := <-ended; err != nil {
		t.Errorf("ended with %v\n%s", err, &logs)
	}
}

func TestComposeAcceptsTheFile(t *testing.T) {
	if err := exec.Command("docker", "compose", "version").Run(); err != nil {
		t.Skip("no docker with compose here:", err)
	}
	run(t, &exec.Cmd{Dir: root}, "docker", "compose", "--profile", "*", "config", "--quiet")
}

// settings reads a file of deploy as Compose does.
func settings(t *testing.T, name string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "deploy", name+".env"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for line := range strings.Lines(string(content)) {
		if variable, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(variable, "#") {
			values[variable] = value
		}
	}
	return values
}

// environment is values as a process gets them.
func environment(values map[string]string) (list []string) {
	for variable, value := range values {
		list = append(list, variable+"="+value)
	}
	return list
}
