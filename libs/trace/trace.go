// Package trace sets up the export of traces by OpenTelemetry, and stores and propagates the trace of a call as a
// W3C traceparent. Spans are made with OpenTelemetry itself.
package trace

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/countersign/countersign/libs/oplog"
)

// flushTime is the time limit for the export of the last spans at shutdown.
const flushTime = 3 * time.Second

// Start exports spans to the collector that the environment variables of OpenTelemetry configure. stop
// exports the last spans and ends the export. Without these variables Start does nothing.
//
// The operator configures the collector, so its address is exempt from the egress policy.
func Start(ctx context.Context, service, version string, log *slog.Logger) (stop func(), err error) {
	if on, err := isConfigured(); err != nil || !on {
		return func() {}, err
	}
	otel.SetLogger(logr.FromSlogHandler(messages{log.Handler()}))
	otel.SetErrorHandler(&failures{log: log})
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_…: %w", err)
	}
	// The environment is last, so that its service name has precedence.
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", service), attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	otel.SetTracerProvider(provider)
	log.Info("traces exported")
	return func() {
		otel.SetTracerProvider(noop.NewTracerProvider())
		ctx, cancel := context.WithTimeout(context.Background(), flushTime)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("last traces not exported", "error", truncate(err))
		}
	}, nil
}

// isConfigured reports whether the environment configures an export; the SDK does not check it.
func isConfigured() (bool, error) {
	if strings.EqualFold(strings.TrimSpace(os.Getenv("OTEL_SDK_DISABLED")), "true") {
		return false, nil
	}
	switch exporter := strings.TrimSpace(os.Getenv("OTEL_TRACES_EXPORTER")); exporter {
	case "":
		return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "", nil
	case "none":
		return false, nil
	case "otlp":
		return true, nil
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER: %q is not one of otlp and none", exporter)
	}
}

// failures logs the errors of the export.
type failures struct {
	oplog.Throttle
	log *slog.Logger
}

func (f *failures) Handle(err error) {
	f.LogFailure(context.Background(), f.log, slog.LevelWarn, "traces not exported", "error", truncate(err))
}

// truncate returns the beginning of an error, which can contain the response of a collector.
func truncate(err error) string {
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), 300)], "")
}

// messages logs the warnings of the SDK without their values, which can be headers with tokens.
type messages struct{ slog.Handler }

func (m messages) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= -1 && m.Handler.Enabled(ctx, slog.LevelWarn) // V(1) of logr is a warning
}

func (m messages) Handle(ctx context.Context, r slog.Record) error {
	warning := slog.NewRecord(r.Time, slog.LevelWarn, "invalid trace setting or exceeded limit; check the variables OTEL_…", r.PC)
	warning.AddAttrs(slog.String("warning", r.Message))
	return m.Handler.Handle(ctx, warning)
}

func (m messages) WithAttrs([]slog.Attr) slog.Handler { return m }
func (m messages) WithGroup(string) slog.Handler      { return m }

// Scope is the name of the tracer of this repository.
const Scope = "github.com/countersign/countersign"

// Tracer returns the tracer of the span of ctx. Without one its spans are not recorded: background work makes no
// trace of its own.
func Tracer(ctx context.Context) trace.Tracer {
	return trace.SpanFromContext(ctx).TracerProvider().Tracer(Scope)
}

// End ends a span. failure is the reason of a failure, one of a few words; empty for a success.
func End(span trace.Span, failure string) {
	if failure != "" {
		span.SetAttributes(attribute.String("error.type", failure))
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// Header is the header and the key of a traceparent.
const Header = "traceparent"

// Resume continues the trace of a traceparent. An invalid one is ignored.
func Resume(ctx context.Context, traceparent string) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{Header: traceparent})
}

// Parent returns the traceparent of the span of ctx; empty without a trace.
func Parent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[Header]
}
