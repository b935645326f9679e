// Package condition checks and evaluates the CEL expressions of a policy. Declared lists what they may use.
//
// Expressions of authors and contexts of requesters are untrusted. An expression has no I/O, no state
// and no unbounded loop, and these limits: 4 KiB of text, a bounded nesting, an estimated cost at
// compile time, a cost and a size of values at run time, and a duration, which only an overloaded machine
// exceeds. Exceeding a limit is an error, never a result. The caller handles an error and must never skip an
// approval because of it.
//
// The context has the types of its context_schema; a part that the schema does not type is dynamic. An integer of the
// schema is a CEL int. Every other number of the context, and a literal with a point, is an exact decimal, which the
// checker calls a double. Ints and decimals mix. A quotient is rounded to 28 significant digits, half to even.
package condition

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/countersign/countersign/libs/refusal"
)

// Limits of an expression. maxNames also bounds what Strings returns.
const (
	maxBytes    = 4 << 10
	maxDepth    = 60   // nesting of parentheses, calls and operators
	maxNodes    = 4000 // of the syntax tree, macros expanded
	maxCost     = 1_000_000
	checkEvery  = 100 // iterations of a macro between two checks of ctx
	maxNames    = 1000
	maxPrograms = 500 // cached for a scope
	maxScopes   = 128
)

// maxTime bounds an evaluation. The cost decides whether an expression has a value; the time only ends the
// evaluations of an overloaded machine.
var maxTime = 5 * time.Second

var macros = []string{
	operators.Has, operators.All, operators.Exists, operators.ExistsOne, operators.Map, operators.Filter,
}

// environment is the part that all scopes share. It takes some 0.3 MiB of heap.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewCustomEnv(append(mixedNumbers(),
		cel.StdLib(cel.StdLibSubset(&env.LibrarySubset{
			IncludeMacros: macros,
			ExcludeFunctions: []*env.Function{
				env.NewFunction(operators.Equals), env.NewFunction(operators.NotEquals), env.NewFunction(operators.In),
			},
		})),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserRecursionLimit(maxDepth),
		cel.ParserErrorRecoveryLimit(4),
		cel.ExpressionNodeLimit(maxNodes),
		cel.EnableIdentifierEscapeSyntax(),
		cel.ASTValidators(cel.ValidateDurationLiterals()),
		cel.Types(
			cel.NativeTypeFor[Request](types.ParseStructTag("cel"), cel.NativeTypeAlias("wf.Request")),
			cel.NativeTypeFor[Requester](types.ParseStructTag("cel"), cel.NativeTypeAlias("wf.Requester")),
			cel.NativeTypeFor[Stage](types.ParseStructTag("cel"), cel.NativeTypeAlias("wf.Stage")),
		),
		cel.Variable("request", cel.ObjectType("wf.Request")),
		cel.Variable("requester", cel.ObjectType("wf.Requester")),
		cel.Variable("stages", cel.MapType(cel.StringType, cel.ObjectType("wf.Stage"))),
		cel.Variable("now", cel.TimestampType),
		cel.Function("sum", cel.SingletonUnaryBinding(sum),
			cel.Overload("sum_int", []*cel.Type{cel.ListType(cel.IntType)}, cel.IntType),
			cel.Overload("sum_double", []*cel.Type{cel.ListType(cel.DoubleType)}, cel.DoubleType)),
		cel.Function("round",
			cel.Overload("round_double", []*cel.Type{cel.DoubleType, cel.IntType}, cel.DoubleType, cel.BinaryBinding(round)),
			cel.Overload("round_int", []*cel.Type{cel.IntType, cel.IntType}, cel.IntType, cel.BinaryBinding(round))),
	)...)
})

// mixedNumbers declares the operators for an int beside a double. Those of the standard library take no further
// overloads for ==, != and in, so their types are listed here. guard implements all of them.
func mixedNumbers() []cel.EnvOption {
	pair := func(name string, a, b, result *cel.Type) cel.FunctionOpt {
		return cel.Overload(fmt.Sprintf("%s_%s_%s", name, a, b), []*cel.Type{a, b}, result)
	}
	var options []cel.EnvOption
	for _, name := range []string{operators.Add, operators.Subtract, operators.Multiply, operators.Divide} {
		options = append(options, cel.Function(name,
			pair(name, cel.IntType, cel.DoubleType, cel.DoubleType), pair(name, cel.DoubleType, cel.IntType, cel.DoubleType)))
	}
	list, object := cel.ListType(cel.DynType), cel.MapType(cel.DynType, cel.DynType)
	equality := []cel.FunctionOpt{cel.SingletonBinaryBinding(equal)}
	membership := []cel.FunctionOpt{cel.SingletonBinaryBinding(contains), pair(operators.In, cel.DynType, object, cel.BoolType)}
	for _, types := range [][2]*cel.Type{
		{cel.BoolType, cel.BoolType}, {cel.StringType, cel.StringType}, {cel.BytesType, cel.BytesType}, {cel.NullType, cel.NullType},
		{cel.IntType, cel.IntType}, {cel.UintType, cel.UintType}, {cel.DoubleType, cel.DoubleType},
		{cel.IntType, cel.DoubleType}, {cel.DoubleType, cel.IntType},
		{cel.TimestampType, cel.TimestampType}, {cel.DurationType, cel.DurationType}, {cel.TypeType, cel.TypeType},
		{list, list}, {object, object},
	} {
		equality = append(equality, pair("equal", types[0], types[1], cel.BoolType))
		membership = append(membership, pair(operators.In, types[0], cel.ListType(types[1]), cel.BoolType))
	}
	return append(options,
		cel.Function(operators.Equals, equality...), cel.Function(operators.NotEquals, equality...), cel.Function(operators.In, membership...))
}

// Yield is the type of the value of an expression, in words.
type Yield string

// The types of values. A due date that is a text has the form of a date or of an ISO 8601 duration.
const (
	Bool     Yield = "a bool"
	Names    Yield = "a string or a list of strings"
	Int      Yield = "a whole number"
	Time     Yield = "a timestamp"
	Due      Yield = "a duration, an ISO 8601 duration or a timestamp"
	Duration Yield = "a duration or an ISO 8601 duration"
)

// accepted are the types of CEL for a yield. A dynamic type is checked at run time.
var accepted = map[Yield][]*cel.Type{
	Bool:     {cel.BoolType},
	Names:    {cel.StringType, cel.ListType(cel.StringType)},
	Int:      {cel.IntType, cel.DoubleType}, // a number of the content may be whole
	Time:     {cel.TimestampType},
	Due:      {cel.DurationType, cel.StringType, cel.TimestampType},
	Duration: {cel.DurationType, cel.StringType},
}

// Value is the value of an expression: the member of its Yield.
type Value struct {
	Bool   bool
	Names  []string // at most 1,000; one string is a list of one
	Int    int64
	Time   time.Time // in milliseconds, also of Due
	Length string    // of Due and Duration: a text as it is, a CEL duration in seconds

	Refused string // the text or number that a function refused; it is content, for the writer of the content alone
}

// Evaluate evaluates an expression. An error is a refusal.
func (s *Scope) Evaluate(expr string, yields Yield, in Input) (Value, error) {
	found, err := s.eval(expr, in)
	if argument, ok := errors.AsType[*argumentError](err); ok {
		return Value{Refused: argument.value}, refusal.New(Failed, "%s", argument)
	}
	if err != nil {
		return Value{}, err
	}
	given := found.Type().TypeName()
	switch v := found.(type) {
	case types.Bool:
		if yields == Bool {
			return Value{Bool: bool(v)}, nil
		}
	case types.Timestamp:
		if yields == Time || yields == Due {
			return Value{Time: v.UTC().Truncate(time.Millisecond)}, nil
		}
	case types.Duration:
		switch {
		case yields != Duration && yields != Due:
		case v.Duration < 0:
			return Value{}, refusal.New(Failed, "yields a negative duration")
		default:
			return Value{Length: "PT" + strconv.FormatFloat(v.Seconds(), 'f', -1, 64) + "S"}, nil
		}
	case types.String:
		at, dated := s.date(string(v))
		switch {
		case yields == Names:
			return Value{Names: []string{string(v)}}, nil
		case yields == Due && dated:
			return Value{Time: at.UTC()}, nil
		case yields == Due || yields == Duration:
			return Value{Length: string(v)}, nil
		}
	case traits.Lister:
		if yields == Names {
			return names(v)
		}
	default:
		if n, ok := number(v); ok && yields == Int {
			if n.IsInt() && n.Num().IsInt64() {
				return Value{Int: n.Num().Int64()}, nil
			}
			given = n.String()
		}
	}
	return Value{}, refusal.New(Failed, "yields %s, not %s", given, yields)
}

// names returns the strings of a list.
func names(list traits.Lister) (v Value, err error) {
	n := list.Size().(types.Int)
	if n > maxNames {
		return v, refusal.New(TooCostly, "yields more than %d names", maxNames)
	}
	v.Names = make([]string, 0, n)
	for it := list.Iterator(); it.HasNext() == types.True; {
		name, ok := it.Next().(types.String)
		if !ok {
			return Value{}, refusal.New(Failed, "yields a list with something other than strings")
		}
		v.Names = append(v.Names, string(name))
	}
	return v, nil
}

// Reads reports whether an expression reads one of the variables. One that does not compile reads none.
func (s *Scope) Reads(expr string, variables ...string) bool {
	p, err := s.compile(expr)
	return err == nil && p.firstRead(variables) != ""
}

// eval evaluates expr within its limits.
func (s *Scope) eval(expr string, in Input) (ref.Val, error) {
	p, err := s.compile(expr)
	if err != nil {
		return nil, err
	}
	variables, err := in.variables(p.context)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(context.Background(), maxTime)
	defer stop()
	v, _, err := p.program.ContextEval(ctx, variables)
	switch {
	case errors.Is(err, interpreter.InterruptError{}):
		return nil, refusal.New(OutOfTime, "was not evaluated in time; the service is overloaded")
	case err != nil:
		return nil, p.evaluationError(err)
	}
	return v, nil
}

// compile returns the program of expr, which it keeps.
func (s *Scope) compile(expr string) (*program, error) {
	if p, ok := s.programs.Get(expr); ok {
		return p, nil
	}
	p, _, err := s.build(expr)
	if err != nil {
		return nil, err
	}
	s.programs.Add(expr, p)
	return p, nil
}

// build checks expr and plans its evaluation. It also returns the checked tree.
func (s *Scope) build(expr string) (*program, *ast.AST, error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	if len(expr) > maxBytes {
		return nil, nil, refusal.New(TooCostly, "expression is longer than %d bytes", maxBytes)
	}
	checked, issues := s.cel.Compile(expr)
	if err := issues.Err(); err != nil {
		return nil, nil, s.compileError(issues)
	}
	estimate, err := s.cel.EstimateCost(checked, sizes{})
	if err != nil {
		return nil, nil, refusal.New(Invalid, "%s", err)
	}
	if estimate.Max > maxCost {
		return nil, nil, refusal.New(TooCostly, "may cost more than %d steps: iterate less deeply", maxCost)
	}
	tree, reads := checked.NativeRep(), map[string]bool{}
	for _, reference := range tree.ReferenceMap() {
		reads[reference.Name] = true
	}
	built := &program{output: checked.OutputType(), reads: reads, names: map[string]bool{}}
	c := costs{scope: s, members: map[int64]string{}, patterns: map[string]int{}}
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			built.names[e.AsSelect().FieldName()] = true
		case ast.LiteralKind:
			if key, ok := literalText(e); ok {
				built.names[key] = true
			}
		case ast.CallKind:
			if args := e.AsCall().Args(); len(args) == 1 {
				c.members[e.ID()] = pathOf(args[0])
			}
		}
	}))
	built.program, err = s.cel.Program(checked,
		cel.CostLimit(maxCost),
		cel.CostTracking(c),
		cel.MemoryTracking(types.MemoryTrackerSizeCalculator(sizer)),
		cel.MemoryLimit(maxElements),
		cel.InterruptCheckFrequency(checkEvery),
		cel.CustomDecoratorV2(c.guard),
	)
	if err != nil {
		return nil, nil, refusal.New(Invalid, "%s", err)
	}
	if reads["context"] {
		built.context = s.context
	}
	return built, tree, nil
}

// program is a compiled expression and the type it yields.
type program struct {
	program cel.Program
	output  *cel.Type
	reads   map[string]bool // names of the variables
	names   map[string]bool // of the members that the expression names
	context *shape          // nil if the context is not read
}

// firstRead returns the first of the variables that the program reads, or an empty name.
func (p *program) firstRead(variables []string) string {
	i := slices.IndexFunc(variables, func(name string) bool { return p.reads[name] })
	if i < 0 {
		return ""
	}
	return variables[i]
}
