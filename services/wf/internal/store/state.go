package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// facts is the state of a request according to its events.
type facts struct {
	last      *verifiedHeader // the last event
	standing  *verifiedHeader // the approval, or its end
	created   *verifiedHeader // request.created
	tasks     map[string]verifiedHeader
	runs      map[string]verifiedHeader
	decisions map[string]verifiedHeader // by task
	revisions map[int]verifiedHeader
}

func newFacts() *facts {
	return &facts{
		tasks:     map[string]verifiedHeader{},
		runs:      map[string]verifiedHeader{},
		decisions: map[string]verifiedHeader{},
		revisions: map[int]verifiedHeader{},
	}
}

func (f *facts) fold(e verifiedHeader) {
	if e.Request == nil {
		return
	}
	f.last = &e
	f.revisions[e.Request.Revision] = e
	switch {
	case slices.Contains(standingEvents, e.Type):
		f.standing = &e
	case e.Type == audit.EventRequestCreated:
		f.created = &e
	case e.Resource.Type == "stage" && e.Stage != nil:
		f.runs[e.Resource.ID] = e
	case e.Resource.Type == "task" && e.Task != nil:
		f.tasks[e.Resource.ID] = e
		if e.Type == audit.EventTaskDecided {
			f.decisions[e.Resource.ID] = e
		}
	}
}

// standingEvents set the standing of an approval.
var standingEvents = []audit.EventType{
	audit.EventRequestApproved, audit.EventRequestLapsed, audit.EventRequestRevoked, audit.EventRequestConsumed,
}

// taskState and runState hold the columns of tasks and stage runs that events repeat.
type taskState struct {
	ID, RequestID        string
	StageKey             string
	Kind                 wf.TaskKind
	Seat                 int
	Status               wf.TaskStatus
	AssigneeID, Assignee string
	OnBehalfOfID         string
	OnBehalfOf           string
	ReassignedFrom       string
	CloseReason          wf.CloseReason
}

func (taskState) TableName() string { return "task" }

type runState struct {
	ID, RequestID, StageKey string
	Run                     int
	Status                  wf.StageStatus
}

func (runState) TableName() string { return "stage_run" }

// states is the stored state of one request.
type states struct {
	tasks     []taskState
	runs      []runState
	decisions []decisionRow
	revisions []revisionRow
}

// statesOf reads the stored state of requests.
func statesOf(db *gorm.DB, ids []string) (map[string]*states, error) {
	byID := map[string]*states{}
	for _, id := range ids {
		byID[id] = &states{}
	}
	var all states
	err := db.Where("request_id IN ?", ids).Find(&all.tasks).Error
	if err == nil {
		err = db.Where("request_id IN ?", ids).Find(&all.runs).Error
	}
	if err == nil {
		err = db.Where("request_id IN ?", ids).Find(&all.revisions).Error
	}
	if err == nil {
		err = db.Where("task_id IN (SELECT id FROM task WHERE request_id IN ?)", ids).Find(&all.decisions).Error
	}
	owner := map[string]string{}
	for _, t := range all.tasks {
		byID[t.RequestID].tasks = append(byID[t.RequestID].tasks, t)
		owner[t.ID] = t.RequestID
	}
	for _, r := range all.runs {
		byID[r.RequestID].runs = append(byID[r.RequestID].runs, r)
	}
	for _, d := range all.decisions {
		byID[owner[d.TaskID]].decisions = append(byID[owner[d.TaskID]].decisions, d)
	}
	for _, r := range all.revisions {
		byID[r.RequestID].revisions = append(byID[r.RequestID].revisions, r)
	}
	return byID, err
}

// comparison records contradictions between stored state and events.
type comparison struct{ walk *walk }

// compareValue records a break if the stored value differs from the value in the event.
func (c *comparison) compareValue(seq int64, what string, stored, said any) {
	if stored != said {
		c.walk.breakAt(seq, what, fingerprint(stored))
	}
}

// person compares the id in the stored JSON of a person, which may be empty, with the id in the
// event. A separate id column must agree as well.
func (c *comparison) person(seq int64, what, stored string, column *string, said string) {
	id := ""
	if stored != "" {
		var u identity.User
		if json.Unmarshal([]byte(stored), &u) != nil {
			c.walk.breakAt(seq, what, fingerprint(stored))
			return
		}
		id = u.ID
	}
	c.compareValue(seq, what, id, said)
	if column != nil && id == said {
		c.compareValue(seq, what, *column, said)
	}
}

// request compares a request with the events of its chain.
func (c *comparison) request(f *facts, row requestRow, s *states) {
	if f.last == nil {
		c.walk.breakAt(1, "request", fingerprint(row.ID))
		return
	}
	seq, said := f.last.Seq, f.last.Request
	c.compareValue(seq, "request.status", row.Status, said.Status)
	c.compareValue(seq, "request.policy", VersionID{row.PolicyKey, row.PolicyVersion}, VersionID{said.PolicyKey, said.PolicyVersion})
	c.compareValue(seq, "request.title", row.Title, said.Title)
	c.compareValue(seq, "request.link", row.Link, said.Link)
	c.compareValue(seq, "request.artifact", [2]string{row.ArtifactType, row.ArtifactID}, [2]string{said.ArtifactType, said.ArtifactID})
	c.compareValue(seq, "request.revision", row.Revision, said.Revision)
	completed := int64(0)
	if said.CompletedAt != nil {
		completed = ms(said.CompletedAt.Time)
	}
	c.compareValue(seq, "request.completed_at", row.CompletedMS, completed)
	var reason, saidReason wf.StatusReason
	if row.StatusReason != "" && json.Unmarshal([]byte(row.StatusReason), &reason) != nil {
		reason.Message = row.StatusReason
	}
	if said.StatusReason != nil {
		saidReason = *said.StatusReason
	}
	c.compareValue(seq, "request.status_reason", reason, saidReason)
	c.person(seq, "request.requester", row.Requester, &row.RequesterID, said.Requester.ID)
	if f.created != nil {
		c.person(1, "request.submitted_by", row.SubmittedBy, &row.SubmittedByID, f.created.Actor.ID)
		files, _ := sqldb.EncodeJSON(f.created.Request.Attachments) // of strings and numbers
		c.compareValue(1, "request.attachments", strings.TrimPrefix(row.Attachments, "[]"), files)
	}
	var acting []identity.Party
	if said.SubmittedBy != nil {
		acting = said.SubmittedBy.Acting
	}
	text, _ := sqldb.EncodeJSON(acting) // of strings
	c.compareValue(seq, "request.acting", row.Acting, text)
	c.content(seq, "request.context", row.Context, row.ContextHash, said.ContextHash)
	for _, r := range s.revisions {
		e, known := f.revisions[r.Number]
		if !known || r.Number >= said.Revision {
			c.walk.breakAt(seq, fmt.Sprintf("revision %d", r.Number), fingerprint(r.ContextHash))
			continue
		}
		c.content(e.Seq, fmt.Sprintf("revision %d", r.Number), r.Context, r.ContextHash, e.Request.ContextHash)
	}
	for n := 1; n < said.Revision && len(s.revisions) < said.Revision; n++ {
		if !slices.ContainsFunc(s.revisions, func(r revisionRow) bool { return r.Number == n }) {
			c.walk.breakAt(f.revisions[n].Seq, fmt.Sprintf("revision %d", n), "")
		}
	}
	c.compareStanding(f, row)
	c.tasks(f, s)
	c.runs(f, s)
}

// compareStanding compares the standing of an approval, its validity and its end with the last event about them.
func (c *comparison) compareStanding(f *facts, row requestRow) {
	type end struct {
		AtMS   int64
		Reason string
	}
	var said struct {
		standing wf.Standing
		by       string
		untilMS  int64
		end
	}
	seq, until := f.last.Seq, row.ValidUntilMS
	if row.Status != wf.RequestApproved {
		until = 0 // an end set by the content, which is compared
	}
	if e := f.standing; e != nil {
		seq = e.Seq
		if e.Request.ValidUntil != nil {
			said.untilMS = ms(e.Request.ValidUntil.Time)
		}
		if e.Request.EndedAt != nil {
			said.standing, said.by = e.Request.Standing, e.Actor.ID
			said.end = end{ms(e.Request.EndedAt.Time), e.Request.EndReason}
		}
	}
	c.compareValue(seq, "request.standing", row.Standing, said.standing)
	c.compareValue(seq, "request.valid_until", until, said.untilMS)
	c.compareValue(seq, "request.ended_at", end{row.EndedMS, row.EndReason}, said.end)
	c.person(seq, "request.ended_by", row.EndedBy, &row.EndedByID, said.by)
}

// content compares content with its hash, and the hash with the event.
func (c *comparison) content(seq int64, what, content, hash, said string) {
	sum, err := strictjson.Sum([]byte(content))
	c.compareValue(seq, what, [2]any{sum, err == nil}, [2]any{said, true})
	c.compareValue(seq, what+"_hash", hash, said)
}

// tasks compares the tasks and their decisions.
func (c *comparison) tasks(f *facts, s *states) {
	stored := map[string]bool{}
	for _, t := range s.tasks {
		stored[t.ID] = true
		e, known := f.tasks[t.ID]
		what := "task " + t.ID
		if !known {
			c.walk.breakAt(f.last.Seq, what, fingerprint(t))
			continue
		}
		c.compareValue(e.Seq, what+".status", t.Status, e.Task.Status)
		c.compareValue(e.Seq, what+".kind", t.Kind, e.Task.Kind)
		c.compareValue(e.Seq, what+".stage_key", t.StageKey, e.Task.StageKey)
		c.compareValue(e.Seq, what+".seat", t.Seat, e.Task.Seat)
		c.compareValue(e.Seq, what+".close_reason", t.CloseReason, e.Task.CloseReason)
		c.person(e.Seq, what+".assignee", t.Assignee, &t.AssigneeID, userID(e.Task.Assignee))
		c.person(e.Seq, what+".on_behalf_of", t.OnBehalfOf, &t.OnBehalfOfID, userID(e.Task.OnBehalfOf))
		c.person(e.Seq, what+".reassigned_from", t.ReassignedFrom, nil, userID(e.Task.ReassignedFrom))
	}
	for _, id := range slices.Sorted(maps.Keys(f.tasks)) {
		e := f.tasks[id]
		if !stored[id] {
			c.walk.breakAt(e.Seq, "task "+id, "")
		}
	}
	decided := map[string]bool{}
	for _, d := range s.decisions {
		decided[d.TaskID] = true
		e, known := f.decisions[d.TaskID]
		what := "decision of task " + d.TaskID
		if !known {
			c.walk.breakAt(f.last.Seq, what, fingerprint(d))
			continue
		}
		if !d.matchesEvent(e.Decision) {
			c.walk.breakAt(e.Seq, what, fingerprint(d))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(f.decisions)) {
		e := f.decisions[id]
		if !decided[id] {
			c.walk.breakAt(e.Seq, "decision of task "+id, "")
		}
	}
}

// matchesEvent reports whether the row equals the decision in an event, apart from names.
func (d decisionRow) matchesEvent(event json.RawMessage) bool {
	body, err := withoutNames(d.Body)
	if err != nil || string(body) != string(event) {
		return false
	}
	var said wf.Decision
	return json.Unmarshal(event, &said) == nil && d == (decisionRow{
		ID: said.ID, TaskID: said.TaskID, RequestID: said.RequestID, Revision: said.Revision, Action: said.Action, ActorID: said.Actor.ID,
		DecidedMS: ms(said.DecidedAt.Time), Body: d.Body,
	})
}

// withoutNames returns a decision in canonical form without names, as in events.
func withoutNames(body string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		return nil, err
	}
	for _, member := range []string{"actor", "on_behalf_of"} {
		var person map[string]json.RawMessage
		if members[member] == nil {
			continue
		}
		if err := json.Unmarshal(members[member], &person); err != nil {
			return nil, err
		}
		for _, name := range []string{"username", "name", "email"} {
			delete(person, name)
		}
		var err error
		if members[member], err = json.Marshal(person); err != nil {
			return nil, err
		}
	}
	bare, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return strictjson.Canonical(bare)
}

// runs compares ended stages with their events. Stages that end with their request have no event of
// their own.
func (c *comparison) runs(f *facts, s *states) {
	ends := []wf.StageStatus{wf.StageApproved, wf.StageRejected, wf.StageSkipped}
	stored := map[string]bool{}
	for _, r := range s.runs {
		stored[r.ID] = true
		what := "stage run " + r.ID
		e, known := f.runs[r.ID]
		switch {
		case known && slices.Contains(ends, e.Stage.Status):
			c.compareValue(e.Seq, what+".status", r.Status, e.Stage.Status)
		case slices.Contains(ends, r.Status):
			c.walk.breakAt(f.last.Seq, what+".status", fingerprint(r.Status))
		}
		if known {
			c.compareValue(e.Seq, what+".stage", [2]any{r.StageKey, r.Run}, [2]any{e.Stage.Key, e.Stage.Run})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(f.runs)) {
		e := f.runs[id]
		if !stored[id] {
			c.walk.breakAt(e.Seq, "stage run "+id, "")
		}
	}
}

// serviceWalk recomputes the service chain and collects the policy versions in its events.
type serviceWalk struct {
	walk
	versions map[VersionID]versionFact
}

// versionFact is the state of a policy version according to events.
type versionFact struct {
	seq    int64
	status policy.VersionStatus
	hash   string
}

func (w *serviceWalk) foldPolicy(e verifiedHeader) {
	if e.Resource.Type != "policy" {
		return
	}
	id := VersionID{e.Resource.ID, e.Resource.Version}
	var status policy.VersionStatus
	switch e.Type {
	case audit.EventPolicyCreated, audit.EventPolicyVersionAdded, audit.EventPolicyUpdated:
		status = policy.VersionDraft
	case audit.EventPolicyActivated:
		for other, fact := range w.versions { // the retired version has no event of its own
			if other.PolicyKey == id.PolicyKey && fact.status == policy.VersionActive {
				fact.seq, fact.status = e.Seq, policy.VersionRetired
				w.versions[other] = fact
			}
		}
		status = policy.VersionActive
	case audit.EventPolicyDeactivated:
		status = policy.VersionRetired
	case audit.EventPolicyVersionDeleted:
		delete(w.versions, id)
		return
	default:
		return
	}
	w.versions[id] = versionFact{e.Seq, status, e.Reason}
}

// end compares the stored end of the chain and the stored policies with the events.
func (w *serviceWalk) end(db *gorm.DB) error {
	var ends []audit.Chain
	if err := db.Table("chain").Select("seq", "hash").Where("name = ?", ServiceChain).Find(&ends).Error; err != nil {
		return err
	}
	w.finish(append(ends, audit.Chain{})[0])
	stored := map[VersionID]bool{}
	var page []versionState
	for last := (VersionID{}); len(stored) == 0 || len(page) == versionPage; {
		page = nil
		err := db.Where("(policy_key, number) > (?, ?)", last.PolicyKey, last.Number).Order("policy_key, number").Limit(versionPage).Find(&page).Error
		if err != nil || len(page) == 0 {
			return w.recordMissing(stored, err)
		}
		for _, row := range page {
			last = VersionID{row.PolicyKey, row.Number}
			stored[last] = true
			w.compare(last, row)
		}
	}
	return w.recordMissing(stored, nil)
}

// versionPage is the number of policy versions per query.
const versionPage = 100

// versionState holds the columns of a version that events repeat.
type versionState struct {
	PolicyKey               string
	Number                  int
	Status                  policy.VersionStatus
	Definition, ContentHash string
}

func (versionState) TableName() string { return "policy_version" }

func (id VersionID) String() string {
	return fmt.Sprintf("policy %s version %d", id.PolicyKey, id.Number)
}

// compare compares a stored version with its events.
func (w *serviceWalk) compare(id VersionID, row versionState) {
	fact, known := w.versions[id]
	if !known {
		w.breakAt(1, id.String(), fingerprint(row))
		return
	}
	c := comparison{walk: &w.walk}
	c.compareValue(fact.seq, id.String()+".status", row.Status, fact.status)
	c.content(fact.seq, id.String()+".definition", row.Definition, row.ContentHash, fact.hash)
}

// recordMissing records the versions in events that are absent from the table.
func (w *serviceWalk) recordMissing(stored map[VersionID]bool, err error) error {
	for id, fact := range w.versions {
		if !stored[id] {
			w.breakAt(fact.seq, id.String(), "")
		}
	}
	return err
}
