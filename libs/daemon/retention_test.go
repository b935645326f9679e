package daemon

import (
	"testing"
	"time"
)

func TestARetentionIsDaysOrHoursOrForEver(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"forever": 0, "90d": 90 * 24 * time.Hour, "1d": 24 * time.Hour, "36h": 36 * time.Hour, "1h": time.Hour, "1h30m": 90 * time.Minute,
	} {
		var r Retention
		if err := r.UnmarshalText([]byte(text)); err != nil || time.Duration(r) != want {
			t.Errorf("%s is %s, %v; want %s", text, time.Duration(r), err, want)
		}
		var again Retention
		if err := again.UnmarshalText([]byte(r.String())); err != nil || again != r {
			t.Errorf("%s is written as %s, which reads as %s, %v", text, r, again, err)
		}
	}
	for _, text := range []string{"", "0", "0d", "-1d", "1.5d", "59m", "90", "d", "ever", "100000d", "Forever"} {
		var r Retention
		if err := r.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %s", text, r)
		}
	}
}
