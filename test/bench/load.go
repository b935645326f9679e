package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// call is one HTTP request.
type call struct {
	path, token, key string // key is the Idempotency-Key; none when empty
	body             []byte
	want             int // status
}

// source returns the i-th call of a load, or false after the last one. load calls it with i = 0, 1, …
type source func(i int) (call, bool)

// sample is the result of one call.
type sample struct {
	end     time.Time
	latency time.Duration
	body    []byte // of the reply, for the next step to use
}

// load makes the calls of next on several connections and returns the samples in the order of the
// calls. A reply with another status than wanted fails the load.
func load(ctx context.Context, address string, conns int, next source) ([]sample, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	clients := make([]*client, conns)
	for i := range clients {
		var err error
		if clients[i], err = dial(ctx, address); err != nil {
			return nil, err
		}
		defer clients[i].Close()
	}

	var mu sync.Mutex
	var samples []sample
	var failure error
	take := func() (int, call, bool) {
		mu.Lock()
		defer mu.Unlock()
		i := len(samples)
		c, more := next(i)
		if !more || ctx.Err() != nil {
			return 0, c, false
		}
		samples = append(samples, sample{})
		return i, c, true
	}
	var group sync.WaitGroup
	for _, client := range clients {
		group.Go(func() {
			for {
				i, c, more := take()
				if !more {
					return
				}
				begin := time.Now()
				body, err := client.do(c)
				end := time.Now()
				mu.Lock()
				samples[i] = sample{end: end, latency: end.Sub(begin), body: body}
				if err != nil && failure == nil {
					failure = err
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if failure == nil {
		failure = context.Cause(ctx)
	}
	return samples, failure
}

// client is one HTTP/1.1 connection. It takes less CPU than the client of net/http, which would share
// the machine with the service.
type client struct {
	net.Conn
	in  *bufio.Reader
	out []byte
}

func dial(ctx context.Context, address string) (*client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{Conn: conn, in: bufio.NewReader(conn)}, nil
}

// callLimit is the time limit of a call.
const callLimit = 30 * time.Second

// do makes a call and returns the body of the reply.
func (c *client) do(req call) ([]byte, error) {
	method := http.MethodPost
	if req.body == nil {
		method = http.MethodGet
	}
	c.out = append(c.out[:0], method+" "+req.path+" HTTP/1.1\r\nHost: localhost\r\n"...)
	if req.token != "" {
		c.out = append(c.out, "Authorization: Bearer "+req.token+"\r\n"...)
	}
	if req.key != "" {
		c.out = append(c.out, "Idempotency-Key: "+req.key+"\r\n"...)
	}
	if req.body != nil {
		c.out = append(c.out, "Content-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(req.body))+"\r\n"...)
	}
	c.out = append(append(c.out, "\r\n"...), req.body...)
	if err := c.SetDeadline(time.Now().Add(callLimit)); err != nil {
		return nil, err
	}
	if _, err := c.Write(c.out); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, req.path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != req.want {
		err = fmt.Errorf("answered %d, want %d: %s", res.StatusCode, req.want, body)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, req.path, err)
	}
	return body, nil
}

// speed is a summary of samples.
type speed struct {
	rate     float64 // per second
	p50, p99 time.Duration
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
	rate := float64(len(samples)) / end.Sub(begin).Seconds()
	return speed{rate, quantile(latencies, 0.50), quantile(latencies, 0.99)}
}

// quantile returns the smallest of the sorted values that a share q of them does not exceed.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}
