package sqldb_test

import (
	"errors"
	"testing"

	"go.opentelemetry.io/otel"
	oteltrace "go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/trace/tracetest"
)

func TestEachTransactionIsAStepOfItsTrace(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		recorder := tracetest.Record(t)
		ctx, call := otel.Tracer(trace.Scope).Start(t.Context(), "call")
		nothing := func(*sqldb.Tx) error { return nil }
		_ = db.Do(ctx, func(tx *sqldb.Tx) error { return tx.Exec("SELECT 'canary'").Error })
		_ = db.Do(ctx, func(*sqldb.Tx) error { return errors.New("canary") })
		_ = db.Snapshot(ctx, func(*gorm.DB) error { return nil })
		_ = db.Do(t.Context(), nothing) // belongs to no trace
		call.End()
		spans := recorder.Spans("")
		if len(spans) != 4 {
			t.Fatalf("spans: %s", recorder.Text(""))
		}
		kind := "sqlite"
		if db.Postgres() {
			kind = "postgresql"
		}
		for i, want := range []struct{ name, committed string }{{"transaction", "true"}, {"transaction", "false"}, {"read-only transaction", "true"}} {
			s := spans[i]
			if s.Name != want.name || s.Attributes["committed"] != want.committed || s.Attributes["db.system.name"] != kind ||
				s.Failed || s.Trace != oteltrace.SpanContextFromContext(ctx).TraceID().String() {
				t.Errorf("span %d: %+v", i, s)
			}
		}
	})
}
