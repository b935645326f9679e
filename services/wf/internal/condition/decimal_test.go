package condition_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/condition"
)

// typed declares x, y and l as numbers, and n as an integer.
var typed = condition.In([]byte(`{"type": "object", "properties": {
	"x": {"type": "number"}, "y": {"type": "number"}, "n": {"type": "integer"},
	"l": {"type": "array", "items": {"type": "number"}}, "o": {"type": "object", "additionalProperties": {"type": "number"}}}}`), "")

// Each row holds for x = 0.1, y = 0.2, n = 2, l = [0.1, 2, 1e0], o = {"a": 2.0}, with and without the schema.
func TestNumbersAreExactDecimals(t *testing.T) {
	const document = `{"x":0.1,"y":0.2,"n":2,"l":[0.1,2,1e0],"o":{"a":2.0},"t":"1.10"}`
	for _, expr := range []string{
		`context.x + context.y == 0.3`, `0.3 == context.x + context.y`, `context.x + context.y != 0.30000000000001`,
		`!(context.x + context.y > 0.3)`, `!(0.3 < context.x + context.y)`, `context.x * 3 == 0.3`, `3 * context.x == 0.3`,
		`1 - context.x == 0.9`, `context.x - 1 == -0.9`, `-context.x == -0.1`, `context.x / 3 < 0.0333333333333334`,
		`context.n == 2.0`, `2.0 == context.n`, `2 == context.n`, `context.n != 3`, `3 != context.n`, `2 == context.x * 20`, `context.x * 20 == 2`,
		`!(2000 == context.x)`, `2000 != context.x`, `context.n + 0.5 == 2.5`, `0.5 + context.n == 2.5`, `context.n / 4.0 == 0.5`,
		`context.n > 1.5 && 1.5 < context.n && context.n <= 2 && 2 >= context.n`,
		`2 in context.l`, `1 in context.l`, `0.1 in context.l`, `!(3 in context.l)`, `context.x in [1, 0.1]`, `context.n in [1.0, 2.0]`,
		`context.l == [0.1, 2.0, 1]`, `[0.1, 2, 1] == context.l`, `context.l != [0.1, 2, 2]`, `context.o == {"a": 2}`, `{"a": 2} == context.o`,
		`[context.x] in [[1], [0.1]]`, `sum(context.l) == 3.1`, `3.1 == sum(context.l)`, `sum([]) == 0`, `sum(context.l.filter(x, x > 5)) == 0`,
		`sum([1, 2, context.n]) == 5`, `round(context.x + 0.05, 1) == 0.2`, `round(-context.x - 0.05, 1) == -0.2`, `round(2.5, 0) == 3`,
		`round(context.n, 2) == 2`, `double(context.x) + double(context.y) == 0.3`, `double("0.1") == context.x`, `double(context.n) == 2.0`,
		`int(context.x * 19) == 1`, `int(-context.x * 19) == -1`, `string(context.x * 10) == "1"`, `string(context.x + 1) == "1.1"`,
		`string(double("1.0000000000000000000000000005") / 1) == "1"`, // a tie in the 28th digit
		`string(double("-1.0000000000000000000000000015") / 1) == "-1.000000000000000000000000002"`,
		`context.x == 1e-1`, `context.x * 1e20 == 1e19`,
	} {
		for name, scope := range map[string]*condition.Scope{"typed": typed, "untyped": untyped} {
			if got, err := scope.Bool(expr, input(document)); err != nil || !got {
				t.Errorf("%s, %s = %t, %v", expr, name, got, err)
			}
		}
	}
}

func TestNumbersWithoutAValue(t *testing.T) {
	scope := condition.In([]byte(`{"properties": {"x": {"type": "number"}, "n": {"type": "integer"}, "big": {"type": "integer"},
		"bigs": {"type": "array", "items": {"type": "integer"}}, "named": {"type": "object", "additionalProperties": {"type": "integer"}},
		"t": {}, "word": {"type": "string"}, "long": {"type": "number"}}}`), "")
	for expr, want := range map[string]string{
		`context.x / 0 > 1`:                   "division by zero",
		`context.x / (context.x - 0.1)>1`:     "division by zero",
		`context.n + 9223372036854775807 > 0`: "integer overflow",
		`context.big > 0`:                     "an integer of the context is outside 64 bits",
		`[context.big] == [1]`:                "an integer of the context is outside 64 bits",
		`1 in [context.big]`:                  "an integer of the context is outside 64 bits",
		`context.bigs == [2]`:                 "an integer of the context is outside 64 bits",
		`[2] == context.bigs`:                 "an integer of the context is outside 64 bits",
		`context.named == {"a": 2}`:           "an integer of the context is outside 64 bits",
		`context.t + 1 > 0`:                   "no such overload",
		`context.t > 0`:                       "no such overload",
		`sum([context.t]) == 0`:               "sum of a list with something other than numbers",
		`double(context.word) > 0`:            "context.word is not a number such as 12.5",
		`round(context.x, 19) > 0`:            "round has 0 to 18 decimals",
		`context.x` + strings.Repeat(` * 1.00000000000001`, 20) + ` > 0`: "a number has more than 200 digits",
		`context.long * context.long * context.long * context.long > 0`:  "a number has more than 200 digits",
	} {
		in := input(`{"x":0.1,"n":2,"t":"1","big":18446744073709551616,"bigs":[18446744073709551616],
			"named":{"a":18446744073709551616},"word":"a","long":0.` + strings.Repeat("7", 60) + `}`)
		_, err := scope.Bool(expr, in)
		if !errors.Is(err, condition.Failed) || refusal.MessageOf(err) != want {
			t.Errorf("%s: %v, want %s", expr, err, want)
		}
	}
}

// Random amounts agree with math/big.
func TestAmountsEqualThoseOfBigRat(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	amount := func() string {
		n := random.Int64N(2_000_000) - 500_000
		return fmt.Sprintf("%.*f", random.IntN(5), float64(n)/float64([]int{1, 10, 100, 8}[random.IntN(4)]))
	}
	rat := func(text string) *big.Rat { r, _ := new(big.Rat).SetString(text); return r }
	for range 3000 {
		a, b, c := amount(), amount(), amount()
		sum := new(big.Rat).Add(rat(a), rat(b))
		product := new(big.Rat).Mul(rat(a), rat(c))
		for expr, want := range map[string]bool{
			`context.l[0] + context.l[1] < context.l[2]`:                   sum.Cmp(rat(c)) < 0,
			`sum(context.l) == context.l[0] + context.l[1] + context.l[2]`: true,
			`context.l[0] * context.l[2] >= context.l[1]`:                  product.Cmp(rat(b)) >= 0,
			`context.l[0] - context.l[2] == context.l[1]`:                  new(big.Rat).Sub(rat(a), rat(c)).Cmp(rat(b)) == 0,
		} {
			in := input(fmt.Sprintf(`{"l":[%s,%s,%s]}`, a, b, c))
			if got, err := typed.Bool(expr, in); err != nil || got != want {
				t.Fatalf("%s of %s, %s, %s = %t, %v", expr, a, b, c, got, err)
			}
		}
		if rat(b).Sign() == 0 {
			continue
		}
		// A quotient of 28 digits differs from the exact one by at most half of its last digit.
		in := input(fmt.Sprintf(`{"x":%s,"y":%s}`, a, b))
		text, err := typed.Strings(`string(context.x / context.y)`, in)
		if err != nil {
			t.Fatal(err)
		}
		exact := new(big.Rat).Quo(rat(a), rat(b))
		difference := new(big.Rat).Sub(rat(text[0]), exact)
		bound := new(big.Rat).Abs(new(big.Rat).Mul(exact, rat("5e-28")))
		digits := len(strings.TrimLeft(strings.ReplaceAll(strings.TrimPrefix(text[0], "-"), ".", ""), "0"))
		if difference.Abs(difference).Cmp(bound) > 0 || digits > 28 && strings.Contains(text[0], ".") {
			t.Fatalf("%s / %s = %s", a, b, text[0])
		}
	}
}
