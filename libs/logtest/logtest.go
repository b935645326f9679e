// Package logtest provides a log that tests can read concurrently, and finds private texts in outputs.
package logtest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/oplog"
)

// Log stores its lines. The zero value is empty.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the log.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Logger returns a logger of all levels, in the JSON format of the services.
func (l *Log) Logger() *slog.Logger { return slog.New(oplog.JSON(l, slog.LevelDebug)) }

// Line is one line of a log, member by member.
type Line map[string]any

// Lines returns the lines with a message, or all lines for an empty message.
func (l *Log) Lines(t testing.TB, message string) (list []Line) {
	t.Helper()
	for text := range strings.Lines(l.String()) {
		line := Line{}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("a line of the log is not JSON: %v: %q", err, text)
		}
		if message == "" || line["msg"] == message {
			list = append(list, line)
		}
	}
	return list
}

// Want compares some members of the line.
func (l Line) Want(t testing.TB, want Line) {
	t.Helper()
	for name, value := range want {
		if !reflect.DeepEqual(l[name], value) {
			t.Errorf("%s of the line is %v, want %v: %v", name, l[name], value, l)
		}
	}
}
