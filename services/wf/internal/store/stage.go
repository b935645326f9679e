package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// stageRow is a run of a stage, written on the hot path; see the package comment.
type stageRow struct {
	ID                     string `gorm:"primaryKey"`
	RequestID              string
	Ordinal                int
	StageKey, Name         string
	Run                    int
	Status                 wf.StageStatus
	ParallelGroup          string
	Approvers, Excluded    string
	Observers              string
	Minimums, Expressions  string
	Computed, Barred       string
	Former                 string
	Pool                   bool
	UnmetRules             int64
	Fallback               bool
	Tally, Skip, LastError string
	RetryMS                int64
	StartedMS, CompletedMS int64
	DueMS, TimerMS         int64
	OnDue                  policy.OnDue
	RemindedMS             int64
	DueRecorded            bool
	EscalatedMS            int64
}

func (stageRow) TableName() string { return "stage_run" }

var stageTable = sqldb.TableOf[stageRow]()

func rowOfStage(requestID string, ordinal int, s wf.StageRun) (stageRow, error) {
	var c codec
	row := stageRow{
		ID: s.ID, RequestID: requestID, Ordinal: ordinal, StageKey: s.Key, Name: s.Name, Run: s.Run,
		Status: s.Status, ParallelGroup: s.ParallelGroup, Approvers: c.text(s.People), Excluded: c.text(s.Excluded), Observers: c.text(s.Observers), Minimums: c.text(s.Minimums),
		Expressions: c.text(s.Names), Computed: c.text(s.Computed), Barred: c.text(s.Barred), Former: c.text(s.Former), Pool: s.Pool, UnmetRules: s.Unmet, Fallback: s.Fallback, Tally: c.text(s.Count), Skip: c.text(s.Skip), LastError: printable(s.LastError),
		RetryMS: ms(s.RetryAt), StartedMS: ms(s.StartedAt), CompletedMS: ms(s.CompletedAt),
		DueMS: ms(s.DueAt), OnDue: s.OnDue, TimerMS: ms(s.TimerAt), RemindedMS: ms(s.RemindedAt), DueRecorded: s.DueRecorded, EscalatedMS: ms(s.EscalatedAt),
	}
	return row, c.err
}

func (r stageRow) stage(c *codec) (wf.StageRun, error) {
	s := wf.StageRun{
		ID: r.ID, Key: r.StageKey, Name: r.Name, Run: r.Run, Status: r.Status, ParallelGroup: r.ParallelGroup,
		People: read[[]approver.Approver](c, r.Approvers), Excluded: read[[]approver.Exclusion](c, r.Excluded), Observers: read[[]identity.User](c, r.Observers),
		Minimums: read[[]int](c, r.Minimums), Names: read[map[string][]string](c, r.Expressions),
		Computed: read[policy.Computed](c, r.Computed), Barred: read[[]string](c, r.Barred), Former: read[[]string](c, r.Former),
		Count: read[quorum.Count](c, r.Tally), Skip: read[*wf.Skip](c, r.Skip),
		Pool: r.Pool, Unmet: r.UnmetRules, Fallback: r.Fallback, LastError: r.LastError,
		RetryAt: at(r.RetryMS), StartedAt: at(r.StartedMS), CompletedAt: at(r.CompletedMS),
		Clock: wf.Clock{
			DueAt: at(r.DueMS), OnDue: r.OnDue, TimerAt: at(r.TimerMS), RemindedAt: at(r.RemindedMS), DueRecorded: r.DueRecorded, EscalatedAt: at(r.EscalatedMS),
		},
	}
	return s, wrapError(c.err, "read stage run %s", r.ID)
}

// Stages returns at most limit ids of requests with a due stage retry, longest overdue first.
func (s Due) Stages(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&stageRow{}).Select("request_id").
		Where("retry_ms > 0 AND retry_ms <= ? AND status IN ('resolving', 'blocked')", ms(now)).
		Group("request_id").Order("min(retry_ms), request_id").Limit(limit), "list stages to retry")
}

// Deadlines returns at most limit ids of requests with due work of a deadline, longest due first.
func (s Due) Deadlines(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&stageRow{}).Select("request_id").
		Where("timer_ms > 0 AND timer_ms <= ?", ms(now)).
		Group("request_id").Order("min(timer_ms), request_id").Limit(limit), "list due deadlines")
}

// candidateRow allows a person to claim tasks of a running pool, for themself or as a delegate.
type candidateRow struct {
	StageRunID   string `gorm:"primaryKey"`
	UserID       string `gorm:"primaryKey"`
	PrincipalID  string `gorm:"primaryKey"`
	Rule         int    `gorm:"primaryKey;autoIncrement:false"`
	DelegationID sql.NullString
}

func (candidateRow) TableName() string { return "stage_candidate" }

var candidateTable = sqldb.TableOf[candidateRow]()

// candidatesOf returns the candidates of a running pool, and nil for other runs. The table
// therefore holds only open runs.
func candidatesOf(s wf.StageRun) []candidateRow {
	if !s.Pool || s.Status != wf.StageActive && s.Status != wf.StageBlocked {
		return nil
	}
	var rows []candidateRow
	for _, a := range s.People {
		if a.Ineligible {
			continue
		}
		for _, rule := range a.Rules {
			rows = append(rows, candidateRow{StageRunID: s.ID, UserID: a.ID, PrincipalID: a.ID, Rule: rule})
			if a.Delegate != nil {
				rows = append(rows, candidateRow{StageRunID: s.ID, UserID: a.Delegate.ID, PrincipalID: a.ID, Rule: rule, DelegationID: nullString(a.DelegationID)})
			}
		}
	}
	return rows
}

// putStages returns the statements that write new and changed runs of after.
func putStages(before, after wf.Request) ([]sqldb.Stmt, error) {
	var stmts, people []sqldb.Stmt
	var added []stageRow
	for i, run := range after.Stages {
		row, err := rowOfStage(after.ID, i, run)
		if err != nil {
			return nil, err
		}
		var could []candidateRow
		if i < len(before.Stages) {
			old, err := rowOfStage(before.ID, i, before.Stages[i])
			if err != nil {
				return nil, err
			}
			stmts = append(stmts, stageTable.Update(old, row, "")...)
			could = candidatesOf(before.Stages[i])
		} else {
			added = append(added, row)
		}
		if can := candidatesOf(run); !slices.Equal(could, can) {
			if could != nil {
				people = append(people, sqldb.Stmt{SQL: "DELETE FROM stage_candidate WHERE stage_run_id = ?", Args: []any{run.ID}})
			}
			people = append(people, candidateTable.Insert("", can...)...)
		}
	}
	return slices.Concat(stmts, stageTable.Insert("", added...), people), nil
}
