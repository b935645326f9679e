package daemon

import (
	"context"
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
