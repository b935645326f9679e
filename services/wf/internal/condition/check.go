package condition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/countersign/countersign/libs/refusal"
)

// Checker checks expressions against a context_schema when they are written. It refuses a member that a
// closed object lacks, and an impossible type. An open schema permits any member. Evaluation does not use
// it.
type Checker struct {
	env             *Env
	context, stages shape
	refused         []string // variables that the expression must not read
}

// Checker returns the checker of a policy with a context_schema, which may be empty, and stage keys.
func (e *Env) Checker(contextSchema []byte, stages ...string) Checker {
	known := kindShape(isObject)
	known.members, known.required = map[string]shape{}, stages
	for _, key := range stages {
		known.members[key] = anything
	}
	return Checker{env: e, context: contextShape(contextSchema), stages: known}
}

// OverContent returns the checker of expressions that are evaluated once, when the content of the request is
// fixed. It refuses those that read stages or now.
func (c Checker) OverContent() Checker {
	c.refused = perishable
	return c
}

// BeforeStages returns the checker of expressions that are evaluated before the stages start. It refuses those
// that read stages.
func (c Checker) BeforeStages() Checker {
	c.refused = []string{"stages"}
	return c
}

// Bool refuses an expr that can never be a condition: it does not compile, may cost too much, reads a
// member that a closed schema lacks, or uses a value as an impossible type. The warnings name possible
// failures.
func (c Checker) Bool(expr string) (warnings []string, err error) {
	return c.check(expr, isBool, "a bool", cel.BoolType)
}

// Strings is Bool for an expression that yields a string or a list of strings.
func (c Checker) Strings(expr string) (warnings []string, err error) {
	return c.check(expr, isString|isList, "a string or a list of strings", cel.StringType, cel.ListType(cel.StringType))
}

// Int is Bool for a number.
func (c Checker) Int(expr string) (warnings []string, err error) {
	return c.check(expr, isInt, "an int", cel.IntType)
}

// Time is Bool for a timestamp.
func (c Checker) Time(expr string) (warnings []string, err error) {
	return c.check(expr, isTime, "a timestamp", cel.TimestampType)
}

// DueDate is Bool for the value of Env.Due.
func (c Checker) DueDate(expr string) (warnings []string, err error) {
	return c.check(expr, isDuration|isString|isTime, "a duration, an ISO 8601 duration or a timestamp",
		cel.DurationType, cel.StringType, cel.TimestampType)
}

func (c Checker) check(expr string, wanted kinds, description string, accepted ...*cel.Type) ([]string, error) {
	p, tree, err := c.env.build(expr)
	if err != nil {
		return nil, c.hint(err)
	}
	if err := p.requireType(description, accepted...); err != nil {
		return nil, err
	}
	if name := p.firstRead(c.refused); name != "" {
		return nil, refusal.New(Invalid, "must not read %s: it is evaluated when the content of the request is fixed", name)
	}
	r := &reader{Checker: c, ast: tree, expr: expr, vars: map[string]value{}}
	yielded := r.read(tree.Expr()).shape
	switch {
	case len(r.wrong) > 0:
		return nil, r.refusal()
	case yielded.may&wanted == 0:
		return nil, refusal.New(Invalid, "yields %s, not %s", yielded.may, description)
	case yielded.may&wanted == isList && yielded.items != nil && yielded.items.may&isString == 0:
		return nil, refusal.New(Invalid, "yields a list of %s, not %s", yielded.items.may, description)
	}
	return r.warnings, nil
}

// reader derives the possible values of the parts of a compiled expression.
type reader struct {
	Checker
	ast  *ast.AST
	expr string

	vars map[string]value // variables of the enclosing macros
	safe []string         // existing paths

	wrong    []complaint
	warnings []string
}

// complaint is a refusal of the part of an expression with the id.
type complaint struct {
	id      int64
	message string
}

// value describes the value of a part of an expression.
type value struct {
	shape
	path string // such as context.owner.id; empty if computed
}

func (r *reader) refuse(id int64, format string, args ...any) {
	r.wrong = append(r.wrong, complaint{id, fmt.Sprintf(format, args...)})
}

func (r *reader) warn(format string, args ...any) {
	if message := fmt.Sprintf(format, args...); !slices.Contains(r.warnings, message) {
		r.warnings = append(r.warnings, message)
	}
}

// refusal returns the first complaint, with its place.
func (r *reader) refusal() error {
	first := r.wrong[0]
	at := r.ast.SourceInfo().GetStartLocation(first.id)
	message := pointAt(r.expr, at.Line(), at.Column(), first.message, "")
	return refusal.New(Invalid, "%s", addCount(message, len(r.wrong)-1))
}

func (r *reader) read(e ast.Expr) value {
	static := value{shape: shapeOfType(r.ast.GetType(e.ID()))}
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		if v, bound := r.vars[name]; bound {
			return v
		}
		switch name {
		case "context":
			return value{r.context, name}
		case "stages":
			return value{r.stages, name}
		}
	case ast.SelectKind:
		return r.readSelect(e, static)
	case ast.CallKind:
		return r.readCall(e, static)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			r.read(element)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			r.read(entry.AsMapEntry().Key())
			r.read(entry.AsMapEntry().Value())
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			r.read(field.AsStructField().Value())
		}
	case ast.ComprehensionKind:
		r.readMacro(e.AsComprehension())
	}
	return static
}

func (r *reader) readSelect(e ast.Expr, static value) value {
	s := e.AsSelect()
	object := r.read(s.Operand())
	if object.may&isObject == 0 {
		r.refuse(e.ID(), "%s is %s and has no members", r.text(s.Operand(), object), object.may)
		return static
	}
	member := r.member(e.ID(), object, s.FieldName(), s.IsTestOnly())
	if s.IsTestOnly() || object.path == "" {
		return static
	}
	return member
}

// member reads a member of an object, or tests for it with has().
func (r *reader) member(id int64, object value, name string, asked bool) value {
	found, sure := object.member(name)
	path := object.path + "." + name
	switch {
	case object.path == "" || asked && sure != never:
	case sure == never:
		r.refuse(id, "%s is not in context_schema%s", path, didYouMean(name, slices.Sorted(maps.Keys(object.members))))
	case slices.Contains(r.safe, path):
	case sure == undeclared && object.path == "stages":
		r.warn("the policy has no stage %s%s", name, didYouMean(name, object.required))
	case sure == undeclared:
		r.warn("%s is not declared in context_schema%s", path, didYouMean(name, slices.Sorted(maps.Keys(object.members))))
	case sure == optional:
		r.warn("%s may be missing, and then the expression fails: context_schema does not require it, and has(%s) does not guard it", path, path)
	}
	return value{found, path}
}

func (r *reader) readCall(e ast.Expr, static value) value {
	c := e.AsCall()
	parts := c.Args()
	if c.IsMemberFunction() {
		parts = append([]ast.Expr{c.Target()}, parts...)
	}
	switch name := c.FunctionName(); name {
	case operators.LogicalAnd, operators.LogicalOr:
		// CEL ignores an error of one side when the other side decides.
		and := name == operators.LogicalAnd
		for i, part := range parts {
			r.readAssuming(presentPaths(parts[1-i], and), func() { r.needBool(part) })
		}
	case operators.Conditional:
		r.needBool(parts[0])
		var yes, no value
		r.readAssuming(presentPaths(parts[0], true), func() { yes = r.read(parts[1]) })
		r.readAssuming(presentPaths(parts[0], false), func() { no = r.read(parts[2]) })
		if static.may == isAnything {
			return value{shape: shape{may: yes.may | no.may, usually: yes.usually | no.usually}}
		}
	case operators.NotStrictlyFalse:
		r.read(parts[0])
	case operators.Index:
		return r.readIndex(e.ID(), parts[0], parts[1], static)
	default:
		values := make([]value, len(parts))
		for i, part := range parts {
			values[i] = r.read(part)
		}
		r.apply(e.ID(), name, parts, values)
	}
	return static
}

func (r *reader) needBool(e ast.Expr) {
	if v := r.read(e); v.may&isBool == 0 {
		r.refuse(e.ID(), "%s is %s, not a bool", r.text(e, v), v.may)
	}
}

func (r *reader) readIndex(id int64, container, index ast.Expr, static value) value {
	object := r.read(container)
	r.read(index)
	name, literal := literalText(index)
	switch {
	case object.may&(isList|isObject) == 0:
		r.refuse(id, "%s is %s and has no elements", r.text(container, object), object.may)
	case object.may == isObject && literal && object.path != "":
		return r.member(id, object, name, false)
	case object.may == isList && object.items != nil:
		return value{*object.items, pathOf(container) + "[]"}
	}
	return static
}

// readMacro reads the expansion of all, exists, exists_one, map and filter.
func (r *reader) readMacro(c ast.ComprehensionExpr) {
	over := r.read(c.IterRange())
	if over.may&(isList|isObject) == 0 {
		r.refuse(c.IterRange().ID(), "%s is %s, and a macro needs a list or an object", r.text(c.IterRange(), over), over.may)
	}
	element := value{anything, c.IterVar()}
	switch {
	case over.may == isObject:
		element.shape = kindShape(isString)
	case over.may == isList && over.items != nil:
		element.shape = *over.items
	}
	r.read(c.AccuInit())
	outer := r.vars
	r.vars = maps.Clone(outer)
	r.vars[c.IterVar()] = element
	r.vars[c.AccuVar()] = value{shape: anything}
	// The next iteration has another element.
	known := slices.DeleteFunc(slices.Clone(r.safe), func(path string) bool { return strings.HasPrefix(path, c.IterVar()+".") })
	r.safe, known = known, r.safe
	r.read(c.LoopCondition())
	r.read(c.LoopStep())
	r.read(c.Result())
	r.vars, r.safe = outer, known
}

// apply refuses a call that accepts no values of its arguments, and warns if it rejects some.
func (r *reader) apply(id int64, function string, parts []ast.Expr, values []value) {
	if slices.ContainsFunc(values, func(v value) bool { return v.may == 0 }) {
		return
	}
	switch function {
	case operators.Equals, operators.NotEquals:
		if !canEqual(values[0].may, values[1].may) {
			r.refuse(id, "%s is %s and never equals %s", r.text(parts[0], values[0]), values[0].may, values[1].may)
		}
		return
	case operators.In:
		if list := values[1]; list.may == isList && list.items != nil && !canEqual(values[0].may, list.items.may) {
			r.refuse(id, "%s is %s and is never in a list of %s", r.text(parts[0], values[0]), values[0].may, list.items.may)
			return
		}
	}
	may, usually := make([]kinds, len(values)), make([]kinds, len(values))
	for i, v := range values {
		may[i], usually[i] = v.may, v.usually
	}
	if !r.accepts(function, may) {
		r.refuse(id, "%s does not take (%s)", symbol(function), kindNames(may))
		return
	}
	if failing := r.rejectedTypes(function, usually, 0); failing != nil {
		hint := ""
		if slices.Contains(failing, isInt) && slices.Contains(failing, isDouble) {
			hint = "; write double(…) around integers"
		}
		r.warn("%s does not take (%s), and the expression fails for such values%s", symbol(function), kindNames(failing), hint)
	}
}

// rejectedTypes returns types of the arguments that the function rejects, or nil. Arguments of any type are
// ignored.
func (r *reader) rejectedTypes(function string, args []kinds, from int) []kinds {
	for i := from; i < len(args); i++ {
		if args[i] == isAnything {
			continue
		}
		for k := kinds(1); k < isAnything; k <<= 1 {
			if args[i]&k == 0 || args[i] == k {
				continue
			}
			chosen := slices.Clone(args)
			chosen[i] = k
			if found := r.rejectedTypes(function, chosen, i+1); found != nil {
				return found
			}
		}
	}
	if !r.accepts(function, args) {
		return args
	}
	return nil
}

// accepts reports whether an overload of the function accepts some values of the types.
func (r *reader) accepts(function string, args []kinds) bool {
	declared, known := r.env.cel.Functions()[function]
	fits := func(t *cel.Type, arg kinds) bool { return shapeOfType(t).may&arg != 0 }
	return !known || slices.ContainsFunc(declared.OverloadDecls(), func(overload *decls.OverloadDecl) bool {
		return slices.EqualFunc(overload.ArgTypes(), args, fits)
	})
}

// canEqual reports whether values of the types can be equal. Numbers of all types compare. A comparison
// with null is always permitted.
func canEqual(a, b kinds) bool {
	return (a|b)&isNull != 0 || a&isNumber != 0 && b&isNumber != 0 || a&b != 0
}

// readAssuming reads a part in which the paths exist.
func (r *reader) readAssuming(paths []string, read func()) {
	before := r.safe
	r.safe = append(slices.Clone(before), paths...)
	read()
	r.safe = before
}

// presentPaths returns the paths that exist if a condition has the outcome.
func presentPaths(e ast.Expr, outcome bool) []string {
	switch e.Kind() {
	case ast.SelectKind:
		if s := e.AsSelect(); s.IsTestOnly() && outcome {
			if object := pathOf(s.Operand()); object != "" {
				return []string{object + "." + s.FieldName()}
			}
		}
	case ast.CallKind:
		args := e.AsCall().Args()
		switch name := e.AsCall().FunctionName(); {
		case name == operators.LogicalNot:
			return presentPaths(args[0], !outcome)
		case name == operators.LogicalAnd && outcome, name == operators.LogicalOr && !outcome:
			return append(presentPaths(args[0], outcome), presentPaths(args[1], outcome)...)
		case name == operators.In && outcome:
			if member, ok := literalText(args[0]); ok && pathOf(args[1]) != "" {
				return []string{pathOf(args[1]) + "." + member}
			}
		}
	}
	return nil
}

// pathOf returns the path of a value in a variable; empty if computed.
func pathOf(e ast.Expr) string {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent()
	case ast.SelectKind:
		if object := pathOf(e.AsSelect().Operand()); object != "" && !e.AsSelect().IsTestOnly() {
			return object + "." + e.AsSelect().FieldName()
		}
	case ast.CallKind:
		if c := e.AsCall(); c.FunctionName() == operators.Index {
			if name, ok := literalText(c.Args()[1]); ok && pathOf(c.Args()[0]) != "" {
				return pathOf(c.Args()[0]) + "." + name
			}
		}
	}
	return ""
}

func literalText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// text returns the name of a part of the expression in a message.
func (r *reader) text(e ast.Expr, v value) string {
	switch {
	case v.path != "":
		return v.path
	case e.Kind() == ast.LiteralKind:
		return "the literal"
	default:
		return "the value"
	}
}

func symbol(function string) string {
	if s, ok := operators.FindReverse(function); ok && s != "" {
		return s
	}
	return function
}

func kindNames(args []kinds) string {
	names := make([]string, len(args))
	for i, k := range args {
		names[i] = k.String()
	}
	return strings.Join(names, ", ")
}
