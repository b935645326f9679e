package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// maxLogged bounds the logged text of a statement, in bytes.
const maxLogged = 300

// slowStatement is the duration from which a statement is logged.
const slowStatement = 500 * time.Millisecond

// gormLog logs statements of gorm without the values of their arguments, and counts their errors.
type gormLog struct {
	logger.Interface // discards the other messages, which repeat returned errors
	db               *DB
}

// LogMode returns g: the level is that of slog.
func (g gormLog) LogMode(logger.LogLevel) logger.Interface { return g }

// Trace counts an error. It logs slow statements, and failed ones at level debug, because the caller logs the
// returned error.
func (g gormLog) Trace(ctx context.Context, begin time.Time, statement func() (string, int64), err error) {
	took := time.Since(begin)
	_ = g.db.countError(err)
	level := slog.LevelWarn
	if took < slowStatement {
		if err == nil || errors.Is(err, gorm.ErrRecordNotFound) {
			return
		}
		level = slog.LevelDebug
	}
	if !g.db.log.Enabled(ctx, level) {
		return
	}
	query, rows := statement()
	if len(query) > maxLogged {
		query = strings.ToValidUTF8(query[:maxLogged], "") + "…"
	}
	attrs := []slog.Attr{
		slog.String("sql", query), slog.Int64("rows", rows), slog.String("took", took.Round(time.Millisecond).String()),
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	g.db.log.LogAttrs(ctx, level, "database statement", attrs...)
}

// ParamsFilter removes the argument values.
func (g gormLog) ParamsFilter(_ context.Context, query string, _ ...any) (string, []any) {
	return query, nil
}
