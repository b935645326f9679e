package web

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/trace"
)

// hungUp is the logged status of a call whose caller closed the connection before the reply, as in nginx.
// It is never sent.
const hungUp = 499

// maxNoted bounds the text of a caller in the log.
const maxNoted = 128

// logCall logs a call: operation, objects, caller, peer and outcome, without headers, body or query.
func (s *Server) logCall(ctx context.Context, c echo.Context, status int, took time.Duration) {
	level := slog.LevelInfo
	if status == hungUp {
		level = slog.LevelDebug
	}
	if s.isProbe(c.Request().URL.Path) {
		level = slog.LevelDebug
	}
	if !s.options.Logger.Enabled(ctx, level) {
		return
	}
	called := callOf(ctx)
	_, route, _ := strings.Cut(called.route, " ")
	attrs := append(make([]slog.Attr, 0, 16),
		slog.String("method", c.Request().Method), slog.String("route", cmp.Or(route, "none")), slog.Int("status", status))
	if called.code != "" {
		attrs = append(attrs, slog.String("code", called.code))
	}
	attrs = append(attrs, s.objects(c)...)
	for _, noted := range oplog.Notes(ctx) {
		attrs = slices.DeleteFunc(attrs, func(a slog.Attr) bool { return a.Key == noted.Key })
		attrs = append(attrs, noted)
	}
	attrs = append(attrs, slog.String("peer", c.RealIP()), slog.Duration("took", took))
	s.options.Logger.LogAttrs(ctx, level, "call", attrs...)
}

// span starts the span of a call. Probes have none.
func (s *Server) span(ctx context.Context, r *http.Request) (context.Context, oteltrace.Span) {
	if s.isProbe(r.URL.Path) {
		return ctx, noop.Span{}
	}
	return otel.Tracer(trace.Scope).Start(ctx, r.Method, oteltrace.WithSpanKind(oteltrace.SpanKindServer))
}

// endSpan ends the span of a call, under the name of its route.
func (c *call) endSpan(span oteltrace.Span, method string, status int) {
	name, route := c.route, ""
	if name != "" {
		_, route, _ = strings.Cut(name, " ")
	}
	span.SetName(cmp.Or(name, "no route"))
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
		attribute.Int("http.response.status_code", status), attribute.String("code", c.code), attribute.String("call_id", c.id))
	failure := ""
	if status >= http.StatusInternalServerError {
		failure = strconv.Itoa(status)
	}
	trace.End(span, failure)
}

// isProbe reports whether a path is a probe.
func (s *Server) isProbe(path string) bool {
	return slices.Contains(s.options.Open, path) && !slices.Contains(documents, path)
}

// loggedStatus returns the logged status of a call.
func (c *call) loggedStatus(status int) int {
	if status >= http.StatusInternalServerError && c.caller.Err() != nil {
		return hungUp
	}
	return status
}

// hasDisconnected reports whether the caller of ctx has closed the connection.
func hasDisconnected(ctx context.Context) bool { return callOf(ctx).caller.Err() != nil }

// objects returns the ids in the path of a known route, by the type of their object.
func (s *Server) objects(c echo.Context) (attrs []slog.Attr) {
	segments := strings.Split(c.Path(), "/")
	for i, name := range c.ParamNames() {
		if i >= len(c.ParamValues()) {
			break
		}
		at := slices.Index(segments, ":"+name)
		if at > 0 && s.options.Objects[segments[at-1]] != "" {
			name = s.options.Objects[segments[at-1]]
		}
		attrs = append(attrs, slog.String(name, truncate(c.ParamValues()[i])))
	}
	return attrs
}

// truncate returns the beginning of a text of the caller, for the log.
func truncate(s string) string {
	if len(s) > maxNoted {
		s = s[:maxNoted]
	}
	return strings.ToValidUTF8(s, "?")
}

// noteFindings adds the type and location of the first finding to the log of the call, without unknown
// names.
func noteFindings(ctx context.Context, details []Detail) {
	attrs := []slog.Attr{slog.String("reason", "unfit")}
	if len(details) > 0 {
		finding := details[0].Type
		for i, step := range details[0].Loc[:min(len(details[0].Loc), 2)] {
			if name, ok := step.(string); ok && (i == 0 || ofSchema(details[0], name)) {
				finding += " " + name
			}
		}
		attrs = append(attrs, slog.String("finding", finding))
	}
	oplog.Note(ctx, attrs...)
}

// ofSchema reports whether the name of a finding has the form of a member of a schema.
func ofSchema(d Detail, name string) bool {
	return d.Type != "extra_forbidden" && d.Type != string(strictjson.Duplicate) && len(name) <= 40 &&
		!strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '-' })
}

// logInternal logs an undeclared error of a handler, the only place with its text. A call out of time is
// 503, any other 500. After a closed connection the error is a consequence of that.
func (s *Server) logInternal(ctx context.Context, err error) {
	level, message := slog.LevelError, "call failed"
	switch {
	case hasDisconnected(ctx):
		level = slog.LevelDebug
	case ctx.Err() != nil:
		level, message = slog.LevelWarn, "call timed out"
	}
	s.options.Logger.LogAttrs(ctx, level, message, slog.String("error", err.Error()))
}
