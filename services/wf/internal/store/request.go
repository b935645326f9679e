package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// openStatus selects requests in a status that is not final.
const openStatus = "status IN ('in_review', 'blocked', 'changes_requested')"

// overdue selects requests that have expired by a time in milliseconds and whose status is not
// final. See wf.Request.AsOf.
const overdue = "(request.expires_ms > 0 AND request.expires_ms <= ? AND request." + openStatus + ")"

// lapsed selects approvals that have lapsed by a time in milliseconds and are stored as in force. See
// wf.Request.AsOf.
const lapsed = "(request.standing_ms > 0 AND request.standing_ms <= ?)"

// requestRow is a request without its dependent rows, written on the hot path; see the package
// comment.
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
	Summary                                      string // JSON; empty without settings.summary
	Revision                                     int
	RequesterID, Requester                       string
	SubmittedByID, SubmittedBy                   string
	Acting                                       string // JSON; empty if the submitter acted
	OneOpen, ExpiryNotified                      bool
	ExpiresMS, CreatedMS, UpdatedMS, CompletedMS int64 // ExpiresMS is the earliest end
	LimitMS                                      int64 // expiry if it is not ExpiresMS; 0 for none
	ChainSeq                                     int64
	ChainHash                                    string
	Rev                                          int64

	// Standing is empty while the approval is pending or in force.
	Standing           wf.Standing
	ValidFromMS        int64
	ValidUntilMS       int64
	ValidFor           policy.Duration
	StandingMS         int64 // when an approval lapses; 0 for never
	LapseNotified      bool
	EndedMS            int64
	EndedByID, EndedBy string
	EndReason          string
}

// sameEnd is the LimitMS of a request that ends at its expiry.
const sameEnd = -1

var requestTable = sqldb.TableOf[requestRow]()

func rowOfRequest(r wf.Request) (requestRow, error) {
	var c codec
	row := requestRow{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion,
		Status: r.Status, StatusReason: c.text(r.StatusReason),
		ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, Title: r.Title, Link: r.Link,
		FoldedTitle: fold(r.Title), FoldedArtifactID: fold(r.ArtifactID),
		Priority: r.Priority, Labels: c.labels(r.Labels), Comment: r.Comment, Attachments: c.text(r.Attachments), CallbackURL: r.CallbackURL,
		Context: string(r.Context), ContextHash: r.ContextHash, Summary: c.text(r.SummaryValues), Revision: r.Revision,
		RequesterID: r.Requester.ID, Requester: c.text(r.Requester),
		SubmittedByID: r.SubmittedBy.ID, SubmittedBy: c.text(r.SubmittedBy),
		Acting:  c.text(r.Acting),
		OneOpen: r.OneOpen, ExpiryNotified: r.Warned, CreatedMS: ms(r.CreatedAt), UpdatedMS: ms(r.UpdatedAt), CompletedMS: ms(r.CompletedAt),
		ChainSeq: r.Chain.Seq, ChainHash: r.Chain.Hash, Rev: r.Rev,
	}
	if r.ExpiresAt != nil {
		row.ExpiresMS = ms(*r.ExpiresAt)
	}
	row.LimitMS = sameEnd
	if !r.DueEnd.IsZero() {
		row.ExpiresMS, row.LimitMS = ms(r.DueEnd), row.ExpiresMS
	}
	row.ValidFromMS, row.ValidUntilMS, row.ValidFor, row.LapseNotified = ms(r.ValidFrom), ms(r.ValidUntil), r.ValidFor, r.LapseWarned
	switch r.Standing {
	case "":
	case wf.StandingPending, wf.StandingInForce:
		row.StandingMS = row.ValidUntilMS
	default:
		row.Standing, row.EndedMS, row.EndedBy, row.EndReason = r.Standing, ms(r.EndedAt), c.text(r.EndedBy), r.EndReason
		row.EndedByID = userID(r.EndedBy)
	}
	return row, c.err
}

func (row requestRow) request(c *codec) (wf.Request, error) {
	r := wf.Request{
		ID: row.ID, PolicyKey: row.PolicyKey, PolicyVersion: row.PolicyVersion, Status: row.Status,
		ArtifactType: row.ArtifactType, ArtifactID: row.ArtifactID, Title: row.Title, Link: row.Link,
		Priority: row.Priority, Labels: c.readLabels(row.Labels), Comment: row.Comment, CallbackURL: row.CallbackURL,
		ContextHash: row.ContextHash, Revision: row.Revision, OneOpen: row.OneOpen, Warned: row.ExpiryNotified,
		CreatedAt: at(row.CreatedMS), UpdatedAt: at(row.UpdatedMS), CompletedAt: at(row.CompletedMS),
		Chain: audit.Chain{Seq: row.ChainSeq, Hash: row.ChainHash}, Rev: row.Rev,
	}
	if row.Context != "" {
		r.Context = []byte(row.Context)
	}
	expires := row.ExpiresMS
	if row.LimitMS != sameEnd {
		r.DueEnd, expires = at(row.ExpiresMS), row.LimitMS
	}
	if expires != 0 {
		r.ExpiresAt = new(at(expires))
	}
	r.StatusReason, r.Attachments = read[*wf.StatusReason](c, row.StatusReason), read[[]wf.Attachment](c, row.Attachments)
	r.Requester, r.SubmittedBy = c.user(row.Requester), c.user(row.SubmittedBy)
	r.Acting, r.SummaryValues = read[[]identity.Party](c, row.Acting), read[[]json.RawMessage](c, row.Summary)
	r.ValidFrom, r.ValidUntil, r.ValidFor, r.LapseWarned = at(row.ValidFromMS), at(row.ValidUntilMS), row.ValidFor, row.LapseNotified
	if r.Status == wf.RequestApproved {
		r.Standing = cmp.Or(row.Standing, wf.StandingPending.At(r.ValidFrom, r.CompletedAt))
		r.EndedAt, r.EndedBy, r.EndReason = at(row.EndedMS), c.maybeUser(row.EndedBy), row.EndReason
	}
	return r, wrapError(c.err, "read request %s", row.ID)
}

// FindApproval returns the id of the newest request of a submitter for a content under a policy that is open or
// whose approval is in force; empty without one. count is the number of all requests for the content.
func (s *Store) FindApproval(ctx context.Context, submitter, policyKey, contextHash string) (id string, count int, err error) {
	var row struct {
		ID    string
		Count int
	}
	now, err := s.Now(ctx)
	if err != nil {
		return "", 0, err
	}
	const same = "submitted_by_id = ? AND policy_key = ? AND context_hash = ?"
	content := []any{printable(submitter), printable(policyKey), contextHash}
	args := append(slices.Concat(content, content), ms(now), ms(now))
	err = s.db.Read(ctx).Raw(`SELECT (SELECT count(*) FROM request WHERE `+same+`) AS count,
		(SELECT CAST(id AS text) FROM request WHERE `+same+` AND (`+openStatus+` AND NOT `+overdue+
		` OR status = 'approved' AND standing = '' AND NOT `+lapsed+`) ORDER BY id DESC LIMIT 1) AS id`, args...).Scan(&row).Error
	return row.ID, row.Count, wrapError(err, "find an approval of policy %s", policyKey)
}

// participantRow is the part of one person in a request.
type participantRow struct {
	UserID    string `gorm:"primaryKey"`
	RequestID string `gorm:"primaryKey"`
	CreatedMS int64  `gorm:"primaryKey;autoIncrement:false"` // of the request

	Approver bool // is or was assignee, candidate, delegate or delegator
	Reader   bool // participant
}

var participantTable = sqldb.TableOf[participantRow]()

// putParticipants returns the statements that write new, lost and regained parts.
func putParticipants(before, after wf.Request) []sqldb.Stmt {
	was, is := before.Parts(), after.Parts()
	for id := range was {
		if _, named := is[id]; !named { // a delegate of a returned task
			is[id] = wf.Part{}
		}
	}
	var rows []participantRow
	for _, id := range slices.Sorted(maps.Keys(is)) {
		part := is[id]
		if old, known := was[id]; known && old == part {
			continue
		}
		rows = append(rows, participantRow{
			UserID: id, RequestID: after.ID, CreatedMS: ms(after.CreatedAt), Approver: part.Asked, Reader: part.Reader,
		})
	}
	return participantTable.Insert(` ON CONFLICT (user_id, created_ms, request_id)
		DO UPDATE SET approver = participant.approver OR excluded.approver, reader = excluded.reader`, rows...)
}

// ErrArtifactTaken refuses a request for an artifact that already has an open request.
var ErrArtifactTaken = refusal.New(reason.WrongState, "another request for this artifact is open")

// AddRequest writes a new request with its stages, tasks, decisions, events and deliveries. It also
// writes the reply, unless nil, for the idempotency key that Start claimed. It fails with
// ErrArtifactTaken if the artifact already has an open request.
func (tx *Tx) AddRequest(r wf.Request, events []wf.Event, deliveries []outbox.Delivery, reply *KeyReply) error {
	row, err := rowOfRequest(r)
	if err != nil {
		return wrapError(err, "add request %s", r.ID)
	}
	return tx.putRequest(requestTable.Insert("", row), wf.Request{}, r, events, deliveries, reply)
}

// PutRequest replaces before, which this transaction has read and locked, by after. It writes the
// differences, the events and deliveries, and the reply as in AddRequest. Runs and tasks keep their
// positions; a transition only appends. It fails with WrongState on a duplicate seat, and if another
// transaction has stored the next event.
func (tx *Tx) PutRequest(before, after wf.Request, events []wf.Event, deliveries []outbox.Delivery, reply *KeyReply) error {
	old, err := rowOfRequest(before)
	if err != nil {
		return wrapError(err, "write request %s", after.ID)
	}
	now, err := rowOfRequest(after)
	if err != nil {
		return wrapError(err, "write request %s", after.ID)
	}
	return tx.putRequest(requestTable.Update(old, now, ""), before, after, events, deliveries, reply)
}

// putRequest writes the dependent rows of a request after its own row.
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
	return wrapError(err, "write request %s", after.ID)
}

// conflict turns constraint violations by concurrent calls into refusals. SQLite reports the
// columns of an index, PostgreSQL its name.
func conflict(err error, r wf.Request) error {
	switch name, _ := sqldb.IsUnique(err); name {
	case "event_seq", "event.chain, event.seq":
		return refusal.New(reason.WrongState, "request %s has just been changed", r.ID)
	case "request_one_open", "request.policy_key, request.artifact_type, request.artifact_id":
		return ErrArtifactTaken
	case "task_seat", "task.stage_run_id, task.seat":
		return refusal.New(reason.WrongState, "a seat of request %s is taken", r.ID)
	case "task_person", "task.stage_run_id, task.assignee_id":
		return refusal.New(reason.WrongState, "a person would hold two seats of one stage of request %s", r.ID)
	case "decision_task", "decision.task_id":
		return refusal.New(reason.WrongState, "a task of request %s is decided already", r.ID)
	default:
		return err
	}
}

// requestRows holds the rows of a request.
type requestRows struct {
	request requestRow
	stages  []stageRow
	tasks   []decidedTask
}

// queries returns the queries that load a request into r. The request row is first, so that a FOR
// UPDATE in lock protects the others.
func (r *requestRows) queries(lock string, ref RequestRef) []sqldb.Select {
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

// RequestRef identifies a request.
type RequestRef struct {
	which   string // SQL expression for the id
	id      string
	unknown error
}

// ByID refers to the request with the id.
func ByID(id string) RequestRef {
	return RequestRef{"?", id, refusal.New(reason.RequestNotFound, "no request %s", id)}
}

// ByTask refers to the request of the task with the id.
func ByTask(id string) RequestRef {
	return RequestRef{"(SELECT t.request_id FROM task t WHERE t.id = ?)", id, refusal.New(reason.TaskNotFound, "no task %s", id)}
}

// value decodes the request. The caller has checked that it exists.
func (r *requestRows) value() (wf.Request, error) {
	var c codec
	req, err := r.request.request(&c)
	if err != nil {
		return req, err
	}
	if req.Stages, err = decodeRows(&c, r.stages, stageRow.stage); err != nil {
		return req, err
	}
	req.Tasks, err = decodeRows(&c, r.tasks, decidedTask.task)
	return req, err
}

// Request loads a request with its stages and tasks and locks it. The lock protects all dependent
// rows.
func (tx *Tx) Request(ref RequestRef) (wf.Request, error) {
	locked, err := tx.ClaimRequest(nil, ref)
	return locked.Request, err
}

// Locked is a locked request, or the stored reply of an operation that was done before.
type Locked struct {
	Request wf.Request
	Replay  *Reply
	Reused  bool // the key was used with another body
}

// ClaimRequest claims a key, unless nil, and loads and locks a request like Request, in one round
// trip. For a used key it returns the stored reply, or Reused for a different body. A running
// transaction with the same key blocks it.
func (tx *Tx) ClaimRequest(key *Key, ref RequestRef) (locked Locked, err error) {
	if !isID(ref.id) {
		return locked, ref.unknown
	}
	claimed := 1
	var rows requestRows
	selects := append(rows.queries(tx.RowLock("FOR UPDATE"), ref), tx.Outbox.Version())
	if key != nil {
		claimed = 0
		selects = slices.Insert(selects, 0, key.claim(&claimed, tx.Now()))
	}
	if err := key.refuseInFlight(tx.Load(selects...)); err != nil {
		return locked, wrapError(err, "load request %s", ref.id)
	}
	switch {
	case claimed == 0:
		locked.Replay, locked.Reused, err = tx.storedReply(*key)
	case rows.request.ID == "":
		err = ref.unknown
	default:
		locked.Request, err = rows.value()
	}
	return locked, err
}

// ReadRequest returns a request with its stages and tasks from one snapshot, and the time of the
// snapshot.
func (s *Store) ReadRequest(ctx context.Context, ref RequestRef) (r wf.Request, now time.Time, err error) {
	r, _, now, err = s.ReadRequestOwned(ctx, ref)
	return r, now, err
}

// ReadRequestOwned is ReadRequest with the owners of its policy.
func (s *Store) ReadRequestOwned(
	ctx context.Context, ref RequestRef,
) (r wf.Request, owners policy.Callers, now time.Time, err error) {
	if !isID(ref.id) {
		return r, owners, now, ref.unknown
	}
	var rows requestRows
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		tx.Last()
		err := tx.Load(append(rows.queries("", ref), ownersOf(ref, &owners))...)
		now = tx.Now()
		return err
	})
	switch {
	case err != nil:
		return r, owners, now, wrapError(err, "load request %s", ref.id)
	case rows.request.ID == "":
		return r, owners, now, ref.unknown
	}
	r, err = rows.value()
	return r, owners, now, err
}

// ExpiredRequests returns at most limit ids of open requests past their expiry, longest expired
// first.
func (s Due) ExpiredRequests(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var ids []string
	err := s.db.Read(ctx).Model(&requestRow{}).Where("expires_ms > 0 AND expires_ms <= ? AND "+openStatus, ms(now)).
		Order("expires_ms").Limit(limit).Pluck("id", &ids).Error
	return ids, wrapError(err, "list expired requests")
}

// LapsedApprovals returns at most limit ids of approvals in force past their validity, longest lapsed first.
func (s Due) LapsedApprovals(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&requestRow{}).Select("id").Where("standing_ms > 0 AND standing_ms <= ?", ms(now)).
		Order("standing_ms").Limit(limit), "list lapsed approvals")
}

// LapsingApprovals returns the ids of approvals in force that lapse before until and have no warning yet,
// earliest first.
func (s Due) LapsingApprovals(ctx context.Context, now, until time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&requestRow{}).Select("id").
		Where("standing_ms > ? AND standing_ms <= ? AND completed_ms < standing_ms - ? AND valid_from_ms < standing_ms - ? "+
			"AND NOT lapse_notified", ms(now), ms(until), until.Sub(now).Milliseconds(), until.Sub(now).Milliseconds()).
		Order("standing_ms").Limit(limit), "list approvals that lapse soon")
}

// Revs returns the revs of the requests with the ids, without those that do not exist.
func (s *Store) Revs(ctx context.Context, ids []string) (map[string]int64, error) {
	revs := make(map[string]int64, len(ids))
	for part := range slices.Chunk(ids, 1000) {
		var rows []struct {
			ID  string
			Rev int64
		}
		if err := s.db.Read(ctx).Table("request").Select("id", "rev").Where("id IN ?", part).Find(&rows).Error; err != nil {
			return nil, wrapError(err, "read the revs of requests")
		}
		for _, row := range rows {
			revs[row.ID] = row.Rev
		}
	}
	return revs, nil
}

// VersionsInUse lists the policy versions of open requests.
func (s Policies) VersionsInUse(ctx context.Context) ([]VersionID, error) {
	var versions []VersionID
	err := s.db.Read(ctx).Table("request").Distinct("policy_key", "policy_version AS number").Where(openStatus).Scan(&versions).Error
	return versions, wrapError(err, "list the versions that open requests follow")
}

// Sweep returns at most limit request ids greater than after, in ascending order. It
// selects blocked requests, requests in review under one of the versions, and requests with an
// inbox entry or a candidate among people.
func (s Due) Sweep(ctx context.Context, versions []VersionID, people []string, after string, limit int) ([]string, error) {
	after = cmp.Or(after, firstID)
	args := []any{after, after}
	for _, v := range versions {
		args = append(args, v.PolicyKey, v.Number)
	}
	args = append(args, people, after, people, after)
	return ids(s.db.Read(ctx).Table(`(SELECT id FROM request WHERE status = 'blocked' AND id > ?
		UNION SELECT id FROM request WHERE status = 'in_review' AND id > ?
			AND (policy_key, policy_version) IN (VALUES ('', 0)`+strings.Repeat(", (?, CAST(? AS integer))", len(versions))+`)
		UNION SELECT request_id FROM inbox WHERE user_id IN ? AND request_id > ?
		UNION SELECT run.request_id FROM stage_candidate c JOIN stage_run run ON run.id = c.stage_run_id WHERE c.user_id IN ? AND run.request_id > ?) AS found`, args...).Order("id").Limit(limit), "list requests to sweep")
}
