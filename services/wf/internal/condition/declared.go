package condition

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/types"
)

// Name is a member of a variable, a variable without members, or a function of expressions.
type Name struct {
	Name  string // of functions with the same forms, all names
	Type  string // of a function f, its forms
	Where string // the expressions that may not use it
}

// computed are the values that follow from the content, which docs/policies.md lists.
const computed = "not in computed values"

// where has the expressions that may not read a variable; the others are read everywhere.
var where = map[string]string{"stages": computed + " and `checks`", "now": computed}

// Declared returns what an expression may use, from the declarations of the checker: the variables, then the functions.
func Declared() ([]Name, error) {
	scope := In(nil, "")
	if scope.err != nil {
		return nil, scope.err
	}
	names := []Name{{"context.MEMBER", "that of `context_schema`, else dynamic", ""}}
	for _, v := range scope.cel.Variables() {
		name, object, place := v.Name(), v.Type(), where[v.Name()]
		if object.Kind() == types.MapKind && name != "context" {
			object, name = object.Parameters()[1], name+".KEY"
		}
		switch {
		case name == "context" || !slices.Contains(variables, v.Name()):
		case object.Kind() != types.StructKind:
			names = append(names, Name{name, plain(object.String()), place})
		default:
			fields, _ := scope.provider.FindStructFieldNames(object.TypeName())
			for _, field := range fields {
				found, _ := scope.provider.FindStructFieldType(object.TypeName(), field)
				names = append(names, Name{name + "." + field, plain(found.Type.String()), place})
			}
		}
	}
	byName := func(a, b Name) int { return cmp.Compare(a.Name, b.Name) }
	slices.SortFunc(names, byName)
	functions := []Name{{strings.Join(macros, ", "), "macros", ""}}
	byForms := map[string][]string{}
	for name, function := range scope.cel.Functions() {
		if identifier.MatchString(name) {
			forms := formsOf(function)
			byForms[forms] = append(byForms[forms], name)
		}
	}
	for forms, alike := range byForms {
		slices.Sort(alike)
		functions = append(functions, Name{strings.Join(alike, ", "), forms, ""})
	}
	slices.SortFunc(functions[1:], byName)
	return append(names, functions...), nil
}

// identifier matches the names of functions; the others are operators.
var identifier = regexp.MustCompile(`^[a-z][A-Za-z]{2,}$`)

// formsOf returns the forms of a function f.
func formsOf(function *decls.FunctionDecl) string {
	var all []string
	for _, form := range function.Documentation().Children {
		all = append(all, plain(strings.Replace(form.Signature, function.Name()+"(", "f(", 1)))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "; ")
}

// plain returns the name of a type or a form. A number of the content is a decimal, a double of CEL.
func plain(name string) string {
	words := strings.NewReplacer("google.protobuf.", "", "double", "decimal", "<", "", ">", "", " -> ", ": ")
	return words.Replace(strings.ToLower(name))
}
