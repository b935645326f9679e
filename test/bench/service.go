package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// service is a running program.
type service struct {
	address string        // host and port
	ready   time.Duration // from its start until it was ready

	bench *bench
	cmd   *exec.Cmd
	log   string // path
	ended chan error
	over  bool
}

// startLimit is how long a program may take to start or to stop.
const startLimit = 30 * time.Second

// start runs the program with the development issuer, without rate limits and drain delay, and waits
// until it is ready.
func (b *bench) start(ctx context.Context, databaseURL string) (*service, error) {
	log, err := os.CreateTemp(b.dir, b.program+"-*.log")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s := &service{bench: b, log: log.Name(), ended: make(chan error, 1)}
	s.cmd = exec.Command(b.path, "serve", "--dev", "--data-dir", b.dir, "--listen", "127.0.0.1:0",
		"--database-url", databaseURL, "--drain-delay", "0s")
	// Settings of the caller's environment are not for this run.
	s.cmd.Env = append([]string{"WF_ADMIN_LISTEN=off", "REGISTRAR_ADMIN_LISTEN=off"}, b.settings...)
	for _, rate := range []string{"WF_RATE_PERSON", "WF_RATE_SERVICE", "REGISTRAR_RATE_PERSON", "REGISTRAR_RATE_SERVICE", "REGISTRAR_RATE_REGISTRATIONS"} {
		s.cmd.Env = append(s.cmd.Env, rate+"=0")
	}
	s.cmd.Stderr = log
	begin := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	if err := s.wait(ctx); err != nil {
		s.kill()
		return nil, fmt.Errorf("start %s: %w\n%s", b.program, err, s.readLog())
	}
	s.ready = time.Since(begin)
	return s, nil
}

// wait polls until the service has logged its address and is ready.
func (s *service) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for {
		if s.address == "" {
			content, err := os.ReadFile(s.log)
			if err != nil {
				return err
			}
			if line := listening.FindSubmatch(content); line != nil {
				s.address = string(line[1])
			}
		}
		if s.address != "" && s.isReady(ctx) {
			return nil
		}
		select {
		case <-poll.C:
		case err := <-s.ended:
			s.over = true
			return fmt.Errorf("ended before it was ready: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// listening is the log line with the address.
var listening = regexp.MustCompile(`"msg":"listening","address":"([^"]+)"`)

func (s *service) isReady(ctx context.Context) bool {
	c, err := dial(ctx, s.address)
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = c.do(call{path: "/readyz", want: 200})
	return err == nil
}

// stop ends the service, which has to exit with 0 and to have logged no error.
func (s *service) stop() error {
	s.over = true
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.ended:
		if err != nil {
			return fmt.Errorf("%s ended with %w", s.bench.program, err)
		}
	case <-time.After(startLimit):
		_ = s.cmd.Process.Kill()
		return errors.New(s.bench.program + " does not stop")
	}
	return s.accident()
}

// readLog returns the log of the service.
func (s *service) readLog() string {
	content, _ := os.ReadFile(s.log)
	return string(content)
}

// accident is the first error in the service's log.
func (s *service) accident() error {
	content, err := os.ReadFile(s.log)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(content) {
		if bytes.Contains(line, []byte(`"level":"ERROR"`)) {
			return fmt.Errorf("%s logged an error: %s", s.bench.program, line)
		}
	}
	return nil
}

// kill ends a service that stop has not ended.
func (s *service) kill() {
	if s.over {
		return
	}
	s.over = true
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// memory returns the current and the peak resident memory in bytes.
func (s *service) memory() (now, peak int64, err error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	values := map[string]int64{}
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if kib, isSize := strings.CutSuffix(strings.TrimSpace(value), " kB"); isSize {
			if values[name], err = strconv.ParseInt(kib, 10, 64); err != nil {
				return 0, 0, err
			}
		}
	}
	return values["VmRSS"] << 10, values["VmHWM"] << 10, nil
}

// tick is the unit of times in /proc/PID/stat (getconf CLK_TCK), on every platform
// that Linux runs on today.
const tick = 10 * time.Millisecond

// cpu returns the processor time of the service.
func (s *service) cpu() (time.Duration, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
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

// call makes one call.
func (s *service) call(ctx context.Context, c call) ([]byte, error) {
	conn, err := dial(ctx, s.address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.do(c)
}

// envelope is the part of a reply that reports success.
type envelope[T any] struct {
	Response *T    `json:"response"`
	Errors   []any `json:"errors"`
}

// decodeSuccess returns the response in an envelope that reports no error.
func decodeSuccess[T any](body []byte) (T, error) {
	var e envelope[T]
	if err := json.Unmarshal(body, &e); err != nil {
		return *new(T), err
	}
	if e.Response == nil || len(e.Errors) != 0 {
		return *new(T), errors.New("not a success")
	}
	return *e.Response, nil
}
