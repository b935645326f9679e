package envelope

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite testdata")

func TestBytesOnTheWire(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 30, 0, 120_999_999, time.FixedZone("", 3600))
	client := struct {
		ClientID string `json:"clientId"`
		Status   string `json:"status"`
	}{"c1", "ACTIVE"}

	for name, v := range map[string]any{
		"wf-success":       Succeed("wf", at, map[string]any{"status": "UP"}),
		"wf-success-null":  Succeed[any]("wf", at, nil),
		"wf-failure":       Fail("wf", at, "WF-004", "no task 7f3"),
		"partner-success":  SucceedPartner("mosip.partnermanagement", "1.0", at, client),
		"partner-failure":  FailPartner("mosip.partnermanagement", "1.0", at, "PMS_IDP_001", "Client public key already exists."),
		"provider-success": SucceedProvider(at, client),
		"provider-failure": FailProvider(at, ProviderError{"invalid_uri", "request.logoUri: must be an https URL"}),
		"provider-failure-2": FailProvider(at, ProviderError{"invalid_uri", "request.logoUri: must be an https URL"},
			ProviderError{"invalid_acr", "request.authContextRefs[0]: unknown"}),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".golden.json")
			if *update {
				if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if want = bytes.TrimSuffix(want, []byte("\n")); !bytes.Equal(got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestTimeRoundTrip(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"its own form":                 {`"2026-11-21T07:30:00.120Z"`, `"2026-11-21T07:30:00.120Z"`},
		"no decimals":                  {`"2026-11-21T07:30:00Z"`, `"2026-11-21T07:30:00.000Z"`},
		"another zone":                 {`"2026-11-21T08:30:00.5+01:00"`, `"2026-11-21T07:30:00.500Z"`},
		"nanoseconds are cut":          {`"2026-11-21T07:30:00.999999999Z"`, `"2026-11-21T07:30:00.999Z"`},
		"a leap day":                   {`"2028-02-29T00:00:00Z"`, `"2028-02-29T00:00:00.000Z"`},
		"the last year":                {`"9999-12-31T23:59:59.999Z"`, `"9999-12-31T23:59:59.999Z"`},
		"a zone that crosses midnight": {`"2026-01-01T00:30:00+01:00"`, `"2025-12-31T23:30:00.000Z"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var at Time
			if err := json.Unmarshal([]byte(tt.text), &at); err != nil {
				t.Fatal(err)
			}
			if got, err := json.Marshal(at); err != nil || string(got) != tt.want {
				t.Errorf("%s was written as %s, %v; want %s", tt.text, got, err, tt.want)
			}
		})
	}
}

func TestTimeRejectsNonRFC3339(t *testing.T) {
	for _, text := range []string{
		`""`, `"2026-02-30T00:00:00Z"`, `"2026-11-21T07:30:00"`, `"10000-01-01T00:00:00Z"`, `"2026-11-21T23:59:60Z"`,
		`"2026-11-21T07:30:00+25:00"`, `1763710200`, `"2026-11-21"`, `"2026-11-21 07:30:00Z"`, `{}`,
	} {
		var at Time
		if err := json.Unmarshal([]byte(text), &at); err == nil {
			t.Errorf("%s was read as %s", text, at)
		}
	}
}
