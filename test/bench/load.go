package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"
)

// call is one HTTP request.
type call struct {
	as, path, key string // as is the caller; key is the Idempotency-Key, none when empty
	body          string // of a POST; a GET has none
	want          int    // status
}

// source returns the i-th call of a load with its token, or false after the last one. load calls it with i = 0, 1, …
type source func(i int) (c call, token string, more bool)

// sample is the result of one call.
type sample struct {
	end     time.Time
	latency time.Duration
	body    []byte // of the reply, for the next step to use
}

// load makes the calls of next on several connections and returns the samples in the order of the
// calls. A reply with another status than wanted fails the load.
func load(ctx context.Context, address string, conns int, next source) ([]sample, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client := newClient(address, conns)
	var mu sync.Mutex
	var samples []sample
	take := func() (int, call, string, bool) {
		mu.Lock()
		defer mu.Unlock()
		i := len(samples)
		c, token, more := next(i)
		if !more || ctx.Err() != nil {
			return 0, c, "", false
		}
		samples = append(samples, sample{})
		return i, c, token, true
	}
	var group sync.WaitGroup
	for range conns {
		group.Go(func() {
			for {
				i, c, token, more := take()
				if !more {
					return
				}
				begin := time.Now()
				body, err := client.do(ctx, c, token)
				end := time.Now()
				if err != nil {
					cancel(err)
				}
				mu.Lock()
				samples[i] = sample{end: end, latency: end.Sub(begin), body: body}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return samples, context.Cause(ctx)
}

// client makes calls on a number of connections.
type client struct {
	http.Client
	url string
}

func newClient(address string, conns int) *client {
	return &client{http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: conns}, Timeout: limit}, "http://" + address}
}

// do makes a call and returns the body of the reply.
func (c *client) do(ctx context.Context, to call, token string) ([]byte, error) {
	method := http.MethodGet
	if to.body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+to.path, bytes.NewReader([]byte(to.body)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	if to.key != "" {
		request.Header.Set("Idempotency-Key", to.key)
	}
	response, err := c.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != to.want {
		err = fmt.Errorf("%s %s: answered %d, want %d: %s", method, to.path, response.StatusCode, to.want, body)
	}
	return body, err
}

// speed is a summary of samples.
type speed struct {
	rate          float64 // per second
	p50, p99, cpu time.Duration
}

// summarise returns the rate between the start of the first call and the end of the last one. A shorter
// window, in which every connection has completed a call, can be so short that its rate means nothing.
func summarise(samples []sample) speed {
	if len(samples) == 0 {
		return speed{}
	}
	begin, end := samples[0].end, samples[0].end
	latencies := make([]time.Duration, len(samples))
	for i, s := range samples {
		latencies[i] = s.latency
		if start := s.end.Add(-s.latency); start.Before(begin) {
			begin = start
		}
		if s.end.After(end) {
			end = s.end
		}
	}
	slices.Sort(latencies)
	quantile := func(q float64) time.Duration {
		return latencies[max(int(math.Ceil(q*float64(len(latencies))))-1, 0)]
	}
	return speed{rate: float64(len(samples)) / end.Sub(begin).Seconds(), p50: quantile(0.50), p99: quantile(0.99)}
}
