package daemon_test

import (
	"strings"
	"testing"
)

func TestDevelopmentValuesAreRefusedOutsideDevelopment(t *testing.T) {
	refused := map[string]string{
		"X_AUTH_ISSUER":  "https://dev.countersign.local",
		"X_DATABASE_URL": "postgres://wf:wf-local-only@localhost:5432/wf",
	}
	for name, value := range refused {
		for _, tt := range []struct {
			args []string
			want bool
		}{{nil, true}, {[]string{"--allow-dev-values"}, false}} {
			t.Run(name+" "+strings.Join(tt.args, ""), func(t *testing.T) {
				t.Setenv("X_AUTH_ISSUER", "https://idp.example")
				t.Setenv("X_DATABASE_URL", "postgres://wf:wf-local-only-2@localhost:5432/wf")
				t.Setenv(name, value)
				_, err := run(t, append([]string{"show"}, tt.args...)...)
				if got := err != nil && strings.Contains(err.Error(), name+": ") &&
					strings.Contains(err.Error(), "X_ALLOW_DEV_VALUES"); got != tt.want || err != nil && !tt.want {
					t.Errorf("refused: %t, %v", got, err)
				}
				if err != nil && strings.Contains(err.Error(), value) {
					t.Errorf("the message has the value: %v", err)
				}
			})
		}
	}
}

func TestDevelopmentModeAcceptsDevelopmentValues(t *testing.T) {
	t.Setenv("X_DATABASE_URL", "postgres://wf:wf-local-only@localhost:5432/wf")
	if _, err := run(t, "show", "--dev"); err != nil {
		t.Error(err)
	}
}
