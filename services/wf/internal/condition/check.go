package condition

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"

	"github.com/countersign/countersign/libs/refusal"
)

// Checker checks expressions of a policy version when they are written. Evaluation does not use it. One goroutine
// uses it.
type Checker struct {
	scope   *Scope
	stages  []string
	refused []string // variables that the expression must not read
}

// NewChecker returns the checker of a policy version with these stage keys; see In. It has its own scope, because a
// message names the members of the type that was missed last.
func NewChecker(contextSchema []byte, zone string, stages ...string) Checker {
	return Checker{scope: newScope(contextSchema, zone), stages: stages}
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

// Bool refuses an expr that can never be a condition: it does not compile, may cost too much, or has another type.
// The warnings name possible failures.
func (c Checker) Bool(expr string) (warnings []string, err error) {
	return c.check(expr, "a bool", cel.BoolType)
}

// Strings is Bool for an expression that yields a string or a list of strings.
func (c Checker) Strings(expr string) (warnings []string, err error) {
	return c.check(expr, "a string or a list of strings", cel.StringType, cel.ListType(cel.StringType))
}

// Int is Bool for a whole number. A number of the content may be one.
func (c Checker) Int(expr string) (warnings []string, err error) {
	if warnings, err = c.check(expr, "a whole number", cel.IntType, cel.DoubleType); err == nil && literalForm.FindString(expr) == expr {
		_, err = c.scope.Int(expr, Input{})
	}
	return warnings, err
}

// Time is Bool for a timestamp.
func (c Checker) Time(expr string) (warnings []string, err error) {
	return c.check(expr, "a timestamp", cel.TimestampType)
}

// DueDate is Bool for the value of Scope.DueDate.
func (c Checker) DueDate(expr string) (warnings []string, err error) {
	return c.check(expr, "a duration, an ISO 8601 duration or a timestamp", cel.DurationType, cel.StringType, cel.TimestampType)
}

// Duration is DueDate without timestamps.
func (c Checker) Duration(expr string) (warnings []string, err error) {
	return c.check(expr, "a duration or an ISO 8601 duration", cel.DurationType, cel.StringType)
}

func (c Checker) check(expr, description string, accepted ...*cel.Type) ([]string, error) {
	p, tree, err := c.scope.build(expr)
	if err != nil {
		return nil, err
	}
	if err := p.requireType(description, accepted...); err != nil {
		return nil, err
	}
	if name := p.firstRead(c.refused); name != "" {
		return nil, refusal.New(Invalid, "must not read %s: it is evaluated when the content of the request is fixed", name)
	}
	r := &reader{Scope: c.scope, stages: c.stages, tree: tree, expr: expr}
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(r.tests))
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(r.read))
	if r.wrong != "" {
		return nil, refusal.New(Invalid, "%s", r.wrong)
	}
	return r.warnings, nil
}

// reader finds the parts of a checked expression that may fail.
type reader struct {
	*Scope
	stages []string
	tree   *ast.AST
	expr   string

	tested   []string // paths whose existence the expression tests
	warnings []string
	wrong    string // the first refusal
}

func (r *reader) warn(format string, args ...any) {
	if message := fmt.Sprintf(format, args...); !slices.Contains(r.warnings, message) {
		r.warnings = append(r.warnings, message)
	}
}

func (r *reader) refuse(e ast.Expr, format string, args ...any) {
	if at := r.tree.SourceInfo().GetStartLocation(e.ID()); r.wrong == "" {
		r.wrong = pointAt(r.expr, at.Line(), at.Column(), fmt.Sprintf(format, args...))
	}
}

// tests collects the paths of has(…).
func (r *reader) tests(e ast.Expr) {
	if e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() {
		r.tested = append(r.tested, pathOf(e.AsSelect().Operand())+"."+e.AsSelect().FieldName())
	}
}

func (r *reader) read(e ast.Expr) {
	switch e.Kind() {
	case ast.SelectKind:
		if s := e.AsSelect(); !s.IsTestOnly() {
			r.readMember(s.Operand(), s.FieldName(), pathOf(e))
		}
	case ast.CallKind:
		r.readCall(e, e.AsCall())
	case ast.LiteralKind:
		r.readLiteral(e)
	}
}

// readMember warns of a member that may be missing.
func (r *reader) readMember(object ast.Expr, name, path string) {
	if pathOf(object) == "stages" && !slices.Contains(r.stages, name) && len(r.stages) > 0 {
		r.warn("the policy has no stage %s%s", name, didYouMean(name, r.stages))
	}
	declared := r.provider.objects[r.tree.GetType(object.ID()).TypeName()]
	if declared != nil && !slices.Contains(declared.required, name) && !slices.Contains(r.tested, path) {
		r.warn("%s may be missing, and then the expression fails: context_schema does not require it, and has(%s) does not guard it", path, path)
	}
}

func (r *reader) readCall(e ast.Expr, c ast.CallExpr) {
	switch name := c.FunctionName(); name {
	case operators.Index:
		if key, ok := literalText(c.Args()[1]); ok {
			r.readMember(c.Args()[0], key, "")
		}
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		for _, arg := range c.Args() {
			if s := r.at(pathOf(arg)); s != nil && s.format == "date-time" {
				r.warn("%s is compared as a text, which ignores time zones; write timestamp(%s)", pathOf(arg), pathOf(arg))
			}
		}
	case "sum":
		list := r.tree.GetType(c.Args()[0].ID())
		if list.Kind() != types.ListKind {
			return
		}
		switch list.Parameters()[0].Kind() {
		case types.IntKind, types.DoubleKind, types.DynKind, types.TypeParamKind:
		default:
			r.refuse(e, "sum takes a list of numbers, not %s", list)
		}
	case overloads.TypeConvertTimestamp, "date":
		text, ok := literalText(c.Args()[0])
		if ok && types.IsError(r.timestamp(types.String(text))) {
			r.refuse(e, "%q is not a time such as 2027-01-04T09:00:00Z, nor a date such as 2027-01-04", text)
		}
	}
}

var literalForm = regexp.MustCompile(`^-?[0-9]*\.?[0-9]+`)

// readLiteral refuses a literal that a double changes.
func (r *reader) readLiteral(e ast.Expr) {
	if _, ok := e.AsLiteral().(types.Double); !ok {
		return
	}
	at := r.tree.SourceInfo().GetStartLocation(e.ID())
	lines := strings.Split(r.expr, "\n")
	if at.Line() < 1 || at.Line() > len(lines) {
		return
	}
	line := []rune(lines[at.Line()-1])
	written := literalForm.FindString(string(line[min(max(at.Column(), 0), len(line)):]))
	if digits := strings.TrimLeft(strings.ReplaceAll(written, ".", ""), "-0"); len(digits) > maxLiteral {
		r.refuse(e, "%s has %d significant digits; a number with a point has at most %d", written, len(digits), maxLiteral)
	}
}

// pathOf returns the path of a value in a variable, such as context.owner.id; empty if computed.
func pathOf(e ast.Expr) string {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent()
	case ast.SelectKind:
		if object := pathOf(e.AsSelect().Operand()); object != "" && !e.AsSelect().IsTestOnly() {
			return object + "." + e.AsSelect().FieldName()
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
