package registrar_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
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

func TestDescribeNamesEveryField(t *testing.T) {
	err := refusal.Invalid([]refusal.Problem{
		{Where: "/redirectUris/2", Reason: registrar.InvalidRedirectURI, Message: "must not have a fragment"},
		{Where: "/additionalConfig/purpose", Reason: registrar.InvalidConfig, Message: "must be an object or null"},
	})
	want := "redirectUris[2]: must not have a fragment; additionalConfig.purpose: must be an object or null"
	if got := registrar.Describe(err); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for err, want := range map[error]string{
		refusal.New(registrar.ClientNotFound, "no client c1"): "no client c1",
		io.EOF: "EOF",
	} {
		if got := registrar.Describe(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTheCodeOfAProviderIsTheCaseOfItsRefusal(t *testing.T) {
	err := registrar.ErrorOfProvider("invalid_claim", "no such claim")
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok || !errors.Is(err, registrar.ProviderRefused) || registrar.ProviderCode(refused.Reason) != "invalid_claim" {
		t.Errorf("%v", err)
	}
	if code := registrar.ProviderCode("invalid_redirect_uri/blank"); code != "" {
		t.Errorf("a case of another reason is a code: %q", code)
	}
}
