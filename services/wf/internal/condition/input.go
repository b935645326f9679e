package condition

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
)

// Input is what one evaluation may read.
type Input struct {
	Context   []byte // a JSON object; empty means {}
	Request   Request
	Requester Requester
	Stages    map[string]Stage // by stage key, with the stages that are not reached yet
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

// Requester is the variable requester: the person for whom the request is made. It
// lacks what only a directory knows. A condition that reads such a thing has to be
// refused when it is written, instead of skipping a stage when it runs.
type Requester struct {
	ID       string `cel:"id"`
	Username string `cel:"username"`
	Email    string `cel:"email"`
}

// Stage is an element of the variable stages.
type Stage struct {
	Status    string   `cel:"status"`
	Approvals int      `cel:"approvals"`
	Approvers []string `cel:"approvers"` // ids of those who approved
}

// variables binds the input. The context, which may be large, is decoded only
// for a program that reads it.
func (in Input) variables(readsContext bool) (map[string]any, error) {
	variables := map[string]any{
		"request":   in.Request,
		"requester": in.Requester,
		"stages":    in.Stages,
		"now":       in.Now.UTC(),
	}
	if !readsContext {
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
	variables["context"] = fromJSON(object)
	return variables, nil
}

// fromJSON converts a decoded JSON value in place. It converts all of it at once, so
// that an expression that iterates finds the values ready.
func fromJSON(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = fromJSON(member)
		}
		return types.NewStringInterfaceMap(types.DefaultTypeAdapter, v)
	case []any:
		elements := make([]ref.Val, len(v))
		for i, element := range v {
			elements[i] = fromJSON(element)
		}
		return types.NewRefValList(types.DefaultTypeAdapter, elements)
	case json.Number:
		return number(v)
	case string:
		return types.String(v)
	case bool:
		return types.Bool(v)
	default:
		return types.NullValue
	}
}

// Errors of numbers that a condition cannot compare as they are.
const (
	outOfRange = "a number of the context is out of range"
	tooExact   = "a number of the context has more digits than a double"
)

// number converts a number of the context to an int, or else to a double. One that would
// change is an error: 100.00000000000000000001 would compare as 100.
func number(n json.Number) ref.Val {
	f, err := n.Float64()
	if err != nil {
		return types.NewErr(outOfRange)
	}
	if shortest := strconv.FormatFloat(f, 'f', -1, 64); shortest != n.String() && !sameNumber(shortest, n.String()) {
		return types.NewErr(tooExact)
	}
	if i, err := n.Int64(); err == nil {
		return types.Int(i)
	}
	return types.Double(f)
}

// sameNumber reports whether two JSON numbers have one value: 1.0 and 1e0 have.
func sameNumber(a, b string) bool {
	one, err := strictjson.Canonical([]byte(a))
	if err != nil {
		return false
	}
	other, err := strictjson.Canonical([]byte(b))
	return err == nil && string(one) == string(other)
}
