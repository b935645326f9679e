package condition

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/countersign/countersign/libs/refusal"
)

// Input contains the variables of an evaluation.
type Input struct {
	Context   []byte // a JSON object; empty means {}
	Request   Request
	Requester Requester
	Stages    map[string]Stage // by stage key, pending stages included
	Now       time.Time
}

// Request is the variable request.
type Request struct {
	ID            string            `cel:"id"`
	PolicyKey     string            `cel:"policy_key"`
	PolicyVersion int               `cel:"policy_version"`
	ArtifactType  string            `cel:"artifact_type"`
	ArtifactID    string            `cel:"artifact_id"`
	Revision      int               `cel:"revision"`
	CreatedAt     time.Time         `cel:"created_at"`
	Priority      string            `cel:"priority"`
	Labels        map[string]string `cel:"labels"`
}

// Requester is the variable requester, the beneficiary of the request. It has no attributes of a directory:
// an expression that reads one is refused when it is written.
type Requester struct {
	ID       string `cel:"id"`
	Username string `cel:"username"`
	Email    string `cel:"email"`
}

// Stage is an element of the variable stages.
type Stage struct {
	Status    string   `cel:"status"`
	Approvals int      `cel:"approvals"`
	Approvers []string `cel:"approvers"` // ids of the users with an approval
}

// variables binds the input. A context, which may be large, is decoded only for a program that reads it.
func (in Input) variables(context *shape) (map[string]any, error) {
	variables := map[string]any{
		"request":   in.Request,
		"requester": in.Requester,
		"stages":    in.Stages,
		"now":       in.Now.UTC(),
	}
	if context == nil {
		return variables, nil
	}
	object := map[string]any{}
	if len(in.Context) > 0 {
		d := json.NewDecoder(bytes.NewReader(in.Context))
		d.UseNumber()
		if err := d.Decode(&object); err != nil {
			return nil, refusal.New(Failed, "the context is not a JSON object")
		}
	}
	variables["context"] = context.value(object)
	return variables, nil
}

// outOfRange is the error of an integer outside 64 bits.
const outOfRange = "an integer of the context is outside 64 bits"
