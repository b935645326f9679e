package idp

import (
	"testing"
	"time"

	"github.com/countersign/countersign/libs/egress"
)

func TestDefaultTimeoutOfATryIsThreeSeconds(t *testing.T) {
	for total, want := range map[time.Duration]time.Duration{0: 3 * time.Second, time.Minute: time.Minute} {
		c, err := newCaller(Options{URL: "https://idp.example", Egress: egress.Policy{Total: total}})
		if err != nil {
			t.Fatal(err)
		}
		if got, once := c.client.HTTPClient.Timeout, c.once.HTTPClient.Timeout; got != want || once != want {
			t.Errorf("with the total %s a try lasts %s, and one without retries %s; want %s", total, got, once, want)
		}
	}
}
