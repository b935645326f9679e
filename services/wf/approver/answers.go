package approver

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
)

// Answers holds the answers of directories and resolvers by Question.AnswerKey.
type Answers map[string]People

// People is the answer to a Question. Failure has the reason ResolverFailed for a missing answer,
// and another reason for an invalid rule, such as a nonexistent role.
type People struct {
	Users   []identity.User
	Failure *refusal.Error
}

// Unasked is the error of a transition without all the answers that it needs. It has no effect.
type Unasked struct{ Questions []Question }

func (*Unasked) Error() string { return "questions are open" }
