package approver

import (
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

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
	Int     int64
	Due     policy.Due
	Time    time.Time
	Failure *refusal.Error

	// OverContent is set if the expression reads neither stages nor now.
	OverContent bool
}

// Unanswered holds the open questions of a transition. The transition has no effect yet.
type Unanswered struct {
	Questions   []Question          // for a directory or a resolver
	Evaluations []policy.Evaluation // of expressions
	Documents   []policy.Document   // to be validated by their schemas
	Delegators  []string            // users with requested delegations
	Delegations []string            // ids of single delegations
}

func (*Unanswered) Error() string { return "questions are open" }
