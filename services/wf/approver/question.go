package approver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// Question is the query of a rule to a directory or a resolver. For a rule of type user, it selects
// the existing and enabled users.
type Question struct {
	Rule policy.Rule

	// From is the id of the person whose manager is resolved.
	From string

	// About is the input of the resolver of an http rule; nil for every other rule.
	About *ResolverInput

	// Most is the maximum number of people of a directory's answer; zero is 1,000.
	Most int

	// MaxAge is the maximum age of the answer. Zero accepts any cached answer, a negative age none.
	MaxAge time.Duration
}

// ResolverInput is the request data sent to a resolver.
type ResolverInput struct {
	PolicyKey     string          `json:"policy_key"`
	PolicyVersion int             `json:"policy_version"`
	StageKey      string          `json:"stage_key,omitempty"`
	Request       ResolverRequest `json:"request"`
	Params        json.RawMessage `json:"params,omitempty"`
	Context       json.RawMessage `json:"context,omitempty"`
}

// ResolverRequest is the request of a Matter.
type ResolverRequest struct {
	ID           string        `json:"id"`
	Requester    identity.User `json:"requester"`
	ArtifactType string        `json:"artifact_type,omitempty"`
	ArtifactID   string        `json:"artifact_id,omitempty"`
}

// Key is the same for questions with the same answer.
func (q Question) Key() string {
	q.Rule.Required, q.Rule.MinApprovals, q.Rule.Veto, q.Rule.When, q.Rule.Label = false, 0, false, "", ""
	q.MaxAge = 0
	raw, err := json.Marshal(q)
	if err != nil {
		panic(fmt.Sprintf("encode a question: %s", err)) // its raw members were checked when they were written
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// AnswerKey is the key of the answer in Answers. Questions with and without cached answers have separate
// keys.
func (q Question) AnswerKey() string {
	if q.MaxAge < 0 {
		return q.Key() + "!"
	}
	return q.Key()
}

// ExistingUsers returns a directory query for the existing and enabled users of ids.
func ExistingUsers(ids ...string) Question {
	return Question{Rule: policy.Rule{Type: policy.RuleUser, IDs: ids}}
}
