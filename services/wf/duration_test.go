package wf_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

func TestDurations(t *testing.T) {
	day := 24 * time.Hour
	for text, want := range map[policy.Duration]time.Duration{ // zero: refused
		"PT48H":      48 * time.Hour,
		"PT5M":       5 * time.Minute,
		"PT0.5S":     500 * time.Millisecond,
		"P30D":       30 * day,
		"P1W":        7 * day,
		"P1DT1H1M1S": day + time.Hour + time.Minute + time.Second,
		"P3660D":     3660 * day,

		"":              0,
		"P":             0,
		"PT":            0,
		"PT0S":          0,
		"48h":           0,
		"pt48h":         0,
		"-PT1H":         0,
		"PT-1H":         0,
		"P1Y":           0,
		"P1M":           0,
		"P3661D":        0,
		"P3660DT1S":     0,
		"P99999999999D": 0,
		"PT1e3S":        0,
		"PTNaNS":        0,
		"PT1H1H":        0,
		"PT1S1H":        0,
		"PTT1H":         0,
		"PT1":           0,
		"PT1H ":         0,
		"PT1.2.3H":      0,
		"PT٣H":          0,
		"never":         0,
	} {
		got, err := text.Parse()
		if (err == nil) != (want > 0) || err == nil && got != want {
			t.Errorf("Parse(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestLifetimeDistinguishesAbsentFromNever(t *testing.T) {
	for text, tt := range map[string]struct {
		ends time.Duration // zero: never
		back string
	}{
		`{}`:                    {30 * 24 * time.Hour, `{}`},
		`{"expires_in":null}`:   {0, `{"expires_in":null}`},
		`{"expires_in":"PT1H"}`: {time.Hour, `{"expires_in":"PT1H"}`},
	} {
		var s policy.Settings
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		ends, err := s.ExpiresIn.End(noon, "P30D")
		switch {
		case err != nil:
			t.Errorf("%s: %v", text, err)
		case tt.ends == 0 && ends != nil, tt.ends > 0 && (ends == nil || !ends.Equal(noon.Add(tt.ends))):
			t.Errorf("%s ends at %v, want after %v", text, ends, tt.ends)
		}
		var back struct {
			ExpiresIn policy.Lifetime `json:"expires_in,omitempty"`
		}
		back.ExpiresIn = s.ExpiresIn
		if got := encode(back); got != tt.back {
			t.Errorf("%s was written back as %s", text, got)
		}
	}
	for _, text := range []string{`"never"`, `""`, `"?"`, `"tomorrow"`, `"PT0S"`} {
		var l policy.Lifetime
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if ends, err := l.End(noon, "P30D"); err == nil {
			t.Errorf("%s ends at %v, want a refusal", text, ends)
		}
	}
	var l policy.Lifetime
	if err := json.Unmarshal([]byte(`3`), &l); err == nil {
		t.Error("a number was taken for a lifetime")
	}
}

func TestAStampHasThreeDigitsAndIsUTC(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 0, 0, 120_999_999, time.FixedZone("", 3600))
	if got, want := encode(identity.Stamp{Time: at}), `"2026-03-02T11:00:00.120Z"`; got != want {
		t.Errorf("stamp = %s, want %s", got, want)
	}
	if got := encode(identity.Auth{}); got != `{}` {
		t.Errorf("an unknown auth_time is written as %s", got)
	}
	var back identity.Stamp
	if err := json.Unmarshal([]byte(`"2026-03-02T11:00:00.120Z"`), &back); err != nil || encode(back) != `"2026-03-02T11:00:00.120Z"` {
		t.Errorf("read back as %v, %v", back, err)
	}
}
