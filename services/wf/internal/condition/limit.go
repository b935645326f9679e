package condition

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/countersign/countersign/services/wf/internal/pattern"
)

// Limits of values. CEL charges an operation after it has run, so maxElements bounds the operands
// of every operation. Without limits of its own, one call of matches takes 2.6 s for 190 kB and a pattern of
// 341 instructions.
const (
	maxElements = 200_000 // elements of a value, nested ones included; ten bytes of a text are one
	maxMatch    = 4 << 10 // bytes of a text that matches reads
	maxPattern  = 500     // instructions of a compiled pattern
)

// Sizes of the estimate at compile time. Lists and texts of a context may be larger; the cost at run time
// bounds those.
const (
	hintText = 256
	hintList = 100
)

// sizes estimates the sizes of variables at compile time.
type sizes struct{}

// EstimateSize implements cost.Estimator.
func (sizes) EstimateSize(node cost.AstNode) *cost.SizeEstimate {
	limit := uint64(1)
	switch node.Type().Kind() {
	case types.StringKind, types.BytesKind:
		limit = hintText
	case types.ListKind, types.MapKind, types.DynKind, types.AnyKind, types.TypeParamKind:
		limit = hintList
	}
	return &cost.SizeEstimate{Min: 0, Max: limit}
}

// EstimateCallCost implements cost.Estimator; the standard costs hold.
func (sizes) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}

// costs charges a call by the sizes of its operands. One step takes 50 to 100 ns.
type costs struct {
	scope    *Scope
	members  map[int64]string // paths of the members that conversions read, by call
	patterns map[string]int   // instructions of each pattern of the program
}

// CallCost implements cost.ActualCostEstimator.
func (c costs) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	steps := uint64(1)
	for _, arg := range args {
		if _, exact := arg.(decimal); exact {
			steps += 2
		}
		steps += uint64(length(arg)) / 10 // #nosec G115 -- lengths
	}
	switch function {
	case operators.Equals, operators.NotEquals, operators.In:
		steps += elements(args[0]) + elements(args[1])
	case "sum":
		steps += elements(args[0])
	case overloads.Matches:
		if s, ok := args[0].(types.String); ok {
			steps += uint64(len(s)*c.patterns[string(args[1].(types.String))]) / 4 // #nosec G115 -- lengths
		}
	}
	return &steps
}

// guard replaces the operations on numbers, dates and patterns. CEL calls it for each node of a program.
func (c costs) guard(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if literal, ok := i.(interpreter.InterpretableConst); ok {
		if v, ok := literal.Value().(types.Double); ok {
			d, ok := number(v)
			if !ok {
				return nil, errors.New("a literal is not a number")
			}
			return interpreter.NewConstValue(i.ID(), d), nil
		}
		return i, nil
	}
	call, ok := i.(interpreter.InterpretableCall)
	if !ok {
		return i, nil
	}
	function, args := call.Function(), call.Args()
	_, converts := conversions[function]
	var do func(args ...ref.Val) ref.Val
	switch operator := binary[function]; {
	case converts && len(args) == 1:
		do = func(args ...ref.Val) ref.Val { return c.scope.convert(function, c.members[call.ID()], args[0]) }
	case operator != nil && len(args) == 2:
		do = func(args ...ref.Val) ref.Val { return operator(args[0], args[1]) }
	case function == overloads.Matches:
		matches, err := c.matcher(args[1])
		if err != nil {
			return nil, err
		}
		do = func(args ...ref.Val) ref.Val { return matches(args[0]) }
	default:
		return i, nil
	}
	return interpreter.NewCall(call.ID(), function, call.OverloadID(), args, do), nil
}

// matcher compiles the pattern of a call of matches and stores its size.
func (c costs) matcher(argument interpreter.InterpretableV2) (func(text ref.Val) ref.Val, error) {
	literal, ok := argument.(interpreter.InterpretableConst)
	if !ok {
		return nil, errors.New("the pattern of matches must be a literal")
	}
	source := literal.Value().(types.String) // by the checker
	re, size, err := pattern.Compile(string(source), maxPattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern of matches: %w", err)
	}
	c.patterns[string(source)] = size
	return func(text ref.Val) ref.Val {
		s, ok := text.(types.String)
		if !ok {
			return types.NoSuchOverloadErr()
		}
		if len(s) > maxMatch {
			// An error would not end the evaluation: `error || true` is true.
			panic(interpreter.EvalCancelledError{
				Cause:   interpreter.CostLimitExceeded,
				Message: fmt.Sprintf("matches a text longer than %d bytes", maxMatch),
			})
		}
		return types.Bool(re.MatchString(string(s)))
	}, nil
}

// length returns the length of a text in bytes, or 0.
func length(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return len(v)
	case types.Bytes:
		return len(v)
	default:
		return 0
	}
}

// elements returns the number of elements of v, nested ones included.
func elements(v ref.Val) uint64 {
	switch v.(type) {
	case traits.Lister, traits.Mapper:
		return uint64(sizer.AggregateSize(v))
	default:
		return 1
	}
}

// sizer counts elements. It stops soon after maxElements with a larger number, because a value may
// contain one large list many times.
var sizer = types.NewSizeCalculator(
	types.SizeCalculatorMaxDepth(64),
	types.SizeCalculatorMaxTraversal(maxElements),
)
