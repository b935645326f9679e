// Package otlp sends traces to a collector. It is apart from package trace because it
// links more than the rest of a service's libraries together.
package otlp

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
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/trace"
)

// flushTime is how long the spans that are left may take to leave when the service stops.
const flushTime = 3 * time.Second

// Start sends spans to a collector if the environment names one by the variables of
// OpenTelemetry, and returns what sends the last of them and stops. Without these
// variables it starts nothing.
//
// The collector is the operator's, so it is called as the SDK calls it, and not through
// the guard of what callers may have named.
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
	// The environment comes last: its name of the service counts.
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", service), attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	trace.Record(provider)
	log.Info("traces exported")
	return func() {
		trace.Record(nil)
		ctx, cancel := context.WithTimeout(context.Background(), flushTime)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("last traces not exported", "error", truncate(err))
		}
	}, nil
}

// isConfigured reads what the SDK leaves to programs: whether there is anything to do.
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

// failures logs what goes wrong with the export.
type failures struct {
	oplog.Throttle
	log *slog.Logger
}

func (f *failures) Handle(err error) {
	f.LogFailure(context.Background(), f.log, slog.LevelWarn, "traces are not sent", "error", truncate(err))
}

// truncate is the beginning of an error: it may quote what a collector answered.
func truncate(err error) string {
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), 300)], "")
}

// messages passes on what the SDK warns of, without its values: they may be headers with
// tokens.
type messages struct{ slog.Handler }

func (m messages) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= -1 && m.Handler.Enabled(ctx, slog.LevelWarn) // V(1) of logr is a warning
}

func (m messages) Handle(ctx context.Context, r slog.Record) error {
	warning := slog.NewRecord(r.Time, slog.LevelWarn, "a setting of traces is wrong, or a limit is reached; see the variables OTEL_…", r.PC)
	warning.AddAttrs(slog.String("what", r.Message))
	return m.Handler.Handle(ctx, warning)
}

func (m messages) WithAttrs([]slog.Attr) slog.Handler { return m }
func (m messages) WithGroup(string) slog.Handler      { return m }
