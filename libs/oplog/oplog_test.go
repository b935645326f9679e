package oplog_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/trace"
)

func TestLogLineCarriesCallAndTraceIDs(t *testing.T) {
	log := &logtest.Log{}
	ctx := trace.Resume(oplog.WithCall(t.Context(), "c1"), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	log.Logger().InfoContext(ctx, "done")
	log.Logger().Info("done")
	lines := log.Lines(t, "done")
	lines[0].Want(t, logtest.Line{"call_id": "c1", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736"})
	lines[1].Want(t, logtest.Line{"call_id": nil, "trace_id": nil})
}

func TestDurationsAreMilliseconds(t *testing.T) {
	log := &logtest.Log{}
	log.Logger().Info("done", "took", 1234567*time.Nanosecond)
	log.Lines(t, "done")[0].Want(t, logtest.Line{"took_ms": 1.235, "took": nil})
}

func TestEventsAreNotedOnTheLineOfTheirCallAndLoggedOutsideOfOne(t *testing.T) {
	log := &logtest.Log{}
	about := slog.String("request", "r1")
	ctx := oplog.Begin(t.Context())
	oplog.LogEvents(ctx, log.Logger(), about, []string{"request.created"})
	oplog.LogEvents(ctx, log.Logger(), about, []string{"task.created", "task.created"})
	if text := log.String(); text != "" {
		t.Errorf("a line of its own: %s", text)
	}
	log.Logger().LogAttrs(ctx, slog.LevelInfo, "call", oplog.Notes(ctx)...)
	log.Lines(t, "call")[0].Want(t, logtest.Line{"request": "r1", "events": []any{"request.created", "task.created", "task.created"}})

	oplog.LogEvents(t.Context(), log.Logger(), about, []string{"request.expired"}, slog.String("actor", "system:expiry"))
	log.Lines(t, "changed")[0].Want(t, logtest.Line{"request": "r1", "events": []any{"request.expired"}, "actor": "system:expiry"})
}

func TestSubjectIsTheTruncatedHashOfAnID(t *testing.T) {
	// printf ana | sha256sum | cut -c1-16
	if got := oplog.Subject("ana"); got != "24d4b96f58da6d4a" || oplog.Subject("") != "" {
		t.Errorf("Subject = %s", got)
	}
}

// Input cannot forge another line, a colour or another member.
func TestALineCannotBeForged(t *testing.T) {
	evil := "x\n{\"msg\":\"call\"}\x1b[31m\r\u202e\xff level=ERROR"
	for name, open := range map[string]func(io.Writer) slog.Handler{
		"JSON":     func(w io.Writer) slog.Handler { return oplog.JSON(w, slog.LevelInfo) },
		"terminal": func(w io.Writer) slog.Handler { return oplog.Terminal(w, slog.LevelInfo, false) },
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			slog.New(open(&out)).Info("call", "thing", evil, "error", errors.New(evil), "list", []string{evil})
			text := out.String()
			if strings.Count(text, "\n") != 1 || strings.ContainsAny(text, "\x1b\r") {
				t.Errorf("%q", text)
			}
			if name == "terminal" && strings.Contains(text, "\u202e") {
				t.Errorf("%q", text)
			}
		})
	}
}

func TestOnlyATerminalInDevelopmentGetsTextForPeople(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	oplog.New(file, slog.LevelInfo, true).Info("done")
	if text, _ := os.ReadFile(file.Name()); !strings.HasPrefix(string(text), "{") {
		t.Errorf("a file got %q", text)
	}
	var out bytes.Buffer
	oplog.New(&out, slog.LevelInfo, true).Info("done")
	if !strings.HasPrefix(out.String(), "{") {
		t.Errorf("a pipe got %q", out.String())
	}
}
