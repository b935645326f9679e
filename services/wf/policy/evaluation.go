package policy

import (
	"fmt"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
)

// Evaluation is a CEL expression of a policy with its input.
type Evaluation struct {
	Source string
	Yields Yield
	Reads  Environment
}

// Environment is the input of expressions. It contains neither the time nor the caller, so evaluations in one
// operation are consistent.
type Environment struct {
	ID, PolicyKey            string
	PolicyVersion, Revision  int
	ArtifactType, ArtifactID string
	Requester                identity.User
	Context, ContextSchema   []byte
	Zone                     string // of the calendar
	Priority                 string
	Labels                   map[string]string
	CreatedAt                time.Time
	Stages                   map[string]StageFacts
	Fingerprint              string // the same for equal environments
}

// StageFacts is the input of expressions about a stage.
type StageFacts struct {
	Status    string
	Approvals int
	Approvers []string // ids
}

// Key is the same for expressions with the same value.
func (e Evaluation) Key() string {
	return fmt.Sprintf("%s\x00%s\x00%s", e.Yields, e.Source, e.Reads.Fingerprint)
}

// Document is a JSON value to be validated by a schema of the policy.
type Document struct {
	Schema []byte
	Value  []byte
	Hash   string // of the value; empty if the value itself is compared
}

// Key is the same for documents with the same answer.
func (d Document) Key() string {
	if d.Hash != "" {
		return string(d.Schema) + "\x00" + d.Hash
	}
	return string(d.Schema) + "\x00" + string(d.Value)
}
