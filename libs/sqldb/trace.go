package sqldb

import (
	"log/slog"

	"github.com/countersign/countersign/libs/trace"
)

// system is the database as traces name it.
func (db *DB) system() string {
	if db.Postgres() {
		return "postgresql"
	}
	return "sqlite"
}

// endSpan ends the span of a transaction. One that is rolled back because its caller is
// refused has not failed.
func endSpan(span trace.Span, committed bool, err error) {
	span.Set(slog.Bool("committed", committed))
	failure := errorKind(err)
	if failure == "other" || failure == "conflict" {
		failure = ""
	}
	span.End(failure)
}
