package policy

import (
	"errors"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/schema"
	"github.com/countersign/countersign/services/wf/reason"
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

	// OverContent is set if the expression reads neither stages nor now.
	OverContent bool
}

// Programs are the compiled expressions and schemas of a definition.
type Programs struct {
	Evaluate func(source string, yields Yield, in Input) Value
	Fits     func(schema, document []byte) *refusal.Error // nil for a document that satisfies the schema
}

// Compiled returns the definition with its programs. Each is compiled at its first use and kept.
func (d Definition) Compiled() Definition {
	scope := condition.In(d.ContextSchema, d.Settings.Zone())
	d.Programs = &Programs{
		Evaluate: func(source string, yields Yield, in Input) Value { return evaluate(scope, source, yields, in) },
		Fits: func(rules, document []byte) *refusal.Error {
			return failureOf(schema.Validate(rules, document))
		},
	}
	return d
}

func evaluate(scope *condition.Scope, source string, yields Yield, in Input) (value Value) {
	var err error
	switch yields {
	case YieldsNames:
		value.Names, err = scope.Strings(source, in)
	case YieldsInt:
		value.Int, err = scope.Int(source, in)
	case YieldsTime:
		value.Time, err = scope.Time(source, in)
	case YieldsDue:
		var length string
		value.Due.At, length, err = scope.DueDate(source, in)
		value.Due.In = Duration(length)
	default:
		value.Bool, err = scope.Bool(source, in)
	}
	value.OverContent, value.Failure = scope.OverContent(source), failureOf(err)
	return value
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
