package store

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

type stageRow struct {
	ID                     string `gorm:"primaryKey"`
	RequestID              string
	Ordinal                int
	StageKey, Name         string
	Run                    int
	Status                 wf.StageStatus
	ParallelGroup          string
	People, Excluded       string
	Need                   int
	Fallback               bool
	Tally, Skip, LastError string
	RetryMS                int64
	StartedMS, CompletedMS int64
}

func (stageRow) TableName() string { return "stage_run" }

var stageTable = tableOf[stageRow]()

func rowOfStage(requestID string, ordinal int, s wf.StageRun) (stageRow, error) {
	var c codec
	return stageRow{
		ID: s.ID, RequestID: requestID, Ordinal: ordinal, StageKey: s.Key, Name: s.Name, Run: s.Run,
		Status: s.Status, ParallelGroup: s.ParallelGroup, People: c.text(s.People), Excluded: c.text(s.Excluded),
		Need: s.Need, Fallback: s.Fallback, Tally: c.text(s.Count), Skip: c.text(s.Skip), LastError: printable(s.LastError),
		RetryMS: ms(s.RetryAt), StartedMS: ms(s.StartedAt), CompletedMS: ms(s.CompletedAt),
	}, c.err
}

func (r stageRow) stage() (wf.StageRun, error) {
	var c codec
	s := wf.StageRun{
		ID: r.ID, Key: r.StageKey, Name: r.Name, Run: r.Run, Status: r.Status, ParallelGroup: r.ParallelGroup,
		Need: r.Need, Fallback: r.Fallback, LastError: r.LastError,
		RetryAt: at(r.RetryMS), StartedAt: at(r.StartedMS), CompletedAt: at(r.CompletedMS),
	}
	c.read(r.People, &s.People)
	c.read(r.Excluded, &s.Excluded)
	c.read(r.Tally, &s.Count)
	c.read(r.Skip, &s.Skip)
	return s, failed(c.err, "read stage run %s", r.ID)
}

// DueResolutions returns the ids of requests with a stage to resolve whose time has
// come, those that wait longest first.
func (s *Store) DueResolutions(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var ids []string
	err := s.read(ctx).Raw(`SELECT request_id FROM stage_run WHERE status = 'resolving' AND retry_ms <= ?
		GROUP BY request_id ORDER BY min(retry_ms), request_id LIMIT ?`, ms(now), limit).Scan(&ids).Error
	return ids, failed(err, "list stages to resolve")
}

// candidateRow lets a person claim seats of a pool while it runs.
type candidateRow struct {
	StageRunID string `gorm:"primaryKey"`
	UserID     string `gorm:"primaryKey"`
	Rule       int    `gorm:"primaryKey;autoIncrement:false"`
	MandateID  string
}

func (candidateRow) TableName() string { return "stage_candidate" }

var candidateTable = tableOf[candidateRow]()

// candidatesOf returns who may claim seats of the run: nobody unless it is a pool
// that runs. So the table holds what is open and not the past.
func candidatesOf(s wf.StageRun) []candidateRow {
	if s.Need == 0 || s.Status != wf.StageActive && s.Status != wf.StageBlocked {
		return nil
	}
	var rows []candidateRow
	for _, person := range s.People {
		row := candidateRow{StageRunID: s.ID, UserID: person.ID, MandateID: person.ID}
		if person.OnBehalfOf != nil {
			row.MandateID = person.OnBehalfOf.ID
		}
		for _, row.Rule = range person.Rules {
			rows = append(rows, row)
		}
	}
	return rows
}

// putStages returns the statements that write the runs of after that are new or
// differ from before.
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
			stmts = append(stmts, stageTable.update(old, row, "")...)
			could = candidatesOf(before.Stages[i])
		} else {
			added = append(added, row)
		}
		if can := candidatesOf(run); !slices.Equal(could, can) {
			if could != nil {
				people = append(people, sqldb.Stmt{SQL: "DELETE FROM stage_candidate WHERE stage_run_id = ?", Args: []any{run.ID}})
			}
			people = append(people, candidateTable.insert("", can...)...)
		}
	}
	return slices.Concat(stmts, stageTable.insert("", added...), people), nil
}
