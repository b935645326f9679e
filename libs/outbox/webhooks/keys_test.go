package webhooks

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/countersign/countersign/libs/logtest"
)

func TestKeyLoopLogsPausedAndResumedEndpoints(t *testing.T) {
	var log logtest.Log
	var names []string
	var failure error
	loop := KeyLoop("X_ENC_KEYS", func(context.Context) ([]string, error) { return names, failure }, log.Logger(), nil)
	const paused = "webhook endpoints paused: no key in X_ENC_KEYS decrypts their secrets"
	var want []string
	for _, step := range []struct {
		names   []string
		failure error
		said    string
	}{
		{nil, nil, ""},
		{[]string{"ledger"}, nil, paused},
		{[]string{"ledger"}, nil, ""},
		{nil, errors.New("no database"), ""}, // unknown, so nothing is logged
		{[]string{"ledger", "portal"}, nil, paused},
		{nil, nil, "keys of all webhook endpoints available again"},
		{nil, nil, ""},
	} {
		names, failure = step.names, step.failure
		if more, err := loop.Pass(t.Context()); more || !errors.Is(err, step.failure) {
			t.Errorf("pass = %t, %v", more, err)
		}
		if step.said != "" {
			want = append(want, step.said)
		}
		var got []string
		for _, line := range log.Lines(t, "") {
			got = append(got, line["msg"].(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %q the log has %q, want %q", step.names, got, want)
		}
	}
}
