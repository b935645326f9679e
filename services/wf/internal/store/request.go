package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// openStatus selects requests in a status that is not final.
const openStatus = "status IN ('in_review', 'blocked', 'changes_requested')"

// overdue selects open requests that have ended by a time in milliseconds. See wf.Request.AsOf.
const overdue = "(request.ends_ms > 0 AND request.ends_ms <= ?)"

// lapsed selects approvals that have lapsed by a time in milliseconds and are stored as in force. See
// wf.Request.AsOf.
const lapsed = "(request.standing_ms > 0 AND request.standing_ms <= ?)"

// documentRow is a stored request.
type documentRow struct {
	ID        string `gorm:"primaryKey"`
	Summary   string // see wf.Document, like the next two
	Detail    string
	Context   string
	Retries   string // JSON: a retry for each stage run; empty if all are empty
	ChainSeq  int64
	ChainHash string
}

func (documentRow) TableName() string { return "request" }

// retry holds the members of a stage run that change without an event.
type retry struct {
	At    time.Time `json:"at,omitzero"`
	Timer time.Time `json:"timer,omitzero"`
	Error string    `json:"error,omitempty"`
}

// requestRow is a request with the columns that follow from it, written on the hot path; see the package comment.
type requestRow struct {
	Stored                            documentRow `gorm:"embedded"`
	Rev                               int64
	PolicyKey                         string
	PolicyVersion                     int
	Status                            wf.RequestStatus
	Urgency                           int64 // see taskRow
	ArtifactType, ArtifactID          string
	SearchText                        string // folded title and artifact id
	Labels                            string
	ContextHash                       string
	RequesterID, SubmittedByID        string
	OneOpen                           bool
	CreatedMS, UpdatedMS, CompletedMS int64
	EndsMS, ExpiresMS                 int64
	ExpiryNotified                    bool
	DueMS, TimerMS, RetryMS           int64
	Stuck                             bool        // in review or blocked without a live task and a retry
	Standing                          wf.Standing // empty while the approval is pending or in force
	ValidFromMS                       int64
	ValidUntilMS, StandingMS          int64
	LapseNotified                     bool
}

var (
	documentTable = sqldb.TableOf[documentRow]()
	requestTable  = sqldb.TableOf[requestRow]()
)

// columnsOf returns the row of a request without the summary and the detail.
func columnsOf(r wf.Request) (requestRow, error) {
	var c codec
	row := requestRow{
		Rev: r.Rev, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Status: r.Status, Urgency: r.Priority.Urgency(),
		ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, SearchText: fold(r.Title) + "\n" + fold(r.ArtifactID),
		Labels: c.labels(r.Labels), ContextHash: r.ContextHash, RequesterID: r.Requester.ID, SubmittedByID: r.SubmittedBy.ID,
		OneOpen: r.OneOpen, CreatedMS: ms(r.CreatedAt), UpdatedMS: ms(r.UpdatedAt), CompletedMS: ms(r.CompletedAt),
		ExpiryNotified: r.Warned, DueMS: ms(r.DueAt()), ValidFromMS: ms(r.ValidFrom), ValidUntilMS: ms(r.ValidUntil), LapseNotified: r.LapseWarned,
	}
	if r.ExpiresAt != nil {
		row.ExpiresMS = ms(*r.ExpiresAt)
	}
	if !r.Status.Final() {
		row.EndsMS = cmp.Or(ms(r.DueEnd), row.ExpiresMS)
	}
	if r.Standing == wf.StandingInForce || r.Standing == wf.StandingPending {
		row.StandingMS = row.ValidUntilMS
	} else {
		row.Standing = r.Standing
	}
	retries, empty := make([]retry, len(r.Stages)), true
	for i, run := range r.Stages {
		retries[i] = retry{run.RetryAt, run.TimerAt, printable(run.LastError)}
		empty = empty && retries[i] == retry{}
		row.TimerMS = earlier(row.TimerMS, ms(run.TimerAt))
		if run.Status == wf.StageResolving || run.Status == wf.StageBlocked {
			row.RetryMS = earlier(row.RetryMS, ms(run.RetryAt))
		}
	}
	if !empty {
		row.Stored.Retries = c.text(retries)
	}
	live := func(t wf.Task) bool { return t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed }
	row.Stuck = (r.Status == wf.RequestInReview || r.Status == wf.RequestBlocked) && row.RetryMS == 0 &&
		!slices.ContainsFunc(r.Tasks, live)
	row.Stored.ID, row.Stored.Context = r.ID, string(r.Context)
	row.Stored.ChainSeq, row.Stored.ChainHash = r.Chain.Seq, r.Chain.Hash
	return row, c.err
}

// earlier returns the earlier of two times in milliseconds; 0 is none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// rowOfRequest returns the row of a request. A transition has encoded the document already.
func rowOfRequest(r wf.Request) (requestRow, error) {
	row, err := columnsOf(r)
	d := r.Encoded
	if err == nil && d == nil {
		d = new(wf.Document)
		*d, err = r.Document()
	}
	if err == nil {
		row.Stored.Summary, row.Stored.Detail = string(d.Summary), string(d.Detail)
	}
	return row, err
}

// document returns the stored document.
func (row documentRow) document() wf.Document {
	d := wf.Document{Summary: []byte(row.Summary), Detail: []byte(row.Detail)}
	if row.Context != "" {
		d.Context = []byte(row.Context)
	}
	return d
}

// request decodes the request, without names. Without Detail it is a summary.
func (row documentRow) request() (wf.Request, error) {
	if row.Detail == "" {
		r, err := wf.ReadSummary([]byte(row.Summary))
		return r, wrapError(err, "read request %s", row.ID)
	}
	r, err := row.document().Request()
	var c codec
	for i, retry := range read[[]retry](&c, row.Retries) {
		if i < len(r.Stages) {
			run := &r.Stages[i]
			run.RetryAt, run.TimerAt, run.LastError = retry.At, retry.Timer, retry.Error
		}
	}
	r.Chain = audit.Chain{Seq: row.ChainSeq, Hash: row.ChainHash}
	return r, wrapError(cmp.Or(err, c.err), "read request %s", row.ID)
}

// peopleOf returns the query for the people of a request.
func peopleOf(ref RequestRef, into *[]identity.User) sqldb.Stmt {
	return sqldb.Stmt{
		SQL:  selectPeople + "id IN (SELECT user_id FROM participant WHERE request_id = " + ref.which + ")",
		Args: []any{ref.id}, Into: into,
	}
}

// requestsOf decodes requests and adds the stored names of people.
func requestsOf(db *gorm.DB, rows []documentRow) ([]wf.Request, error) {
	list := make([]wf.Request, len(rows))
	var ids []string
	for i, row := range rows {
		var err error
		if list[i], err = row.request(); err != nil {
			return nil, err
		}
		ids = append(ids, list[i].Mentions()...)
	}
	people, err := knownPeople(db, ids)
	for i, r := range list {
		list[i] = r.WithNames(people)
	}
	return list, err
}

// requestsByID loads requests without their content, by id: their summaries, or with stages and tasks.
func requestsByID(db *gorm.DB, whole bool, ids []string) (map[string]wf.Request, error) {
	found := make(map[string]wf.Request, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	columns := "id, summary"
	if whole {
		columns += ", detail, retries, chain_seq, chain_hash"
	}
	var rows []documentRow
	if err := among(db, "id", ids).of(db).Select(columns).Find(&rows).Error; err != nil {
		return nil, err
	}
	list, err := requestsOf(db, rows)
	for _, r := range list {
		found[r.ID] = r
	}
	return found, err
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

// ErrArtifactTaken refuses a request for an artifact that already has an open request.
var ErrArtifactTaken = refusal.New(reason.WrongState, "another request for this artifact is open")

// AddRequest writes a new request with its projections, events and deliveries. It also writes the reply, unless nil,
// for the idempotency key that Start claimed. It fails with ErrArtifactTaken if the artifact already has an open
// request.
func (tx *Tx) AddRequest(r wf.Request, events []wf.Event, deliveries []outbox.Delivery, reply *KeyReply) error {
	row, err := rowOfRequest(r)
	if err != nil {
		return wrapError(err, "add request %s", r.ID)
	}
	return tx.putRequest(requestTable.Insert("", row), wf.Request{}, r, events, deliveries, reply)
}

// PutRequest replaces before, which this transaction has read and locked, by after. It writes the document, the
// projections where they differ, the events and deliveries, and the reply as in AddRequest. It fails with WrongState
// if another transaction has stored the next event.
func (tx *Tx) PutRequest(before, after wf.Request, events []wf.Event, deliveries []outbox.Delivery, reply *KeyReply) error {
	old, err := columnsOf(before)
	if err != nil {
		return wrapError(err, "write request %s", after.ID)
	}
	now, err := rowOfRequest(after)
	if err != nil {
		return wrapError(err, "write request %s", after.ID)
	}
	return tx.putRequest(requestTable.Update(old, now, ""), before, after, events, deliveries, reply)
}

// putRequest writes what follows from a request, after its own row.
func (tx *Tx) putRequest(
	batch []sqldb.Stmt, before, after wf.Request, events []wf.Event, deliveries []outbox.Delivery, reply *KeyReply,
) error {
	batch = slices.Concat(batch, tx.putProjections(before, after), addRevision(before, after), tx.addEvents(after.ID, events),
		tx.Outbox.Add(deliveries))
	tx.meetPeople(before, after)
	if reply != nil {
		batch = append(batch, reply.stmt())
	}
	return wrapError(conflict(tx.Batch(batch...), after), "write request %s", after.ID)
}

// conflict turns constraint violations by concurrent calls into refusals. SQLite reports the
// columns of an index, PostgreSQL its name.
func conflict(err error, r wf.Request) error {
	switch name, _ := sqldb.IsUnique(err); name {
	case "event_seq", "event.chain, event.seq":
		return refusal.New(reason.WrongState, "request %s has just been changed", r.ID)
	case "request_one_open", "request.policy_key, request.artifact_type, request.artifact_id":
		return ErrArtifactTaken
	default:
		return err
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

// load returns the query that loads the request into row.
func (ref RequestRef) load(row *documentRow, lock string) sqldb.Stmt {
	return sqldb.Stmt{
		SQL: documentTable.From() + " WHERE id = " + ref.which + lock, Args: []any{ref.id},
		Into: row,
	}
}

// Request loads a request and locks it. The lock protects its projections, events and revisions.
func (tx *Tx) Request(ref RequestRef) (wf.Request, error) {
	locked, err := tx.ClaimRequest(nil, ref, "")
	return locked.Request, err
}

// Locked is a locked request, or the stored reply of an operation that was done before.
type Locked struct {
	Request wf.Request
	Replay  *Reply
	Reused  bool // the key was used with another body

	People      map[string]identity.User // stored, of those with a part, by id
	Delegations []approver.Delegation    // in force, to the user and to delegates with a claim
}

// ClaimRequest claims a key, unless nil, and loads and locks a request like Request, in one round
// trip. For a used key it returns the stored reply, or Reused for a different body. A running
// transaction with the same key blocks it. It locks the delegations against a revocation.
func (tx *Tx) ClaimRequest(key *Key, ref RequestRef, user string) (locked Locked, err error) {
	if !isID(ref.id) {
		return locked, ref.unknown
	}
	claimed := 1
	var row documentRow
	var given []delegationRow
	var people []identity.User
	selects := []sqldb.Stmt{
		ref.load(&row, tx.RowLock("FOR UPDATE")), tx.Outbox.LoadEndpoints(), peopleOf(ref, &people),
		delegationsIn(&given, tx.Now(), tx.RowLock("FOR SHARE"), user, ref),
	}
	if key != nil {
		claimed = 0
		selects = slices.Insert(selects, 0, key.claim(&claimed, tx.Now()))
	}
	if err := key.refuseInFlight(tx.Batch(selects...)); err != nil {
		return locked, wrapError(err, "load request %s", ref.id)
	}
	switch {
	case claimed == 0:
		locked.Replay, locked.Reused, err = tx.storedReply(*key)
	case row.ID == "":
		err = ref.unknown
	default:
		locked.Delegations = sqldb.Values(given, delegationRow.delegation)
		locked.People = byID(people)
		locked.Request, err = row.named(locked.People)
	}
	return locked, err
}

// named decodes a request and adds the names of its people.
func (row documentRow) named(people map[string]identity.User) (wf.Request, error) {
	r, err := row.request()
	return r.WithNames(people), err
}

// ReadRequest returns a request from one snapshot, and the time of the snapshot.
func (s *Store) ReadRequest(ctx context.Context, ref RequestRef) (r wf.Request, now time.Time, err error) {
	found, err := s.ReadRequestFor(ctx, ref, "")
	return found.Request, found.Now, err
}

// ReadableRequest is a request with the facts that decide who may read it.
type ReadableRequest struct {
	Request     wf.Request
	Owners      policy.Callers        // of its policy
	Delegations []approver.Delegation // in force, to the user and to delegates with a claim
	Now         time.Time             // of the snapshot
}

// ReadRequestFor is ReadRequest for a user, with the owners of its policy and the delegations to the user.
func (s *Store) ReadRequestFor(ctx context.Context, ref RequestRef, user string) (found ReadableRequest, err error) {
	if !isID(ref.id) {
		return found, ref.unknown
	}
	var given []delegationRow
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		var row documentRow
		var owners []ownerRow
		var people []identity.User
		err := tx.Batch(ref.load(&row, ""), ownersOf(ref, &owners), peopleOf(ref, &people),
			delegationsIn(&given, tx.Now(), "", user, ref))
		if err != nil {
			return err
		}
		found.Owners = callersOf(owners)
		if found.Now = tx.Now(); row.ID == "" {
			return ref.unknown
		}
		found.Delegations = sqldb.Values(given, delegationRow.delegation)
		found.Request, err = row.named(byID(people))
		return err
	})
	return found, wrapError(err, "load request %s", ref.id)
}

// Timer is a column of requests with the time of the next work, 0 for none.
type Timer string

// The timers: the end of open requests, the end of the validity of approvals, the retry of a stage, and the work of a
// deadline.
const (
	EndTimer      Timer = "ends_ms"
	LapseTimer    Timer = "standing_ms"
	RetryTimer    Timer = "retry_ms"
	DeadlineTimer Timer = "timer_ms"
)

// Requests returns at most limit ids of requests whose timer is due, the longest due first.
func (s Due) Requests(ctx context.Context, t Timer, now time.Time, limit int) ([]string, error) {
	column := string(t)
	q := s.db.Read(ctx).Table("request").Select("id").Where(column+" > 0 AND "+column+" <= ?", ms(now))
	return ids(q.Order(column).Limit(limit), "list requests by %s", column)
}

// LapsingApprovals returns the ids of approvals in force that lapse before until and have no warning yet,
// earliest first.
func (s Due) LapsingApprovals(ctx context.Context, now, until time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&requestRow{}).Select("id").
		Where("standing_ms > ? AND standing_ms <= ? AND completed_ms < standing_ms - ? AND valid_from_ms < standing_ms - ? "+
			"AND NOT lapse_notified", ms(now), ms(until), until.Sub(now).Milliseconds(), until.Sub(now).Milliseconds()).
		Order("standing_ms").Limit(limit), "list approvals that lapse soon")
}

// ExpiringRequests returns the ids of open requests that expire before until and have no warning
// yet, earliest expiry first.
func (s Due) ExpiringRequests(ctx context.Context, now, until time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&requestRow{}).Select("id").
		Where("ends_ms > ? AND ends_ms <= ? AND NOT expiry_notified", ms(now), ms(until)).
		Where("expires_ms > 0 AND expires_ms <= ? AND created_ms < expires_ms - ?", ms(until), until.Sub(now).Milliseconds()).
		Order("ends_ms").Limit(limit), "list requests that expire soon")
}

// Revs returns the revs of the requests with the ids, without those that do not exist.
func (s *Store) Revs(ctx context.Context, ids []string) (map[string]int64, error) {
	var rows []requestRow
	db := s.db.Read(ctx)
	err := among(db, "id", ids).of(db).Select("id", "rev").Find(&rows).Error
	revs := make(map[string]int64, len(rows))
	for _, row := range rows {
		revs[row.Stored.ID] = row.Rev
	}
	return revs, wrapError(err, "read the revs of requests")
}

// VersionsInUse lists the policy versions of open requests.
func (s Policies) VersionsInUse(ctx context.Context) ([]VersionID, error) {
	var versions []VersionID
	err := s.db.Read(ctx).Table("request").Distinct("policy_key", "policy_version AS number").Where(openStatus).Scan(&versions).Error
	return versions, wrapError(err, "list the versions that open requests follow")
}

// Sweep returns at most limit request ids greater than after, in ascending order. It selects blocked requests, requests
// in review under one of the versions, and requests in which one of the people has a task or may have one.
func (s Due) Sweep(ctx context.Context, versions []VersionID, people []string, after string, limit int) ([]string, error) {
	after = cmp.Or(after, firstID)
	args := []any{after, after}
	for _, v := range versions {
		args = append(args, v.PolicyKey, v.Number)
	}
	args = append(args, people, after)
	return ids(s.db.Read(ctx).Table(`(SELECT id FROM request WHERE status = 'blocked' AND id > ?
		UNION SELECT id FROM request WHERE status = 'in_review' AND id > ?
			AND (policy_key, policy_version) IN (VALUES ('', 0)`+strings.Repeat(", (?, CAST(? AS integer))", len(versions))+`)
		UNION SELECT request_id FROM participant WHERE live AND user_id IN ? AND request_id > ?) AS found`, args...).
		Order("id").Limit(limit), "list requests to sweep")
}

// LivePeople returns at most limit ids of people with an open task or a place in a running pool. The ids are ascending
// and greater than after.
func (s *Store) LivePeople(ctx context.Context, after string, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&participantRow{}).Distinct("user_id").Where("live AND user_id > ?", after).
		Order("user_id").Limit(limit), "list people with something to do")
}
