package daemon_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
)

func TestAWrongSettingIsNamedByItsVariableAndNotByItsValue(t *testing.T) {
	const (
		issuer   = "X_AUTH_ISSUER: name the token issuer, or start with --dev"
		database = "X_DATABASE_URL: name the database, as sqlite:PATH or postgres://…; only --dev has one of its own"
		noIssuer = "X_DEV: development mode has a token issuer of its own: unset it, or X_AUTH_ISSUER and X_AUTH_JWKS_URL"
	)
	sane := []string{"X_AUTH_ISSUER=https://idp.example", "X_DATABASE_URL=sqlite:x.db", "X_DRAIN_DELAY=7s"}
	for name, tt := range map[string]struct {
		env  []string
		want []string // the problems; none when it is right
	}{
		"nothing wrong":      {sane, nil},
		"nothing set":        {nil, []string{database, issuer}},
		"no duration":        {append(sane, "X_DRAIN_DELAY=30"), []string{"X_DRAIN_DELAY: must be a duration, such as 30s, 5m or 168h"}},
		"neither yes nor no": {append(sane, "X_ALLOW_HTTP_OUTBOUND=canary"), []string{"X_ALLOW_HTTP_OUTBOUND: must be true or false"}},
		"no ports": {append(sane, "X_OUTBOUND_ALLOW=443,canary"),
			[]string{"X_OUTBOUND_ALLOW: must be networks as CIDR and ports, such as 10.5.0.0/16,8443"}},
		"port 0":             {append(sane, "X_OUTBOUND_ALLOW=0"), []string{"X_OUTBOUND_ALLOW: egress policy: port 0"}},
		"networks and ports": {append(sane, "X_OUTBOUND_ALLOW=10.5.0.0/16,8443"), nil},
		"no rate": {append(sane, "X_RATE_PERSON=canary"),
			[]string{"X_RATE_PERSON: must be CALLS/UNIT:BURST, such as 50/s:100 (units are s, m and h), or 0 for no limit"}},
		"no address": {append(sane, "X_LISTEN=canary"), []string{"X_LISTEN: must be an address, such as 127.0.0.1:8080"}},
		"out of range": {append(sane, "X_DATABASE_URL=postgres://u:canary@h/d?pool_max_conns=1"),
			[]string{"X_DATABASE_URL: pool_max_conns must be a number of at least 2"}},
		"of no kind": {append(sane, "X_DATABASE_URL=mysql://u:canary@h/d"), []string{"X_DATABASE_URL: want sqlite:PATH or postgres://…"}},
		"no URL": {append(sane, "X_DATABASE_URL=postgres://u:can/ary@h/d"),
			[]string{"X_DATABASE_URL: want postgres://USER:PASSWORD@HOST:PORT/NAME, with special characters as %XX"}},
		"a bad parameter": {append(sane, "X_DATABASE_URL=postgres://canary:canary@h/d?sslmode=odd"),
			[]string{"X_DATABASE_URL: cannot be used: failed to configure TLS (sslmode is invalid)"}},
		"a URL with a password": {append(sane, "X_AUTH_JWKS_URL=https://u:canary@idp.example/"), []string{"X_AUTH_JWKS_URL: url names a user"}},
		"twice": {append(sane, "X_DATABASE_URL_FILE=parse_test.go"),
			[]string{"X_DATABASE_URL: set it or X_DATABASE_URL_FILE, not both", database}},
		"no file": {append(sane[1:], "X_AUTH_ISSUER_FILE=/none"),
			[]string{"X_AUTH_ISSUER: X_AUTH_ISSUER_FILE: open /none: no such file or directory", issuer}},
		"dev and an issuer": {append(sane, "X_DEV=true"), []string{noIssuer}},
		"dev elsewhere": {[]string{"X_DEV=true", "X_DATABASE_URL=postgres://u:canary@db.example/d"},
			[]string{"X_DATABASE_URL: development mode has its data on this machine: SQLite, or PostgreSQL on loopback"}},
		"dev on loopback": {[]string{"X_DEV=true", "X_DATABASE_URL=postgres://u:canary@127.0.0.1/d"}, nil},
		"dev alone":       {[]string{"X_DEV=true"}, nil},
		"all of them": {[]string{"X_DEV=canary", "X_RATE_PERSON=canary", "X_DRAIN_DELAY=-1s"}, []string{"X_DEV: must be true or false",
			"X_RATE_PERSON: must be CALLS/UNIT:BURST, such as 50/s:100 (units are s, m and h), or 0 for no limit", database,
			"X_DRAIN_DELAY: must not be negative", issuer}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, entry := range tt.env {
				variable, value, _ := strings.Cut(entry, "=")
				t.Setenv(variable, value)
			}
			_, err := run(t, "show")
			want := ""
			if tt.want != nil {
				want = "configuration:\n" + strings.Join(tt.want, "\n")
			}
			if text(err) != want {
				t.Errorf("said\n%v\nwant\n%s", err, want)
			}
		})
	}
}

func TestAVariableThatIsNoSettingIsNamedWithTheOneThatWasMeant(t *testing.T) {
	for _, name := range []string{"X_DATABSE_URL", "X_AUTH_JWKS_FILE", "X_DATABASES", "X_UNLIKE_ANY", "X_TOKEN",
		"X_SERVICE_HOST", "X_PORT_8081_TCP_ADDR", "X_DATABASE_URL_FILE"} {
		t.Setenv(name, "canary")
	}
	var logs bytes.Buffer
	_ = daemon.Program{Name: "x", Audience: "x-audience", Prefix: "X_"}.Run(&commands{}, []string{"version"},
		&daemon.Process{Context: t.Context(), Out: &logs, Logs: &logs})
	for name, want := range map[string]bool{
		`"variable":"X_DATABSE_URL","meant":"X_DATABASE_URL"`: true, `"variable":"X_UNLIKE_ANY","meant":"no similar setting"`: true,
		`"variable":"X_AUTH_JWKS_FILE","meant":"X_AUTH_JWKS_URL"`: true, `"variable":"X_DATABASES","meant":"no similar setting"`: true, `"X_TOKEN"`: false,
		`SERVICE_HOST`: false, `TCP_ADDR`: false, `URL_FILE"`: false, "canary": false,
	} {
		if got := strings.Contains(logs.String(), name); got != want {
			t.Errorf("%s is named: %t, want %t\n%s", name, got, want, &logs)
		}
	}
}

func TestSettingsAreShownAsPeopleWriteThem(t *testing.T) {
	c := &showCommand{}
	program := daemon.Program{Name: "x", Audience: "x-audience", Prefix: "X_", Listen: "127.0.0.1:1"}
	t.Setenv("X_AUTH_JWKS_URL", "https://u:canary@idp.example/")
	_ = program.Parse(c, []string{"--database-url=postgres://u:canary@h/d", "--drain-delay=1h", "--outbound-allow=1,2"})
	shown := program.LogSettings(c).String()
	for _, want := range []string{
		"X_DATABASE_URL=[redacted]", "X_DRAIN_DELAY=1h", "X_OUTBOUND_ALLOW=1,2", "X_RATE_PERSON=50/s:100",
		"X_AUTH_JWKS_URL=https://u:xxxxx@idp.example/",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s is not in\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "canary") {
		t.Errorf("shows a secret:\n%s", shown)
	}
}

func TestANewKeyOfDevelopmentIsNotMadeWithoutAWord(t *testing.T) {
	dir := t.TempDir()
	for _, command := range [][]string{{"token", "--sub=ana"}, {"jwks"}} {
		folder := filepath.Join(dir, command[0])
		for _, first := range []bool{true, false} {
			var out, logs bytes.Buffer
			process := &daemon.Process{Context: t.Context(), Out: &out, Logs: &logs}
			err := daemon.Program{Name: "x", Audience: "x-audience", Prefix: "X_"}.Run(&commands{}, append(command, "--data-dir="+folder), process)
			want := ""
			if first {
				want = "x: created the key " + folder + "/dev-issuer.jwk; services with another data folder reject its tokens (set --data-dir)\n"
			}
			if err != nil || logs.String() != want || out.Len() == 0 {
				t.Errorf("%s printed %q, want %q; %v", command, &logs, want, err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "token", "dev-issuer.jwk")); err != nil {
		t.Error(err)
	}
}

func TestTheVersionIsPrintedAlone(t *testing.T) {
	if out, err := run(t, "version"); err != nil || out != daemon.Version()+"\n" {
		t.Errorf("version = %q, %v", out, err)
	}
}
