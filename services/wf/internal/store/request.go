package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// openStatus is true of a request that is not final.
const openStatus = "status IN ('in_review', 'blocked', 'changes_requested')"

// overdue is true of a request that is not final although its time is over by a time in
// milliseconds. See wf.Request.AsOf.
const overdue = "(request.expires_ms > 0 AND request.expires_ms <= ? AND request." + openStatus + ")"

// requestRow is a request without what hangs on it. It is hot: see the package.
type requestRow struct {
	ID                                           string `gorm:"primaryKey"`
	PolicyKey                                    string
	PolicyVersion                                int
	Status                                       wf.RequestStatus
	StatusReason                                 string
	ArtifactType, ArtifactID, Title, Link        string
	FoldedTitle, FoldedArtifactID                string
	Priority                                     wf.Priority
	Labels                                       string
	Comment, Attachments                         string
	CallbackURL                                  string
	Context, ContextHash                         string
	Revision                                     int
	RequesterID, Requester                       string
	SubmittedByID, SubmittedBy                   string
	OneOpen, Warned                              bool
	ExpiresMS, CreatedMS, UpdatedMS, CompletedMS int64
	ChainSeq                                     int64
	ChainHash                                    string
	Rev                                          int64
}

var requestTable = sqldb.TableOf[requestRow]()

func rowOfRequest(r wf.Request) (requestRow, error) {
	var c codec
	row := requestRow{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion,
		Status: r.Status, StatusReason: c.text(r.StatusReason),
		ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, Title: r.Title, Link: r.Link,
		FoldedTitle: fold(r.Title), FoldedArtifactID: fold(r.ArtifactID),
		Priority: r.Priority, Labels: c.labels(r.Labels), Comment: r.Comment, Attachments: c.text(r.Attachments), CallbackURL: r.CallbackURL,
		Context: string(r.Context), ContextHash: r.ContextHash, Revision: r.Revision,
		RequesterID: r.Requester.ID, Requester: c.text(r.Requester),
		SubmittedByID: r.SubmittedBy.ID, SubmittedBy: c.text(r.SubmittedBy),
		OneOpen: r.OneOpen, Warned: r.Warned, CreatedMS: ms(r.CreatedAt), UpdatedMS: ms(r.UpdatedAt), CompletedMS: ms(r.CompletedAt),
		ChainSeq: r.Chain.Seq, ChainHash: r.Chain.Hash, Rev: r.Rev,
	}
	if r.ExpiresAt != nil {
		row.ExpiresMS = ms(*r.ExpiresAt)
	}
	return row, c.err
}

func (row requestRow) request(c *codec) (wf.Request, error) {
	r := wf.Request{
		ID: row.ID, PolicyKey: row.PolicyKey, PolicyVersion: row.PolicyVersion, Status: row.Status,
		ArtifactType: row.ArtifactType, ArtifactID: row.ArtifactID, Title: row.Title, Link: row.Link,
		Priority: row.Priority, Labels: c.readLabels(row.Labels), Comment: row.Comment, CallbackURL: row.CallbackURL,
		ContextHash: row.ContextHash, Revision: row.Revision, OneOpen: row.OneOpen, Warned: row.Warned,
		CreatedAt: at(row.CreatedMS), UpdatedAt: at(row.UpdatedMS), CompletedAt: at(row.CompletedMS),
		Chain: wf.Chain{Seq: row.ChainSeq, Hash: row.ChainHash}, Rev: row.Rev,
	}
	if row.Context != "" {
		r.Context = []byte(row.Context)
	}
	if row.ExpiresMS != 0 {
		ends := at(row.ExpiresMS)
		r.ExpiresAt = &ends
	}
	r.StatusReason, r.Attachments = read[*wf.StatusReason](c, row.StatusReason), read[[]wf.Attachment](c, row.Attachments)
	r.Requester, r.SubmittedBy = c.user(row.Requester), c.user(row.SubmittedBy)
	return r, failed(c.err, "read request %s", row.ID)
}

// participantRow is one person with a part in a request.
type participantRow struct {
	UserID    string `gorm:"primaryKey"`
	RequestID string `gorm:"primaryKey"`

	PolicyKey, ArtifactType string `gorm:"primaryKey"` // of the request, like the time
	CreatedMS               int64  `gorm:"primaryKey;autoIncrement:false"`

	Asked   bool  // is or was assignee, candidate, delegate or delegator
	LeftSeq int64 // seq of the event by which they lost their part; 0 while they have it
}

var participantTable = sqldb.TableOf[participantRow]()

// putParticipants returns the statements that write the parts that differ: those that are new, lost, or regained.
func putParticipants(before, after wf.Request) []sqldb.Stmt {
	was, is := before.Parts(), after.Parts()
	for id := range was {
		if _, named := is[id]; !named { // a delegate whose task returned
			is[id] = wf.Part{}
		}
	}
	var rows []participantRow
	for _, id := range slices.Sorted(maps.Keys(is)) {
		part := is[id]
		if old, known := was[id]; known && old == part {
			continue
		}
		row := participantRow{
			UserID: id, RequestID: after.ID, PolicyKey: after.PolicyKey, ArtifactType: after.ArtifactType, CreatedMS: ms(after.CreatedAt), Asked: part.Asked,
		}
		if !part.Present {
			row.LeftSeq = after.Chain.Seq
		}
		rows = append(rows, row)
	}
	return participantTable.Insert(` ON CONFLICT (user_id, policy_key, artifact_type, created_ms, request_id)
		DO UPDATE SET asked = participant.asked OR excluded.asked, left_seq = excluded.left_seq`, rows...)
}

// ErrArtifactTaken refuses a request for an artifact that another open request holds.
var ErrArtifactTaken = wf.Refuse(wf.WrongState, "another request for this artifact is open")

// AddRequest writes a new request with its stages, tasks and decisions, the events
// and deliveries of its start, and, unless it is nil, the reply for the idempotency
// key that Start has claimed. If another open request holds the artifact it is
// refused with ErrArtifactTaken.
func (tx *Tx) AddRequest(r wf.Request, events []wf.Event, deliveries []outbox.Delivery, reply *KeyReply) error {
	row, err := rowOfRequest(r)
	if err != nil {
		return failed(err, "add request %s", r.ID)
	}
	return tx.putRequest(requestTable.Insert("", row), wf.Request{}, r, events, deliveries, reply)
}

// PutRequest turns before, as it was read, into after: it writes what differs, the
// events and deliveries, and the reply as in AddRequest. Runs and tasks keep their
// places; a transition only adds to them. If somebody was first, or a seat is
// given twice, it is refused with wf.WrongState.
func (tx *Tx) PutRequest(before, after wf.Request, events []wf.Event, deliveries []outbox.Delivery, reply *KeyReply) error {
	old, err := rowOfRequest(before)
	if err != nil {
		return failed(err, "write request %s", after.ID)
	}
	now, err := rowOfRequest(after)
	if err != nil {
		return failed(err, "write request %s", after.ID)
	}
	return tx.putRequest(requestTable.Update(old, now, "rev = ?", before.Rev), before, after, events, deliveries, reply)
}

// putRequest writes what hangs on a request after the request's own row.
func (tx *Tx) putRequest(batch []sqldb.Stmt, before, after wf.Request, events []wf.Event, deliveries []outbox.Delivery, reply *KeyReply) error {
	var err error
	add := func(stmts []sqldb.Stmt, failure error) {
		batch = append(batch, stmts...)
		err = errors.Join(err, failure)
	}
	add(putParticipants(before, after), nil)
	add(addRevision(before, after), nil)
	add(putStages(before, after))
	add(putTasks(before, after))
	add(tx.putInbox(before, after), nil)
	add(tx.addEvents(after.ID, events), nil)
	add(tx.Outbox.Add(deliveries), nil)
	if reply != nil {
		batch = append(batch, reply.stmt())
	}
	if tx.IsLast() {
		batch = append(batch, tx.putPeople()...)
	}
	if err == nil && len(batch) > 0 {
		err = conflict(tx.Batch(batch...), after)
	}
	return failed(err, "write request %s", after.ID)
}

// conflict turns the violations that a caller can cause into refusals. SQLite names
// the columns of an index, PostgreSQL the index.
func conflict(err error, r wf.Request) error {
	if errors.Is(err, sqldb.ErrRowCount) {
		return wf.Refuse(wf.WrongState, "request %s has just been changed", r.ID)
	}
	switch name, _ := sqldb.IsUnique(err); name {
	case "request_one_open", "request.policy_key, request.artifact_type, request.artifact_id":
		return ErrArtifactTaken
	case "task_seat", "task.stage_run_id, task.seat":
		return wf.Refuse(wf.WrongState, "a seat of request %s is taken", r.ID)
	case "task_person", "task.stage_run_id, task.assignee_id":
		return wf.Refuse(wf.WrongState, "a person would hold two seats of one stage of request %s", r.ID)
	case "decision_task", "decision.task_id":
		return wf.Refuse(wf.WrongState, "a task of request %s is decided already", r.ID)
	default:
		return err
	}
}

// requestRows is a request in rows.
type requestRows struct {
	request requestRow
	stages  []stageRow
	tasks   []decidedTask
}

// selects returns the queries for a request, which append to r: the row first, so that lock, when it is
// a FOR UPDATE, guards the others.
func (r *requestRows) selects(lock string, ref RequestRef) []sqldb.Select {
	which, args := ref.which, []any{ref.id}
	return []sqldb.Select{
		{
			SQL: requestTable.From() + " WHERE id = " + which + lock, Args: args,
			Each: requestTable.Each(func(row requestRow) { r.request = row }),
		},
		{
			SQL: stageTable.From() + " WHERE request_id = " + which + " ORDER BY ordinal", Args: args,
			Each: stageTable.Each(func(row stageRow) { r.stages = append(r.stages, row) }),
		},
		tasksWhere(&r.tasks, "request_id = "+which+" ORDER BY ordinal", args...),
	}
}

// RequestRef says which request is meant.
type RequestRef struct {
	which   string // an expression for its id
	id      string
	unknown error
}

// ByID means the request with this id.
func ByID(id string) RequestRef {
	return RequestRef{"?", id, wf.Refuse(wf.RequestNotFound, "no request %s", id)}
}

// ByTask means the request that the task with this id belongs to.
func ByTask(id string) RequestRef {
	return RequestRef{"(SELECT t.request_id FROM task t WHERE t.id = ?)", id, wf.Refuse(wf.TaskNotFound, "no task %s", id)}
}

// value is the request; the caller has seen that there is one.
func (r *requestRows) value() (wf.Request, error) {
	var c codec
	req, err := r.request.request(&c)
	if err != nil {
		return req, err
	}
	if req.Stages, err = all(&c, r.stages, stageRow.stage); err != nil {
		return req, err
	}
	req.Tasks, err = all(&c, r.tasks, decidedTask.task)
	return req, err
}

// Request loads a request with its stages and tasks and locks it, and with it all
// that is under it.
func (tx *Tx) Request(ref RequestRef) (wf.Request, error) {
	locked, err := tx.ClaimRequest(nil, ref)
	return locked.Request, err
}

// Locked is a request that is locked; or the reply to an operation that was done before,
// and is not to be done again.
type Locked struct {
	Request wf.Request
	Replay  *Reply
	Reused  bool // the key was used with another body
}

// ClaimRequest claims a key, unless it is nil, and loads and locks a request like Request,
// in one round trip. If the key was used before, the stored reply is returned, or that the
// body was another. It waits for a running transaction with the same key.
func (tx *Tx) ClaimRequest(key *Key, ref RequestRef) (locked Locked, err error) {
	if !isID(ref.id) {
		return locked, ref.unknown
	}
	claimed := 1
	var rows requestRows
	selects := append(rows.selects(" FOR UPDATE", ref), tx.Outbox.Version())
	if key != nil {
		claimed = 0
		selects = slices.Insert(selects, 0, key.claim(&claimed))
	}
	if err := key.twin(tx.Load(selects...)); err != nil {
		return locked, failed(err, "load request %s", ref.id)
	}
	switch {
	case claimed == 0:
		locked.Replay, locked.Reused, err = tx.stored(*key)
	case rows.request.ID == "":
		err = ref.unknown
	default:
		locked.Request, err = rows.value()
	}
	return locked, err
}

// ReadRequest returns a request with its stages and tasks, all as of one moment, and that
// moment.
func (s *Store) ReadRequest(ctx context.Context, ref RequestRef) (r wf.Request, now time.Time, err error) {
	r, _, now, err = s.ReadRequestAs(ctx, ref, "")
	return r, now, err
}

// ReadRequestAs is ReadRequest, with the part of a person in the request.
func (s *Store) ReadRequestAs(ctx context.Context, ref RequestRef, user string) (r wf.Request, part Part, now time.Time, err error) {
	if !isID(ref.id) {
		return r, part, now, ref.unknown
	}
	var rows requestRows
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		tx.Last()
		selects := rows.selects("", ref)
		if user != "" {
			selects = append(selects, partOf(user, ref, &part))
		}
		err := tx.Load(selects...)
		now = tx.Now()
		return err
	})
	switch {
	case err != nil:
		return r, part, now, failed(err, "load request %s", ref.id)
	case rows.request.ID == "":
		return r, part, now, ref.unknown
	}
	r, err = rows.value()
	return r, part, now, err
}

// ExpiredRequests returns the ids of open requests whose time is over, those that
// are over longest first.
func (s *Store) ExpiredRequests(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var ids []string
	err := s.db.Read(ctx).Model(&requestRow{}).Where("expires_ms > 0 AND expires_ms <= ? AND "+openStatus, ms(now)).
		Order("expires_ms").Limit(limit).Pluck("id", &ids).Error
	return ids, failed(err, "list expired requests")
}

// OpenVersions lists the versions of policies that requests follow which are not over.
func (s *Store) OpenVersions(ctx context.Context) ([]VersionID, error) {
	var versions []VersionID
	err := s.db.Read(ctx).Raw("SELECT DISTINCT policy_key, policy_version AS number FROM request WHERE " + openStatus).Scan(&versions).Error
	return versions, failed(err, "list the versions that open requests follow")
}

// RequestsToSweep lists the requests that are blocked, that are in review under one of some
// versions, or in which one of some people has something to do, in the order of their ids
// from the one after a given id on, and at most limit of them.
func (s *Store) RequestsToSweep(ctx context.Context, versions []VersionID, people []string, after string, limit int) ([]string, error) {
	after = cmp.Or(after, firstID)
	args := []any{after, after}
	for _, v := range versions {
		args = append(args, v.PolicyKey, v.Number)
	}
	args = append(args, people, after, people, after, limit)
	return ids(s.db.Read(ctx).Raw(`SELECT id FROM request WHERE status = 'blocked' AND id > ?
		UNION SELECT id FROM request WHERE status = 'in_review' AND id > ?
			AND (policy_key, policy_version) IN (VALUES ('', 0)`+strings.Repeat(", (?, CAST(? AS integer))", len(versions))+`)
		UNION SELECT request_id FROM inbox WHERE user_id IN ? AND request_id > ?
		UNION SELECT run.request_id FROM stage_candidate c JOIN stage_run run ON run.id = c.stage_run_id WHERE c.user_id IN ? AND run.request_id > ?
		ORDER BY 1 LIMIT ?`, args...), "list requests to sweep")
}
