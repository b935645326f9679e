package registrar_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func TestReasonsIsEveryReason(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "error.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []registrar.Reason
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "Reason" {
			text, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			declared = append(declared, registrar.Reason(text))
		}
		return true
	})
	if !slices.Equal(declared, registrar.Reasons) {
		t.Errorf("Reasons = %q; error.go declares %q", registrar.Reasons, declared)
	}
	slices.Sort(declared)
	if len(slices.Compact(declared)) != len(registrar.Reasons) {
		t.Error("two reasons have the same text")
	}
}

func TestRefusalsAreFoundByTheirReason(t *testing.T) {
	refusal := registrar.Refuse(registrar.ClientNotFound, "no client %s", "c1")
	if !errors.Is(refusal, registrar.ClientNotFound) || refusal.Error() != "client_not_found: no client c1" {
		t.Errorf("%v", refusal)
	}
	problems := registrar.Invalid{
		{Field: "logoUri", Reason: registrar.InvalidLogoURI, Message: "is missing"},
		{Field: "status", Reason: registrar.InvalidStatus, Message: "must be ACTIVE or INACTIVE"},
	}
	if !errors.Is(problems, registrar.InvalidStatus) || errors.Is(problems, registrar.InvalidKey) {
		t.Errorf("%v", problems)
	}
	if want := "logoUri: is missing; status: must be ACTIVE or INACTIVE"; problems.Error() != want {
		t.Errorf("%q, want %q", problems.Error(), want)
	}
}
