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
		if err := remind(log.Logger()).Run(ctx); err != nil {
			t.Fatal(err)
		}
		// At the start, and each 48 to 72 minutes.
		if n := strings.Count(log.String(), "development mode: whoever can read the data folder"); n < 3 || n > 4 {
			t.Errorf("%d warnings in two and a half hours", n)
		}
	})
}
