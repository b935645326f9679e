package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const folder = "../../deploy/systemd/"

// unit is a unit file: the values of each key, in order, by "Section.Key".
type unit map[string][]string

func units(t *testing.T, pattern string) map[string]unit {
	t.Helper()
	files, err := filepath.Glob(folder + pattern)
	if err != nil || len(files) < 2 {
		t.Fatalf("units %s: %v, %v", pattern, files, err)
	}
	all := map[string]unit{}
	for _, path := range files {
		content, err := os.ReadFile(path) // #nosec G304 -- of this repository
		if err != nil {
			t.Fatal(err)
		}
		u, section := unit{}, ""
		for line := range strings.Lines(string(content)) {
			line = strings.TrimSpace(line)
			if name, ok := strings.CutPrefix(line, "["); ok {
				section = strings.TrimSuffix(name, "]")
			} else if key, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
				u[section+"."+key] = append(u[section+"."+key], value)
			}
		}
		all[filepath.Base(path)] = u
	}
	return all
}

// one is the only value of a key.
func (u unit) one(t *testing.T, key string) string {
	t.Helper()
	if len(u[key]) != 1 {
		t.Fatalf("%s has the values %q, want one", key, u[key])
	}
	return u[key][0]
}

func TestEveryServiceIsConfined(t *testing.T) {
	confined := map[string]string{
		"NoNewPrivileges": "yes", "CapabilityBoundingSet": "", "ProtectSystem": "strict", "ProtectHome": "yes",
		"PrivateTmp": "yes", "PrivateDevices": "yes",
		"PrivateUsers": "yes", "ProtectKernelModules": "yes", "ProtectKernelTunables": "yes", "ProtectControlGroups": "yes", "RestrictNamespaces": "yes",
		"RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX", "MemoryDenyWriteExecute": "yes", "SystemCallArchitectures": "native", "UMask": "0077",
		"StateDirectoryMode": "0700",
	}
	for name, u := range units(t, "*.service") {
		t.Run(name, func(t *testing.T) {
			for key, want := range confined {
				if got := u.one(t, "Service."+key); got != want {
					t.Errorf("%s=%s, want %s", key, got, want)
				}
			}
			program, _, _ := strings.Cut(strings.TrimSuffix(name, ".service"), "-purge")
			if got := u.one(t, "Service.User"); got != program {
				t.Errorf("runs as %s, want a user of its own", got)
			}
			if got := u.one(t, "Service.ExecStart"); !strings.HasPrefix(got, "/usr/local/bin/"+program+" ") {
				t.Errorf("starts %s", got)
			}
			if got := u.one(t, "Service.EnvironmentFile"); got != "/etc/countersign/"+program+".env" {
				t.Errorf("reads %s", got)
			}
			// The password is in a file that a credential brings, and not in the environment.
			id, _, _ := strings.Cut(u.one(t, "Service.LoadCredential"), ":")
			if !slices.ContainsFunc(u["Service.Environment"], func(v string) bool { return strings.HasSuffix(v, "_DATABASE_URL_FILE=%d/"+id) }) {
				t.Errorf("no variable names the credential %s: %q", id, u["Service.Environment"])
			}
		})
	}
}

func TestAServiceHasTimeToStopAndIsTerminatedBeforeItsMemoryIsGone(t *testing.T) {
	for name, u := range units(t, "*.service") {
		if u.one(t, "Service.Type") == "oneshot" {
			continue
		}
		const drain, shutdown, rest = 5, 20, 10
		if seconds, err := strconv.Atoi(u.one(t, "Service.TimeoutStopSec")); err != nil || seconds < drain+shutdown+rest {
			t.Errorf("%s has %d s to stop, %v", name, seconds, err)
		}
		limit := regexp.MustCompile(`GOMEMLIMIT=(\d+)MiB`).FindStringSubmatch(strings.Join(u["Service.Environment"], "\n"))
		most := regexp.MustCompile(`^(\d+)M$`).FindStringSubmatch(u.one(t, "Service.MemoryMax"))
		if limit == nil || most == nil {
			t.Fatalf("%s: GOMEMLIMIT %q, MemoryMax %q", name, limit, most)
		}
		soft, _ := strconv.Atoi(limit[1])
		hard, _ := strconv.Atoi(most[1])
		if soft > hard*9/10 || soft < hard/2 {
			t.Errorf("%s: GOMEMLIMIT is %d MiB of %d", name, soft, hard)
		}
		if u.one(t, "Service.Restart") != "on-failure" {
			t.Errorf("%s is not started again", name)
		}
	}
}

func TestEveryTimerStartsAServiceAndAPurgeDeletes(t *testing.T) {
	services := units(t, "*.service")
	for name := range units(t, "*.timer") {
		u, found := services[strings.TrimSuffix(name, ".timer")+".service"]
		if !found {
			t.Errorf("%s starts nothing", name)
		} else if command := u.one(t, "Service.ExecStart"); !strings.Contains(command, " purge --no-dry-run") {
			t.Errorf("%s starts %s, which deletes nothing", name, command)
		}
	}
}

// Where there is systemd, it judges them itself.
func TestSystemdFindsNoFault(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze here")
	}
	dir := t.TempDir()
	var paths []string
	for _, pattern := range []string{"*.service", "*.timer"} {
		for name := range units(t, pattern) {
			content, err := os.ReadFile(folder + name)
			if err != nil {
				t.Fatal(err)
			}
			// The programs are not installed here.
			text := regexp.MustCompile(`/usr/local/bin/\S+`).ReplaceAllString(string(content), "/bin/true")
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
	}
	out, err := exec.CommandContext(t.Context(), analyze, append([]string{"verify"}, paths...)...).CombinedOutput() // #nosec G204 -- of the system
	if text := string(out); err != nil || strings.Contains(text, dir) {
		t.Errorf("verify: %v\n%s", err, text)
	}
	for _, path := range paths {
		if filepath.Ext(path) != ".service" {
			continue
		}
		out, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=true", "--threshold=20",
			path).CombinedOutput() // #nosec G204 -- as above
		if strings.Contains(string(out), "unrecognized option") {
			t.Skip("this systemd cannot judge a file")
		}
		if err != nil {
			t.Errorf("security of %s: %v\n%s", filepath.Base(path), err, out)
		}
	}
}
