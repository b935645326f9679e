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
	scope  *Scope
	stages []string
}

// NewChecker returns the checker of a policy version with these stage keys; see In. It has its own scope, because a
// message names the members of the type that was missed last.
func NewChecker(contextSchema []byte, zone string, stages ...string) Checker {
	return Checker{newScope(contextSchema, zone), stages}
}

// Check refuses an expression that can never yield the type: it does not compile, may cost too much, has another type,
// or reads a variable that has no value when it is evaluated. The warnings name possible failures.
func (c Checker) Check(expr string, yields Yield, absent ...string) (warnings []string, err error) {
	p, tree, err := c.scope.build(expr)
	if err != nil {
		return nil, err
	}
	fits := func(t *cel.Type) bool { return t.IsAssignableType(p.output) || p.output.IsAssignableType(t) }
	if !slices.ContainsFunc(accepted[yields], fits) {
		return nil, refusal.New(Invalid, "yields %s, not %s", p.output, yields)
	}
	if name := p.firstRead(absent); name != "" {
		return nil, refusal.New(Invalid, "must not read %s: it is evaluated when the content of the request is fixed", name)
	}
	if yields == Int && literalForm.FindString(expr) == expr {
		_, err := c.scope.Evaluate(expr, Int, Input{})
		return nil, err
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
	if place := r.tree.SourceInfo().GetStartLocation(e.ID()); r.wrong == "" {
		r.wrong = at(place.Line(), place.Column(), fmt.Sprintf(format, args...))
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
	case operators.Equals, operators.NotEquals,
		operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		for _, arg := range c.Args() {
			if r.format(arg) == "date-time" {
				r.warn("%[1]s is compared as a text, which ignores time zones; write timestamp(%[1]s)", pathOf(arg))
			}
		}
	case overloads.TypeConvertTimestamp, "date":
		text, ok := literalText(c.Args()[0])
		if ok && types.IsError(r.timestamp(types.String(text))) {
			r.refuse(e, "%q is not %s", text, timeForm)
		}
		if name != "date" && r.format(c.Args()[0]) == "date" {
			r.warn("timestamp(%[1]s) is the begin of the day; write date(%[1]s) if that is meant", pathOf(c.Args()[0]))
		}
	}
}

// format returns the format of a member of the content, or an empty string.
func (r *reader) format(e ast.Expr) string {
	if e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly() {
		declared := r.provider.objects[r.tree.GetType(e.AsSelect().Operand().ID()).TypeName()]
		if declared != nil {
			return declared.members[e.AsSelect().FieldName()].format
		}
	}
	return ""
}

var literalForm = regexp.MustCompile(`^-?[0-9]*\.?[0-9]+`)

// readLiteral refuses a literal that a double changes.
func (r *reader) readLiteral(e ast.Expr) {
	if _, ok := e.AsLiteral().(types.Double); !ok {
		return
	}
	place, _ := r.tree.SourceInfo().GetOffsetRange(e.ID())
	written := literalForm.FindString(string([]rune(r.expr)[place.Start:]))
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
