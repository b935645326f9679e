package daemon_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
)

type commands struct {
	Show  showCommand         `cmd:""`
	Token daemon.TokenCommand `cmd:"" envprefix:"X_"`
	JWKS  daemon.JWKSCommand  `cmd:"" name:"jwks" envprefix:"X_"`

	Migrate daemon.MigrateCommand `cmd:"" envprefix:"X_"`
	Count   countCommand          `cmd:"" envprefix:"X_"`
	Version daemon.VersionCommand `cmd:""`
}

type showCommand struct {
	daemon.Settings `embed:"" envprefix:"X_"`
}

func (c *showCommand) Run(w *daemon.Process) error {
	fmt.Fprintf(w.Out, "%s %s %s", c.Listen, string(c.DatabaseURL), c.ClientID)
	return nil
}

// Validate is for kong, as the services have it.
func (c *showCommand) Validate() error {
	return c.Check(daemon.Program{Audience: "x-audience", Prefix: "X_", Database: "sqlite:dev.db"}, c).Err()
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return runWithin(t, t.Context(), schema("00001_thing.sql"), args...)
}

// runWithin runs a program with this schema until ctx ends.
func runWithin(t *testing.T, ctx context.Context, schema sqldb.Schema, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	program := daemon.Program{Name: "x", Listen: "127.0.0.1:1", Database: "sqlite:" + filepath.Join(t.TempDir(), "dev.db"),
		Client: "x", Audience: "x-audience", Prefix: "X_", Schema: schema}
	err := program.Run(&commands{}, args, &daemon.Process{Context: ctx, Out: &out, Logs: io.Discard})
	return out.String(), err
}

func TestSettingsComeFromDefaultsVariablesFilesAndFlags(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(secret, []byte("postgres://localhost/from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("X_DATABASE_URL_FILE", secret)
	got, err := run(t, "show", "--dev", "--client-id", "y")
	if want := "127.0.0.1:1 postgres://localhost/from-a-file y"; got != want || err != nil {
		t.Errorf("show = %q, %v, want %q", got, err, want)
	}
}

func TestEveryProblemIsReportedWithItsVariable(t *testing.T) {
	t.Setenv("X_OUTBOUND_ALLOW", "everything")
	_, err := run(t, "show")
	for _, variable := range []string{"X_AUTH_ISSUER: ", "X_OUTBOUND_ALLOW: "} {
		if err == nil || !strings.Contains(err.Error(), variable) {
			t.Errorf("problems %v do not name %s", err, variable)
		}
	}
	t.Setenv("X_LISTEN", "")
	t.Setenv("X_DRAIN_DELAY", "-1ms")
	t.Setenv("X_AUTH_AUDIENCE", "")
	_, err = run(t, "show")
	for _, variable := range []string{"X_LISTEN: ", "X_DRAIN_DELAY: ", "X_AUTH_AUDIENCE: "} {
		if err == nil || !strings.Contains(err.Error(), variable) {
			t.Errorf("problems %v do not name %s", err, variable)
		}
	}
	t.Setenv("X_LISTEN", "0.0.0.0:1")
	if _, err := run(t, "show", "--dev"); err == nil || !strings.Contains(err.Error(), "X_LISTEN: development mode") {
		t.Errorf("development mode off loopback: %v", err)
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	settings := daemon.Settings{DatabaseURL: "postgres://u:hunter2@h/d"}
	for _, text := range []string{
		fmt.Sprint(settings), fmt.Sprintf("%+v", settings), fmt.Sprintf("%#v %q %x", settings.DatabaseURL, settings.DatabaseURL, settings.DatabaseURL),
	} {
		if strings.Contains(text, "hunter2") || !strings.Contains(text, "[redacted]") {
			t.Errorf("printed %s", text)
		}
	}
}

func TestTokensAndTheirKeySetComeFromTheDataFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	token, err := run(t, "token", "--sub", "ana", "--role", "ADMIN", "--claim", "a=b")
	if err != nil || strings.Count(token, ".") != 2 {
		t.Errorf("token = %q, %v", token, err)
	}
	for _, ttl := range []string{"0s", "-1h"} {
		if _, err := run(t, "token", "--sub", "ana", "--ttl="+ttl); err == nil || !strings.Contains(err.Error(), "--ttl") {
			t.Errorf("a token for %s: %v", ttl, err)
		}
	}
	set, err := run(t, "jwks")
	if err != nil || !strings.Contains(set, `"keys"`) || strings.Contains(set, `"d"`) {
		t.Errorf("jwks = %q, %v", set, err)
	}
}

func TestSettingsAreDescribedWithTheirDefaults(t *testing.T) {
	list, err := daemon.Program{Name: "x", Listen: "127.0.0.1:1"}.Describe(&showCommand{})
	if want := (daemon.Setting{Flag: "--listen", Variable: "X_LISTEN", Default: "127.0.0.1:1",
		Help: "Address to serve on."}); err != nil || len(list) == 0 || list[0] != want {
		t.Errorf("settings = %+v, %v", list, err)
	}
}
