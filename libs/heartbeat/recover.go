package heartbeat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
)

// RecoverCommand begins a new generation after a loss of committed writes.
type RecoverCommand struct {
	daemon.DatabaseCommand
	NoDryRun bool `name:"no-dry-run" help:"Begin a new generation and release the held calls. Without it, print the loss."`
	Limit    int  `name:"limit" default:"1000" help:"Maximum number of printed writes and messages; 0 prints all."`
}

// Run prints the loss, and begins a new generation with --no-dry-run.
func (c *RecoverCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return BeginGeneration(ctx, db, c.NoDryRun, c.Limit)
	})
}

// BeginGeneration begins a new generation, unless dry, and describes the previous one with at most limit lost writes;
// 0 for all. The number of a generation is the time of its begin, so that it also differs from that of a generation that
// a backup does not contain. The list of a loss is kept until the recovery from the next one.
func BeginGeneration(ctx context.Context, db *sqldb.DB, begin bool, limit int) (done string, err error) {
	err = db.Do(ctx, func(tx *sqldb.Tx) error {
		var number, heldMS, listed, writes, sent int64
		var found string
		err := tx.Load(
			sqldb.Select{SQL: "SELECT number, held_ms, found FROM generation ORDER BY number DESC LIMIT 1", Each: func(scan func(...any) error) error {
				return scan(&number, &heldMS, &found)
			}},
			sqldb.Select{SQL: "SELECT generation, count(*), count(CASE WHEN sent THEN 1 END) FROM lost_write GROUP BY generation ORDER BY generation DESC LIMIT 1", Each: func(scan func(...any) error) error {
				return scan(&listed, &writes, &sent)
			}},
		)
		if err != nil {
			return err
		}
		number = max(number, 1)
		var list string
		if listed == number || heldMS == 0 {
			if list, err = formatLost(tx, listed, limit); err != nil {
				return err
			}
		}
		switch {
		case heldMS > 0:
			done = fmt.Sprintf("generation %d, outbound calls are held since %s: %s", number, time.UnixMilli(heldMS).UTC().Format(time.RFC3339), found)
		case list == "":
			done = fmt.Sprintf("generation %d, nothing is held", number)
		default:
			done = fmt.Sprintf("generation %d, nothing is held; the last loss was in generation %d", number, listed)
		}
		switch {
		case list != "":
			done += fmt.Sprintf("\n%d lost events, and %d messages and calls that were sent for lost events:\n%s", writes-sent, sent, list)
		case heldMS > 0:
			done += "\nno process has a lost event in memory, which ends with the process\n"
		default:
			done += "; "
		}
		if !begin {
			done += "--no-dry-run begins a new generation"
			return nil
		}
		next := max(number+1, tx.Now().Unix())
		done += fmt.Sprintf("generation %d begins", next)
		stmts := []sqldb.Stmt{{
			SQL: "INSERT INTO generation (number, started_ms, held_ms, found) VALUES (?, ?, 0, '')", Args: []any{next, tx.Now().UnixMilli()}, Want: 1,
		}}
		if heldMS > 0 {
			stmts = append(stmts, sqldb.Stmt{SQL: "DELETE FROM lost_write WHERE generation < ?", Args: []any{number}})
		}
		return tx.Batch(stmts...)
	})
	if err != nil {
		return "", err
	}
	return done, nil
}

// formatLost returns the lost writes of a generation by object, each with its messages.
func formatLost(tx *sqldb.Tx, generation int64, limit int) (string, error) {
	var text strings.Builder
	var last string
	n := 0
	err := tx.Load(sqldb.Select{
		SQL:  lostTable.From() + " WHERE generation = ? ORDER BY about, at_ms, sent, process, number",
		Args: []any{generation},
		Each: lostTable.Each(func(w lostWrite) {
			if n++; limit > 0 && n > limit {
				return
			}
			if w.About != last {
				last = w.About
				fmt.Fprintf(&text, "%s\n", w.About)
			}
			kind := "lost"
			if w.Sent {
				kind = "sent"
			}
			fmt.Fprintf(&text, "  %s %s %s\n", time.UnixMilli(w.AtMS).UTC().Format("2006-01-02T15:04:05.000Z"), kind, w.Description)
		}),
	})
	if limit > 0 && n > limit {
		fmt.Fprintf(&text, "and %d more; --limit=0 prints all\n", n-limit)
	}
	return text.String(), err
}
