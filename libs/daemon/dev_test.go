package daemon

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/countersign/countersign/libs/logtest"
)

func TestDevelopmentIsWarnedOfEveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Log
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Minute)
		defer cancel()
		if err := (&Settings{Dev: true}).remind(log.Logger()).Run(ctx); err != nil {
			t.Fatal(err)
		}
		// At the start, and each 48 to 72 minutes.
		if n := strings.Count(log.String(), "development mode: readers of the data folder"); n < 3 || n > 4 {
			t.Errorf("%d warnings in two and a half hours", n)
		}
	})
}

func TestTheOptInToDevelopmentValuesIsWarnedOf(t *testing.T) {
	for _, s := range []Settings{{}, {AllowDevValues: true, Prefix: "X_"}} {
		var log logtest.Log
		if _, err := s.remind(log.Logger()).Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "X_ALLOW_DEV_VALUES"); got != s.AllowDevValues || strings.Contains(log.String(), "development mode") {
			t.Errorf("with %t the log has %s", s.AllowDevValues, log.String())
		}
	}
}

// A token is renewed until a signal comes, and each is whole and readable by its owner only.
func TestATokenInAFileIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		path := filepath.Join(folder, "token")
		ctx, stop := context.WithCancel(t.Context())
		var out bytes.Buffer
		ended := make(chan error, 1)
		command := TokenCommand{Dev: Dev{DataDir: t.TempDir(), AuthAudience: "a"}, Sub: "s", TTL: time.Hour, Out: path, Renew: 30 * time.Minute}
		go func() { ended <- command.Run(&Process{Context: ctx, Out: &out, Logs: io.Discard}, Program{}) }()
		read := func() string {
			synctest.Wait()
			content, err := os.ReadFile(path)
			info, statErr := os.Stat(path)
			if err != nil || statErr != nil || info.Mode() != 0o600 || strings.Count(string(content), ".") != 2 {
				t.Fatalf("%v, %v: %v, %q", err, statErr, info, content)
			}
			return string(content)
		}
		first := read()
		time.Sleep(29 * time.Minute)
		if read() != first {
			t.Error("renewed too early")
		}
		time.Sleep(2 * time.Minute)
		second := read()
		time.Sleep(30 * time.Minute)
		if third := read(); second == first || third == second {
			t.Error("not renewed")
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) != 1 || out.Len() != 0 {
			t.Errorf("left %v, %v, and printed %q", files, err, &out)
		}
	})
}

func TestATokenIsWrittenOnceOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for _, tt := range []struct {
		command TokenCommand
		want    string
	}{
		{TokenCommand{TTL: time.Hour, Out: path}, ""},
		{TokenCommand{TTL: time.Hour, Out: filepath.Join(path, "below")}, "--out: "},
		{TokenCommand{TTL: time.Hour, Renew: time.Minute}, "--renew needs --out"},
		{TokenCommand{TTL: time.Hour, Renew: time.Hour, Out: path}, "--renew must be less than --ttl"},
		{TokenCommand{TTL: time.Hour, Renew: -1, Out: path}, "--renew must be less than --ttl"},
	} {
		tt.command.Dev = Dev{DataDir: t.TempDir(), AuthAudience: "a"}
		var out bytes.Buffer
		err := tt.command.Run(&Process{Context: t.Context(), Out: &out, Logs: io.Discard}, Program{})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) || out.Len() != 0 {
			t.Errorf("%v and %q, want %q", err, &out, tt.want)
		}
	}
}

func TestAHealthcheckLooksForAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	check := HealthcheckCommand{File: path}
	if err := check.Run(&Process{Context: t.Context()}); err == nil {
		t.Error("healthy without the file")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := check.Run(&Process{Context: t.Context()}); err != nil {
		t.Error(err)
	}
}
