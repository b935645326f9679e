package wf

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Question is what a rule asks of a directory or of a resolver: whom it yields. A rule
// of type user asks which of its users exist and are enabled.
type Question struct {
	Rule Rule

	// From is the id of the person whose manager a manager rule asks for.
	From string

	// About is what an http rule tells its resolver; nil for every other rule.
	About *ResolverInput

	// MaxAge is how old the answer may be. Zero takes an answer that is still cached,
	// and a negative age takes none.
	MaxAge time.Duration
}

// ResolverInput is what a resolver learns of the request that it finds approvers for.
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
	ID           string `json:"id"`
	Requester    User   `json:"requester"`
	ArtifactType string `json:"artifact_type,omitempty"`
	ArtifactID   string `json:"artifact_id,omitempty"`
}

// Key is the same for questions with the same answer.
func (q Question) Key() string {
	q.Rule.Required, q.Rule.MinApprovals, q.Rule.Label, q.MaxAge = false, 0, "", 0
	raw, err := json.Marshal(q)
	if err != nil {
		panic(fmt.Sprintf("encode a question: %s", err)) // its raw members were checked when they were written
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// AnswerKey is the key of the answer in Answers. A question that needs a new answer has
// another key than one that takes an old one.
func (q Question) AnswerKey() string {
	if q.MaxAge < 0 {
		return q.Key() + "!"
	}
	return q.Key()
}
