// Package oplog is the operators' log: the format of a line and the members of every line of a
// call.
//
// A line has a message that is constant, so that it can be searched for, and members
// whose values are escaped, so that a caller cannot inject a line. Durations are
// in milliseconds, in a member whose name ends in _ms.
package oplog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"math"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/lmittmann/tint"
	"go.opentelemetry.io/otel/trace"
)

// New returns a logger of JSON lines. If people is set and w is a terminal, the lines are text.
func New(w io.Writer, level slog.Leveler, people bool) *slog.Logger {
	if file, ok := w.(*os.File); ok && people {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return slog.New(Terminal(w, level, os.Getenv("NO_COLOR") == ""))
		}
	}
	return slog.New(JSON(w, level))
}

// JSON writes a JSON object a line.
func JSON(w io.Writer, level slog.Leveler) slog.Handler {
	return handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: milliseconds})}
}

// Terminal writes lines for people.
func Terminal(w io.Writer, level slog.Leveler, colour bool) slog.Handler {
	return handler{tint.NewTextHandler(w, &tint.Options{Level: level, ReplaceAttr: milliseconds, TimeFormat: time.TimeOnly, NoColor: !colour})}
}

// milliseconds writes every duration in the same way.
func milliseconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_ms", Milliseconds(a.Value.Duration()))
}

// Milliseconds is a duration as lines show it, to the microsecond.
func Milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}

// Subject returns the pseudonym of a person or a service: the first 64 bits of the SHA-256 of the
// id in the token. It is the same in the logs of every service. The log alone does not contain ids.
func Subject(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// line holds the log members of the call of a context.
type line struct {
	mu     sync.Mutex
	notes  []slog.Attr
	events []string
}

type lineKey struct{}

func lineOf(ctx context.Context) *line {
	l, _ := ctx.Value(lineKey{}).(*line)
	return l
}

// Begin returns a context that collects the members of a call's line.
func Begin(ctx context.Context) context.Context {
	return context.WithValue(ctx, lineKey{}, &line{})
}

// Note adds members to the line of the call that ctx belongs to, and replaces those of
// the same name. Outside a call it does nothing.
func Note(ctx context.Context, attrs ...slog.Attr) {
	if l := lineOf(ctx); l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.note(attrs)
	}
}

func (l *line) note(attrs []slog.Attr) {
	for _, a := range attrs {
		if i := slices.IndexFunc(l.notes, func(known slog.Attr) bool { return known.Key == a.Key }); i >= 0 {
			l.notes[i] = a
		} else {
			l.notes = append(l.notes, a)
		}
	}
}

// LogEvents adds stored events and their subject to the line of ctx's call. Outside a call it logs
// the events in a separate line, with the members of more.
func LogEvents(ctx context.Context, log *slog.Logger, about slog.Attr, events []string, more ...slog.Attr) {
	l := lineOf(ctx)
	if l == nil {
		log.LogAttrs(ctx, slog.LevelInfo, "changed", append([]slog.Attr{about, slog.Any("events", events)}, more...)...)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, events...)
	l.note([]slog.Attr{about, slog.Any("events", slices.Clone(l.events))})
}

// Notes are the members that were noted so far.
func Notes(ctx context.Context) []slog.Attr {
	l := lineOf(ctx)
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.notes)
}

type callKey struct{}

// WithCall returns the context of the call with an id.
func WithCall(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, callKey{}, id)
}

// CallID returns the id of the call of ctx, or an empty text.
func CallID(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

// handler adds to a line the call and the trace that its context belongs to.
type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if id := CallID(ctx); id != "" {
		r.AddAttrs(slog.String("call_id", id))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
