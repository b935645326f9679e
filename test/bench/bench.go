package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// levels are the numbers of concurrent connections.
var levels = []int{8, 32}

// subject is a service to measure.
type subject struct {
	program string

	// callers are the subjects of the tokens, with the claims as arguments of the token command.
	callers map[string][]string

	// prepare lists the calls that make a new database ready.
	prepare []call

	// steps are measured one after another.
	steps []step
}

// step is one operation.
type step struct {
	name    string
	follows bool // called once for each call of the step before, with its yield

	// call is the n-th call.
	call func(n int64, yield string) call

	// yield returns the id of the new object, or an error for a reply that is not a success.
	yield func(body []byte) (string, error)
}

// bench measures one subject.
type bench struct {
	subject
	path   string // of the program
	dir    string // of the files of the run
	rounds int
	phase  time.Duration
	out    io.Writer

	tokens  map[string]string
	used    int64 // numbers of the calls so far
	address string
	cmd     *exec.Cmd
}

// limit is how long a program may take to start or to stop.
const limit = 5 * time.Minute

// measure measures all rounds on one database.
func (b *bench) measure(ctx context.Context, database string) error {
	if err := b.start(ctx, database); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- b.cmd.Wait() }()
	err := b.steady(ctx, database)
	_ = b.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case end := <-ended:
		return errors.Join(err, end)
	case <-time.After(limit):
		_ = b.cmd.Process.Kill()
		return errors.Join(err, errors.New("the program does not stop"))
	}
}

// start issues the tokens and starts the program with the development issuer, without rate limits and drain delay.
func (b *bench) start(ctx context.Context, database string) error {
	b.tokens = map[string]string{}
	for subject, claims := range b.callers {
		cmd := exec.CommandContext(ctx, b.path, append([]string{"token", "--data-dir", b.dir, "--ttl", "12h", "--sub", subject}, claims...)...)
		cmd.Env = []string{} // settings of the environment are not for this run
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("token of %s: %w", subject, err)
		}
		b.tokens[subject] = strings.TrimSpace(string(out))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b.address = listener.Addr().String()
	if err := listener.Close(); err != nil {
		return err
	}
	b.cmd = exec.Command(b.path, "serve", "--dev", "--data-dir", b.dir, "--listen", b.address, "--database-url", database, "--drain-delay", "0s")
	b.cmd.Env = []string{"WF_ADMIN_LISTEN=off", "REGISTRAR_ADMIN_LISTEN=off"}
	for _, rate := range []string{"PERSON", "SERVICE", "REGISTRATIONS"} {
		b.cmd.Env = append(b.cmd.Env, "WF_RATE_"+rate+"=0", "REGISTRAR_RATE_"+rate+"=0")
	}
	return b.cmd.Start()
}

// steady waits until the service is ready, prepares it and measures the steps.
func (b *bench) steady(ctx context.Context, database string) error {
	client := newClient(b.address, 1)
	for late := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		_, err := client.do(ctx, call{path: "/readyz", want: 200}, "")
		if err == nil {
			break
		}
		if time.Now().After(late) || ctx.Err() != nil {
			return fmt.Errorf("the program is not ready: %w", err)
		}
	}
	for _, c := range b.prepare {
		if _, err := client.do(ctx, c, b.tokens[c.as]); err != nil {
			return err
		}
	}
	kind, _, _ := strings.Cut(database, ":")
	for _, conns := range levels {
		speeds := make([][]speed, len(b.steps))
		for range b.rounds {
			if err := b.round(ctx, conns, speeds); err != nil {
				return fmt.Errorf("at %d connections: %w", conns, err)
			}
		}
		for i, step := range b.steps {
			s := speeds[i]
			fmt.Fprintf(b.out, "%s\t%s\t%d\t%.0f\t%s\t%s\t%s\t\n", step.name, kind, conns, medianOf(s, func(s speed) float64 { return s.rate }),
				milliseconds(medianOf(s, func(s speed) time.Duration { return s.p50 })),
				milliseconds(medianOf(s, func(s speed) time.Duration { return s.p99 })),
				milliseconds(medianOf(s, func(s speed) time.Duration { return s.cpu })))
		}
	}
	return nil
}

// round measures every step once.
func (b *bench) round(ctx context.Context, conns int, speeds [][]speed) error {
	var yields []string
	for i, step := range b.steps {
		end, before := time.Now().Add(b.phase), yields
		next := func(n int) (call, string, bool) {
			b.used++
			if step.follows {
				if n >= len(before) {
					return call{}, "", false
				}
				c := step.call(b.used, before[n])
				return c, b.tokens[c.as], true
			}
			c := step.call(b.used, "")
			return c, b.tokens[c.as], n < 2*conns || time.Now().Before(end)
		}
		begin, err := b.cpu()
		if err != nil {
			return err
		}
		samples, err := load(ctx, b.address, conns, next)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		after, err := b.cpu()
		if err != nil {
			return err
		}
		s := summarise(samples)
		s.cpu = (after - begin) / time.Duration(len(samples))
		speeds[i] = append(speeds[i], s)
		yields = make([]string, len(samples))
		for n := range samples {
			if yields[n], err = step.yield(samples[n].body); err != nil {
				return fmt.Errorf("%s: %w: %s", step.name, err, samples[n].body)
			}
		}
	}
	return nil
}

// tick is the unit of times in /proc/PID/stat (getconf CLK_TCK), on every platform that Linux runs on today.
const tick = 10 * time.Millisecond

// cpu returns the processor time of the service.
func (b *bench) cpu() (time.Duration, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", b.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(content), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0, errors.New("/proc/PID/stat has too few fields")
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick, errors.Join(err, err2)
}

// medianOf returns the median of a figure; of an even number of speeds, the mean of the two in the middle.
func medianOf[T ~int64 | ~float64](all []speed, of func(speed) T) T {
	values := make([]T, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// decodeSuccess returns the response in an envelope that reports no error.
func decodeSuccess[T any](body []byte) (T, error) {
	var e struct {
		Response *T    `json:"response"`
		Errors   []any `json:"errors"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return *new(T), err
	}
	if e.Response == nil || len(e.Errors) != 0 {
		return *new(T), errors.New("not a success")
	}
	return *e.Response, nil
}
