package daemon

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

type completed struct {
	Serve struct {
		Workers bool `default:"true" negatable:"" help:"Run them."`
	} `cmd:"" help:"Serve."`
	Audit struct {
		Verify struct {
			Chain string `arg:"" optional:"" help:"Chain."`
			Slow  bool   `help:"Slowly."`
		} `cmd:"" help:"Verify."`
	} `cmd:"" help:"Audit."`
	Secret     struct{}          `cmd:"" hidden:"" help:"Hidden."`
	Completion CompletionCommand `cmd:"" help:"Complete."`
}

func script(t *testing.T, shell string) string {
	t.Helper()
	var out, logs bytes.Buffer
	err := Program{Name: "the-program"}.Run(&completed{}, []string{"completion", shell}, &Process{Context: t.Context(), Out: &out, Logs: &logs})
	if err != nil || out.Len() == 0 {
		t.Fatalf("%s: %v, printed %q", shell, err, &out)
	}
	return out.String()
}

func TestBashCompletesCommandsAndFlags(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	text := script(t, "bash")
	for line, want := range map[string]string{
		"the-program ":                       "audit completion serve",
		"the-program se":                     "serve",
		"the-program serve --":               "--help --no-workers --workers",
		"the-program audit ":                 "verify",
		"the-program audit verify --s":       "--slow",
		"the-program audit verify serve --s": "--slow",
		"the-program --help audit v":         "verify",
		"the-program sec":                    "",
	} {
		words := strings.Split(line, " ")
		cmd := exec.CommandContext(t.Context(), bash, append([]string{"-c",
			text + "\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _the_program; echo \"${COMPREPLY[*]}\"", "test"}, words...)...)
		out, err := cmd.CombinedOutput()
		got := strings.Fields(string(out))
		if !strings.HasSuffix(line, "--") {
			got = slices.DeleteFunc(got, func(word string) bool { return strings.HasPrefix(word, "--") && !strings.Contains(line, " --s") })
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q completes to %q, %v, want %q", line, got, err, want)
		}
	}
}

func TestOtherShellsReadTheirScript(t *testing.T) {
	for shell, want := range map[string]string{
		"zsh":  "(' audit verify') list=(--help --slow);;",
		"fish": "complete -c the-program -n \"__the_program_at ' audit verify'\" -a '--help --slow'",
	} {
		text := script(t, shell)
		if !strings.Contains(text, want) || strings.Contains(text, "secret") {
			t.Errorf("%s: %s\nwant %s", shell, text, want)
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		check := exec.CommandContext(t.Context(), path, "-n")
		check.Stdin = strings.NewReader(text)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}
