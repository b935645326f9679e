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

// fromJSON converts a decoded JSON value in place and completely, so that an iteration converts nothing.
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

// Errors of numbers that cannot be compared exactly.
const (
	outOfRange = "a number of the context is out of range"
	tooExact   = "a number of the context has more digits than a double"
)

// number converts a number to an int, or else to a double. A number that would change is an error:
// 100.00000000000000000001 would equal 100.
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

// sameNumber reports whether two JSON numbers have the same value, such as 1.0 and 1e0.
func sameNumber(a, b string) bool {
	one, err := strictjson.Canonical([]byte(a))
	if err != nil {
		return false
	}
	other, err := strictjson.Canonical([]byte(b))
	return err == nil && string(one) == string(other)
}
