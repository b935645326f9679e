package policy

import (
	"errors"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/schema"
	"github.com/countersign/countersign/services/wf/reason"
)

// Yield is the type of the value of an expression.
type Yield = condition.Yield

// The types of values.
const (
	YieldsBool     = condition.Bool
	YieldsNames    = condition.Names
	YieldsInt      = condition.Int
	YieldsTime     = condition.Time     // the start or end of an approval's validity
	YieldsDue      = condition.Due      // the due date of a stage
	YieldsDuration = condition.Duration // the length of a validity
)

// Input is the input of the expressions about a request, and StageInput that about a stage.
type (
	Input          = condition.Input
	RequestInput   = condition.Request
	RequesterInput = condition.Requester
	StageInput     = condition.Stage
)

// Value is the result of an expression. Failure has the reason ResolverFailed for an evaluation that was not done in
// time, and EngineRefused for an expression without a value.
type Value struct {
	Bool    bool
	Names   []string
	Int     int64
	Due     Due
	Time    time.Time
	Failure *refusal.Error

	OverContent bool   // the expression reads neither stages nor now
	Refused     string // the value of the content that a function refused
}

// Explain returns the message of the failure with the refused value, for the writer of the content alone.
func (v Value) Explain() string {
	if v.Refused == "" {
		return v.Failure.Message
	}
	return v.Failure.Message + ": " + v.Refused
}

// Programs are the compiled expressions and schemas of a definition.
type Programs struct {
	Evaluate func(source string, yields Yield, in Input) Value
	Reads    func(source string, variables ...string) bool // one of the variables
	Fits     func(schema, document []byte) *refusal.Error  // nil for a document that satisfies the schema
}

// Compiled returns the definition with its programs. Each is compiled at its first use and kept.
func (d Definition) Compiled() Definition {
	scope := condition.In(d.ContextSchema, d.Settings.Zone())
	d.Programs = &Programs{
		Evaluate: func(source string, yields Yield, in Input) Value {
			v, err := scope.Evaluate(source, yields, in)
			return Value{
				Bool: v.Bool, Names: v.Names, Int: v.Int, Time: v.Time, Due: Due{In: Duration(v.Length), At: v.Time},
				Failure: failureOf(err), Refused: v.Refused, OverContent: !scope.Reads(source, changing...),
			}
		},
		Reads: scope.Reads,
		Fits: func(rules, document []byte) *refusal.Error {
			return failureOf(schema.Validate(rules, document))
		},
	}
	return d
}

// failureOf returns an error of an expression or a schema as the failure of the policy.
func failureOf(err error) *refusal.Error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, condition.OutOfTime):
		return &refusal.Error{Reason: reason.ResolverFailed, Message: refusal.MessageOf(err)}
	default:
		return &refusal.Error{Reason: reason.EngineRefused, Message: refusal.MessageOf(err)}
	}
}
