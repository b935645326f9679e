package daemon

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestAnAudienceThatIsAClientIsWarnedOf(t *testing.T) {
	for audience, want := range map[string]bool{"countersign": false, "wf": true} {
		var logs bytes.Buffer
		s := Settings{Prefix: "WF_", AuthAudience: audience, ClientID: "wf"}
		s.warn(slog.New(slog.NewTextHandler(&logs, nil)))
		if warned := strings.Contains(logs.String(), "level=WARN") && strings.Contains(logs.String(), "WF_AUTH_AUDIENCE"); warned != want {
			t.Errorf("audience %s: %q", audience, &logs)
		}
	}
}
