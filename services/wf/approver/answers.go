package approver

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
)

// Answers holds the answers collected so far.
type Answers struct {
	People map[string]People // by Question.AnswerKey
}

// People is the answer to a Question. Failure has the reason ResolverFailed for a missing answer,
// and another reason for an invalid rule, such as a nonexistent role.
type People struct {
	Users   []identity.User
	Failure *refusal.Error
}

// Unanswered holds the open questions of a transition. The transition has no effect yet.
type Unanswered struct {
	Questions []Question // for a directory or a resolver
}

func (*Unanswered) Error() string { return "questions are open" }
