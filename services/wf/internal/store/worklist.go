package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// worklistLimit bounds the tasks that a worklist reads; tests lower it.
var worklistLimit = wf.MaxWorklist

// worklistRow is an inbox entry with the columns of its request that a worklist shows, sorts and searches.
type worklistRow struct {
	TaskID, RequestID             string
	Role                          wf.InboxRole
	Urgency, CreatedMS, DueMS     int64
	PolicyKey                     string
	PolicyVersion                 int
	ContextHash                   string
	ExpiresMS                     int64
	FoldedTitle, FoldedArtifactID string
	Document                      string // with a text in the filter
}

// Worklist reads the tasks of a list in no particular order, at most wf.MaxWorklist: of more tasks those that are
// first by due date, by age, or by priority. It reports whether there are more, and the time of the read. It applies
// neither the text nor the due dates of the filter; see Matches.
func (s *Store) Worklist(ctx context.Context, f wf.WorklistFilter) (rows []WorklistRow, more bool, now time.Time, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		now = tx.Now()
		var found []worklistRow
		if err := worklistQuery(tx.DB, f, now).Find(&found).Error; err != nil {
			return err
		}
		if more = len(found) > worklistLimit; more {
			found = found[:worklistLimit]
		}
		rows = make([]WorklistRow, len(found))
		var ids []string
		for i, row := range found {
			if rows[i], err = row.row(); err != nil {
				return err
			}
			ids = append(ids, rows[i].requester.ID)
		}
		people, err := knownPeople(tx.DB, ids)
		for i := range rows {
			if known, ok := people[rows[i].requester.ID]; ok {
				rows[i].requester = known
			}
		}
		return err
	})
	return rows, more, now, wrapError(err, "read the worklist of a user")
}

// worklistQuery returns the query for the first tasks of a list. Each part has the order of an index.
func worklistQuery(db *gorm.DB, f wf.WorklistFilter, now time.Time) *gorm.DB {
	all := cond("inbox.request_id NOT IN "+overdueRequests, ms(now))
	all = allOf(all, cond("inbox.policy_key = ?", printable(f.PolicyKey)).when(f.PolicyKey != ""),
		cond("inbox.created_ms <= ?", ms(f.Until)).when(!f.Until.IsZero()))
	own, delegated := inboxScans(f.User, f.Role, f.Delegations)
	role := "role"
	part := func(in scan, order string) *gorm.DB {
		return db.Table("inbox").Select("task_id, request_id, "+role+" AS role, urgency, created_ms, due_ms").
			Where(in.where, in.args...).Order(order).Limit(worklistLimit + 1)
	}
	var parts []*gorm.DB
	order := "urgency, created_ms, task_id"
	for i, in := range append(own, delegated...) {
		if in = allOf(in, all); i == len(own) {
			role = "'" + string(wf.InboxDelegate) + "'"
		}
		switch f.Sort {
		case wf.ByDueDate:
			parts = append(parts, part(in.intersect("inbox.due_ms > 0"), "due_ms, created_ms, task_id"),
				part(in.intersect("inbox.due_ms = 0"), order))
		case wf.ByAge:
			for _, one := range splitScans([]scan{in}, "inbox.urgency", []int64{0, 1, 2, 3}) {
				parts = append(parts, part(one, "created_ms, task_id"))
			}
		default:
			parts = append(parts, part(in, order))
		}
	}
	order = "merged.urgency, merged.created_ms, merged.task_id"
	switch f.Sort {
	case wf.ByDueDate:
		order = "CASE WHEN merged.due_ms = 0 THEN 1 ELSE 0 END, merged.due_ms, " + order
	case wf.ByAge:
		order = "merged.created_ms, merged.task_id"
	}
	document := "'{}' AS document"
	if f.Q != "" { // documents are slow to read
		document = "request.document"
	}
	first := union(db, parts, len(delegated) > 0).Select("merged.*").Order(order).Limit(worklistLimit + 1)
	return db.Table("(?) AS merged JOIN request ON request.id = merged.request_id", first).Select(`merged.*, request.policy_key,
		request.policy_version, request.context_hash, request.expires_ms, request.folded_title,
		request.folded_artifact_id, ` + document).Order(order)
}

// WorklistRow is a row of a worklist with the texts that a search reads.
type WorklistRow struct {
	wf.WorklistRow
	title, artifact string // folded
	requester       identity.User
}

func (row worklistRow) row() (WorklistRow, error) {
	var r struct {
		Requester     identity.User     `json:"requester"`
		SummaryValues []json.RawMessage `json:"summary_values"`
	}
	err := json.Unmarshal([]byte(row.Document), &r)
	return WorklistRow{
		WorklistRow: wf.WorklistRow{
			TaskID: row.TaskID, RequestID: row.RequestID, Role: row.Role, PolicyKey: row.PolicyKey, PolicyVersion: row.PolicyVersion,
			ContextHash: row.ContextHash, Urgency: row.Urgency, CreatedAt: at(row.CreatedMS), DueAt: at(row.DueMS), EndsAt: at(row.ExpiresMS),
			SummaryValues: r.SummaryValues,
		},
		title: row.FoldedTitle, artifact: row.FoldedArtifactID, requester: r.Requester,
	}, err
}

// Matches reports whether the title, the requester, the artifact id or a summary value of a request contains a text,
// in any case, or its id or that of the task begins with it.
func (row WorklistRow) Matches(text string) bool {
	text = fold(strings.TrimSpace(text))
	contains := func(value string) bool { return strings.Contains(value, text) }
	if contains(row.title) || contains(row.artifact) || strings.HasPrefix(row.RequestID, text) || strings.HasPrefix(row.TaskID, text) {
		return true
	}
	u := row.requester
	if slices.ContainsFunc([]string{u.Name, u.Username, u.Email, u.ID}, func(name string) bool { return contains(fold(name)) }) {
		return true
	}
	digits := strings.NewReplacer(",", "", " ", "", "\u00a0", "", "\u202f", "").Replace(text) // as pages group them
	return slices.ContainsFunc(row.SummaryValues, func(value json.RawMessage) bool {
		said := fold(factText(value))
		return contains(said) && said != "" || digits != "" && value[0] != '"' && strings.Contains(said, digits)
	})
}

// factText returns a summary value as text; empty for none.
func factText(value json.RawMessage) string {
	var text string
	var money struct {
		Amount   json.Number
		Currency string
	}
	switch {
	case string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &money) == nil:
		return money.Amount.String() + " " + money.Currency
	default:
		return string(value)
	}
}

// TaskItems loads tasks in the order of their ids, as of a time. Absent tasks are left out.
func (s *Store) TaskItems(ctx context.Context, ids []string, now time.Time) (items []wf.TaskItem, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		var found []taskKey
		which, arg := sqldb.Among(tx.DB, "id", ids)
		if err := tx.Table("task").Select("id", "request_id").Where(which, arg).Scan(&found).Error; err != nil {
			return err
		}
		keys, places := make([]taskKey, len(ids)), placesOf(ids)
		for _, k := range found {
			keys[places[k.ID]] = k
		}
		items, err = taskItems(tx.DB, slices.DeleteFunc(keys, func(k taskKey) bool { return k.ID == "" }), now)
		return err
	})
	return items, wrapError(err, "load tasks")
}

// SentBack returns the requests of a requester that wait for changes, the latest first, without their content.
func (s *Store) SentBack(ctx context.Context, requester string, limit int) (list []wf.Request, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		found, err := ids(tx.Model(&requestRow{}).Select("id").
			Where("requester_id = ? AND status = 'changes_requested' AND NOT "+overdue, printable(requester), ms(tx.Now())).
			Order("updated_ms DESC, id DESC").Limit(limit), "find requests that were sent back")
		if err != nil {
			return err
		}
		requests, err := requestsByID(tx.DB, found)
		for _, id := range found {
			list = append(list, requests[id])
		}
		return err
	})
	return list, wrapError(err, "list the requests that were sent back")
}
