package main

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// at is a moment, in seconds.
func at(seconds float64) time.Time {
	return time.UnixMilli(int64(1000 * seconds))
}

func TestTheRateCountsEveryCallOfTheWholeLoad(t *testing.T) {
	for name, tt := range map[string]struct {
		samples  []sample
		rate     float64
		p50, p99 time.Duration
	}{
		"one connection": {
			[]sample{{at(5), 5 * time.Second, nil}, {at(6), time.Second, nil}, {at(8), 2 * time.Second, nil}},
			3. / 8, 2 * time.Second, 5 * time.Second,
		},
		"a connection whose first call ends when another makes its last": {
			[]sample{
				{at(1), time.Second, nil}, {at(2), time.Second, nil}, {at(4), 4 * time.Second, nil},
				{at(4.001), 2001 * time.Millisecond, nil},
			},
			4 / 4.001, time.Second, 4 * time.Second,
		},
		"no call": {nil, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := summarise(tt.samples)
			if math.Abs(got.rate-tt.rate) > 1e-9 || got.p50 != tt.p50 || got.p99 != tt.p99 {
				t.Errorf("summarise() = %+v, want rate %v, p50 %v, p99 %v", got, tt.rate, tt.p50, tt.p99)
			}
		})
	}
}

func TestAMedianOfAnEvenNumberIsTheMeanOfTheMiddle(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{{[]float64{7}, 7}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := median(tt.values); got != tt.want {
			t.Errorf("median(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
}

func TestALoadMakesEveryCallOnceAndKeepsTheOrder(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Idempotency-Key") != "key-"+string(body) {
			w.WriteHeader(http.StatusBadRequest)
		}
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, body)
	}))
	defer server.Close()
	const n = 100
	samples, err := load(t.Context(), server.Listener.Addr().String(), 8, func(i int) (call, bool) {
		body := fmt.Append(nil, i)
		return call{path: "/calls", token: "secret", key: "key-" + string(body), body: body, want: 200}, i < n
	})
	if err != nil || len(samples) != n {
		t.Fatalf("load() = %d samples, %v", len(samples), err)
	}
	for i, s := range samples {
		if want := fmt.Sprintf("POST /calls %d", i); string(s.body) != want || s.latency <= 0 {
			t.Errorf("sample %d is %q after %v, want %q", i, s.body, s.latency, want)
		}
	}
}

func TestALoadFailsAtAStatusThatIsNotWanted(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := load(t.Context(), server.Listener.Addr().String(), 2, func(i int) (call, bool) {
		return call{path: "/nothing", want: 200}, i < 100
	})
	if err == nil || !strings.Contains(err.Error(), "GET /nothing: answered 404, want 200") {
		t.Errorf("load() = %v", err)
	}
}
