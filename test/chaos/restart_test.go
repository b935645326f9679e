package chaos

import (
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

// Two replicas behind a balancer are replaced one after the other, as in every upgrade. No
// caller has to repeat anything.
func TestARollingRestartRefusesNoCall(t *testing.T) {
	chaos(t)
	for name, tt := range map[string]struct {
		service func(t *testing.T, database string, variables ...string) *service
		steps   []step
	}{
		"wf":             {wf, []step{creates, lists, creates}},
		"oidc-registrar": {registrar, []step{registers, partners, registers}},
	} {
		for _, poll := range []time.Duration{100 * time.Millisecond, time.Second, 2 * time.Second} {
			t.Run(name+" polled every "+poll.String(), func(t *testing.T) {
				s := tt.service(t, sqldbtest.Postgres(t))
				replicas := []*replica{s.begin(""), s.begin("")}
				if name == "wf" {
					s.caller(replicas[0].url).policy(t)
				}
				b := balance(t, poll, replicas...)
				load := s.loads(b.url, 8, tt.steps...)
				for restart := range 6 {
					old := replicas[restart%2]
					old.Signal(syscall.SIGTERM)
					if status := old.Wait(); status != 0 {
						t.Errorf("a replica ended with %d: %s", status, old.lastLine())
					}
					next := s.begin(old.address())
					timetest.Eventually(t, "the balancer sees the new replica", func() bool { return b.sees(next) })
					replicas[restart%2] = next
				}
				calls, refused, how := load.ends()
				t.Logf("%d of %d calls refused in six restarts\n%s", refused, calls, how)
				if refused > 0 || calls < 100 {
					t.Errorf("%d of %d calls were refused:\n%s", refused, calls, how)
				}
			})
		}
	}
}
