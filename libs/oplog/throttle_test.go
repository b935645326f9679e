package oplog_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/oplog"
)

func TestALastingFailureIsLoggedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Log
		var out oplog.Throttle
		fail := func() { out.LogFailure(t.Context(), log.Logger(), slog.LevelWarn, "broken", "error", "no") }
		out.LogRecovery(t.Context(), log.Logger(), "works") // nothing was broken
		for range 250 {                                     // every half second, for two minutes and a bit
			fail()
			time.Sleep(time.Second / 2)
		}
		out.LogRecovery(t.Context(), log.Logger(), "works", "loop", "x")
		out.LogRecovery(t.Context(), log.Logger(), "works")
		fail() // a new failure is logged immediately
		var got []string
		for line := range strings.Lines(log.String()) {
			_, said, _ := strings.Cut(strings.TrimSpace(line), `"level":`)
			got = append(got, said)
		}
		want := []string{
			`"WARN","msg":"broken","error":"no"}`,
			`"WARN","msg":"broken","error":"no","more":119}`,
			`"WARN","msg":"broken","error":"no","more":119}`,
			`"INFO","msg":"works","loop":"x","failed_for":"2m5s"}`,
			`"WARN","msg":"broken","error":"no"}`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("log:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
