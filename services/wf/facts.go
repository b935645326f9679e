package wf

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// Facts holds the external data of a transition. A transition makes no calls. It returns missing
// data as [Unanswered] questions; the caller answers them and repeats the transition.
type Facts struct {
	At        time.Time
	Seed      Seed // of the ids that the transition gives
	Directory bool // a directory is configured
	Answers   Answers

	// TrustMembership skips the membership recheck. Simulations set it.
	TrustMembership bool
}

// Answers holds the answers collected so far.
type Answers struct {
	People      map[string]People         // by Question.AnswerKey
	Values      map[string]Value          // by Evaluation.Key
	Documents   map[string]*refusal.Error // by Document.Key; nil for a document that fits
	Delegations map[string][]Delegation   // by the id of the owner
	Delegation  map[string]Delegation     // by its own id
}

// People is the answer to a Question. Failure has the reason ResolverFailed for a missing answer,
// and another reason for an invalid rule, such as a nonexistent role.
type People struct {
	Users   []identity.User
	Failure *refusal.Error
}

// Value is the result of an Evaluation.
type Value struct {
	Bool    bool
	Names   []string
	Failure *refusal.Error
}

// Unanswered holds the open questions of a transition. The transition has no effect yet.
type Unanswered struct {
	Questions   []Question   // for a directory or a resolver
	Evaluations []Evaluation // of expressions
	Documents   []Document   // to be checked by their schemas
	Delegators  []string     // people whose delegations in force are needed
	Delegations []string     // ids of single delegations
}

func (*Unanswered) Error() string { return "questions are open" }

func (u *Unanswered) any() bool {
	return len(u.Questions)+len(u.Evaluations)+len(u.Documents)+len(u.Delegators)+len(u.Delegations) > 0
}

// Evaluation is a CEL expression of a policy with its input.
type Evaluation struct {
	Source string
	Names  bool // it yields names; a condition yields true or false
	Reads  Environment
}

// Environment is the input of expressions. It contains neither the time nor the caller, so
// evaluations in one operation are consistent.
type Environment struct {
	Request     Request // without stages and tasks
	Stages      map[string]StageFacts
	fingerprint string
}

// StageFacts is the input of expressions about a stage.
type StageFacts struct {
	Status    StageStatus
	Approvals int
	Approvers []string // ids
}

// Key is the same for expressions with the same value.
func (e Evaluation) Key() string {
	return fmt.Sprintf("%t\x00%s\x00%s", e.Names, e.Source, e.Reads.fingerprint)
}

// Environment returns the expression input of the request.
func (r Request) Environment(def policy.Definition) Environment {
	env := Environment{Request: r, Stages: make(map[string]StageFacts, len(def.Stages))}
	env.Request.Stages, env.Request.Tasks = nil, nil
	var print strings.Builder
	fmt.Fprintf(&print, "%s %s %d", r.ID, r.ContextHash, r.Revision)
	for _, stage := range def.Stages {
		facts := StageFacts{Status: StagePending}
		if run, ok := r.Latest(stage.Key); ok {
			facts.Status, facts.Approvals = run.Status, run.Count.Approvals
		}
		for _, u := range r.ApproversOf(stage.Key) {
			facts.Approvers = append(facts.Approvers, u.ID)
		}
		env.Stages[stage.Key] = facts
		fmt.Fprintf(&print, "\x00%s %d %q", facts.Status, facts.Approvals, facts.Approvers)
	}
	env.fingerprint = print.String()
	return env
}

// Document is JSON that has to fit a schema of the policy.
type Document struct {
	Schema []byte
	Value  []byte
	Hash   string // of the value; empty for a value that is compared as it is
}

// Key is the same for documents with the same answer.
func (d Document) Key() string {
	if d.Hash != "" {
		return string(d.Schema) + "\x00" + d.Hash
	}
	return string(d.Schema) + "\x00" + string(d.Value)
}

// Seed makes the ids of one transition: random bytes that no other transition has.
type Seed [16]byte

// EventID is the id of an event with a number in its chain: ids of one chain sort by time
// and number.
func (s Seed) EventID(at time.Time, seq int64) string {
	return s.uuid(at, uint16(seq&0xfff), "event") // #nosec G115 -- 12 bits
}

// uuid is a UUID of version 7 (RFC 9562, section 5.7) with a number of 12 bits after the
// time. Equal arguments give equal ids.
func (s Seed) uuid(at time.Time, n uint16, kind string) string {
	hash := sha256.Sum256(append(binary.BigEndian.AppendUint16(s[:], n), kind...))
	id := binary.BigEndian.AppendUint64(nil, uint64(at.UnixMilli())<<16|0x7000|uint64(n&0xfff)) // #nosec G115 -- times are after 1970
	id = append(id, hash[:8]...)
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// ids gives the ids of a transition, in order.
type ids struct {
	seed Seed
	at   time.Time
	n    uint16
}

func (i *ids) next() string {
	i.n++
	return i.seed.uuid(i.at, i.n, "")
}
