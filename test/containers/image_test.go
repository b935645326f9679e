package containers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	root    = "../.."
	version = "v0-test" // of the programs that these tests build
)

// images are the folders with a Dockerfile, by the name of their program.
var images = map[string]string{
	"wf":             "services/wf",
	"oidc-registrar": "services/oidc-registrar",
	"demo":           "test/demo",
}

// services are the images that serve, with the prefix of their settings.
var services = map[string]string{"wf": "WF", "oidc-registrar": "REGISTRAR"}

// scratch holds the inputs and outputs of the image builds.
var scratch string

func TestMain(m *testing.M) {
	if scratch = os.Getenv(inside); scratch != "" { // of the process that started this one
		os.Exit(m.Run())
	}
	var err error
	if scratch, err = os.MkdirTemp("", "countersign-images-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

func TestImageBuildsFromCopiedFiles(t *testing.T) {
	for name := range images {
		t.Run(name, func(t *testing.T) {
			program := build(t, name)
			if services[name] == "" {
				return
			}
			if got := run(t, nil, program, "--version"); strings.TrimSpace(got) != version {
				t.Errorf("--version = %q, want %s", got, version)
			}
		})
	}
}

func TestAnImageRunsWithoutRootAndShell(t *testing.T) {
	numeric := regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`)
	for name, folder := range images {
		t.Run(name, func(t *testing.T) {
			last := dockerfile(t, folder)[1]
			if got := last.of("FROM"); !slices.Equal(got, []string{"$RUNTIME_IMAGE"}) {
				t.Errorf("FROM %q", got)
			}
			if text := contentOf(t, filepath.Join(folder, "Dockerfile")); !strings.Contains(text,
				"\nARG RUNTIME_IMAGE=gcr.io/distroless/static-debian12:nonroot\n") {
				t.Error("the base is not distroless/static")
			}
			if got := last.of("USER"); len(got) != 1 || !numeric.MatchString(got[0]) {
				t.Errorf("USER %q, want one that is not root, in digits", got)
			}
			if got := append(last.of("RUN"), last.of("ADD")...); len(got) != 0 {
				t.Errorf("the last stage has %q", got)
			}
			path := "/" + name
			if got := last.exec(t, "ENTRYPOINT"); !slices.Equal(got, []string{path}) {
				t.Errorf("ENTRYPOINT %q", got)
			}
			if services[name] == "" {
				return
			}
			if got := last.exec(t, "HEALTHCHECK"); !slices.Equal(got, []string{path, "healthcheck"}) {
				t.Errorf("HEALTHCHECK %q", got)
			}
			port := last.of("EXPOSE")
			if got := last.of("ENV"); len(port) != 1 || len(got) != 1 || !strings.Contains(got[0], services[name]+"_LISTEN=0.0.0.0:"+port[0]) {
				t.Errorf("ENV %q with EXPOSE %q", got, port)
			}
		})
	}
}

// stage is the instructions of a Dockerfile from one FROM to the next.
type stage []instruction

type instruction struct{ name, arguments string }

// of returns the arguments of all instructions of a name.
func (s stage) of(name string) (list []string) {
	for _, i := range s {
		if i.name == name {
			list = append(list, i.arguments)
		}
	}
	return list
}

// exec returns the command of an instruction, which has to be in the form that needs
// no shell.
func (s stage) exec(t *testing.T, name string) (command []string) {
	t.Helper()
	all := s.of(name)
	if len(all) != 1 {
		t.Fatalf("%s: %q, want one", name, all)
	}
	_, list, _ := strings.Cut(all[0], "[")
	if err := json.Unmarshal([]byte("["+list), &command); err != nil {
		t.Fatalf("%s %s: %v", name, all[0], err)
	}
	return command
}

// dockerfile reads the two stages of a Dockerfile.
func dockerfile(t *testing.T, folder string) (stages []stage) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, folder, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(content), "\\\n", " ")) {
		name, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "" || name == "#" || name == "ARG" && len(stages) == 0:
			continue
		case name == "FROM":
			stages = append(stages, nil)
		}
		last := &stages[len(stages)-1]
		*last = append(*last, instruction{name, arguments})
	}
	if len(stages) != 2 {
		t.Fatalf("%s/Dockerfile has %d stages, want 2", folder, len(stages))
	}
	return stages
}

// building keeps programs from being built twice.
var building sync.Mutex

// build follows the first stage of an image and returns the program that it makes.
func build(t *testing.T, name string) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	file := filepath.Join(scratch, name) // represents the root of the file system
	program := filepath.Join(file, "out", name)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	folder := file
	for _, i := range dockerfile(t, images[name])[0] {
		switch i.name {
		case "WORKDIR":
			folder = filepath.Join(file, i.arguments)
		case "COPY":
			paths := strings.Fields(i.arguments)
			last := len(paths) - 1
			for _, from := range paths[:last] {
				to := paths[last]
				if strings.HasSuffix(to, "/") && last > 1 { // several files go into a folder
					to += filepath.Base(from)
				}
				copySources(t, from, filepath.Join(folder, to))
			}
		case "RUN":
			command := regexp.MustCompile(`--mount=\S+`).ReplaceAllString(i.arguments, "")
			command = regexp.MustCompile(`/out\b`).ReplaceAllString(command, file+"/out")
			run(t, &exec.Cmd{Dir: folder, Env: append(os.Environ(), "VERSION="+version)}, "sh", "-c", command)
		}
	}
	return program
}

// copySources copies what git would keep of a folder: a file that is needed and
// ignored has to be missed here too.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	// It is this checkout, whatever its owner.
	list := run(t, &exec.Cmd{Dir: root}, "git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", from)
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		below, err := filepath.Rel(from, name)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, below)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a program and returns its output. set has the folder and the environment,
// if they are not those of the test.
func run(t *testing.T, set *exec.Cmd, program string, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, arguments...)
	if set != nil {
		cmd.Dir, cmd.Env = set.Dir, set.Env
	}
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", program, arguments, err, out, &problems)
	}
	return string(out)
}
