// Package heartbeat records the live processes of a service. Each process writes a row in the table
// process of the service's database every second. Leases of a dead process can be released before
// they expire, and the oldest live process leads.
package heartbeat

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
)

const (
	every = time.Second

	// A process whose last heartbeat is older than LivenessTimeout is treated as dead.
	LivenessTimeout = 5 * time.Second

	// kept is the retention of the row of a dead process, for diagnosis.
	kept = 10 * time.Minute

	// endLimit bounds the removal of the row when the process stops.
	endLimit = 2 * time.Second
)

// Alive selects the ids of the live processes. Its argument is LivenessCutoff(now).
const Alive = "SELECT id FROM process WHERE seen_ms > ?"

// LivenessCutoff returns the exclusive lower bound of a live process's last heartbeat, in Unix milliseconds.
func LivenessCutoff(now time.Time) int64 { return now.Add(-LivenessTimeout).UnixMilli() }

// row is a process of the service.
type row struct {
	ID        string `gorm:"primaryKey"`
	Host      string
	Version   string
	Works     bool // whether the process runs the jobs of the service
	StartedMS int64
	SeenMS    int64
}

func (row) TableName() string { return "process" }

var table = sqldb.TableOf[row]()

// Process writes the heartbeat row of one process.
type Process struct {
	db     *sqldb.DB
	row    row
	logger *slog.Logger
}

// New returns a Process with a new id. works reports whether it runs the jobs of the service. It writes nothing before
// Beat, Run or RunBeside.
func New(db *sqldb.DB, version string, works bool, logger *slog.Logger) *Process {
	host, _ := os.Hostname() // for diagnosis only
	id := uuid.Must(uuid.NewV7()).String()
	return &Process{db: db, row: row{ID: id, Host: host, Version: version, Works: works}, logger: logger}
}

// ID returns the id of the process. It is new at every start.
func (h *Process) ID() string { return h.row.ID }

// Leads reports whether the process is the oldest live one that runs jobs. For LivenessTimeout after a failure two
// processes can lead, so each pass of such a job must be safe beside another.
func (h *Process) Leads(ctx context.Context) (bool, error) {
	now, err := h.db.Now(ctx)
	if err != nil {
		return false, err
	}
	var older int64
	err = h.db.Read(ctx).Model(&row{}).
		Where("seen_ms > ? AND works AND id < ?", LivenessCutoff(now), h.row.ID).Count(&older).Error
	return older == 0, err
}

// Beat writes one heartbeat and deletes the rows of processes that died long ago.
func (h *Process) Beat(ctx context.Context) error {
	return h.db.Do(ctx, func(tx *sqldb.Tx) error {
		h.row.SeenMS = tx.Now().UnixMilli()
		if h.row.StartedMS == 0 {
			h.row.StartedMS = h.row.SeenMS
		}
		return tx.Batch(append(table.Insert(" ON CONFLICT (id) DO UPDATE SET seen_ms = excluded.seen_ms", h.row),
			sqldb.Stmt{SQL: "DELETE FROM process WHERE seen_ms < ?", Args: []any{tx.Now().Add(-kept).UnixMilli()}})...)
	})
}

// Run writes heartbeats until ctx ends, and then deletes the row.
func (h *Process) Run(ctx context.Context) error {
	return h.RunBeside(ctx, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	})
}

// RunBeside writes heartbeats until job returns, and then deletes the row. job must return when ctx
// ends and must leave no lease.
func (h *Process) RunBeside(ctx context.Context, job func(context.Context) error) error {
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	loop := daemon.Loop{Name: "heartbeat", Every: every, Logger: h.logger, Pass: func(ctx context.Context) (bool, error) {
		return false, h.Beat(ctx)
	}}
	stopped := make(chan error, 1)
	go func() { stopped <- loop.Run(beating) }()
	err := job(ctx)
	stop()
	err = errors.Join(err, <-stopped)
	h.deregister(ctx)
	return err
}

// deregister deletes the row. If the deletion fails, the row expires after LivenessTimeout.
func (h *Process) deregister(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	err := h.db.Do(ctx, func(tx *sqldb.Tx) error {
		return tx.Batch(sqldb.Stmt{SQL: "DELETE FROM process WHERE id = ?", Args: []any{h.row.ID}})
	})
	if err != nil {
		h.logger.WarnContext(ctx, "heartbeat row not deleted; it expires", "error", err)
	}
}
