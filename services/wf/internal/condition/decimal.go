package condition

import (
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// Limits of numbers in significant digits.
const (
	maxLiteral     = 15  // of a literal with a point; a double, which the parser makes of it, is exact so far
	quotientDigits = 28  // of a quotient, rounded half to even
	maxDigits      = 200 // of a result; a number of the content has at most 64
	maxPlaces      = 18  // decimals of round
)

// decimal is an exact number, of finitely many decimals. It takes the place of CEL's double: the checker sees a
// double, and no binary fraction exists at run time.
type decimal struct{ *big.Rat }

// ConvertToNative implements ref.Val. No decimal leaves an evaluation.
func (d decimal) ConvertToNative(reflect.Type) (any, error) { return d.String(), nil }

// ConvertToType implements ref.Val: int(x) truncates, string(x) is the plain notation.
func (d decimal) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.IntType:
		return integer(new(big.Int).Quo(d.Num(), d.Denom()))
	case types.UintType:
		if n := new(big.Int).Quo(d.Num(), d.Denom()); n.IsUint64() {
			return types.Uint(n.Uint64())
		}
		return types.NewErr("unsigned integer overflow")
	case types.StringType:
		return types.String(d.String())
	case types.DoubleType:
		return d
	case types.TypeType:
		return types.DoubleType
	}
	return types.NewErr("no such overload")
}

// Equal implements ref.Val.
func (d decimal) Equal(other ref.Val) ref.Val {
	n, ok := number(other)
	return types.Bool(ok && d.Cmp(n.Rat) == 0)
}

// Type implements ref.Val.
func (d decimal) Type() ref.Type { return types.DoubleType }

// Value implements ref.Val.
func (d decimal) Value() any { return d.Rat }

// The operators of CEL. The other operand is a decimal; see call.

// Negate implements traits.Negater.
func (d decimal) Negate() ref.Val { return decimal{new(big.Rat).Neg(d.Rat)} }

// Add implements traits.Adder.
func (d decimal) Add(v ref.Val) ref.Val { return bounded(new(big.Rat).Add(d.Rat, v.(decimal).Rat)) }

// Subtract implements traits.Subtractor.
func (d decimal) Subtract(v ref.Val) ref.Val {
	return bounded(new(big.Rat).Sub(d.Rat, v.(decimal).Rat))
}

// Multiply implements traits.Multiplier.
func (d decimal) Multiply(v ref.Val) ref.Val {
	return bounded(new(big.Rat).Mul(d.Rat, v.(decimal).Rat))
}

// Compare implements traits.Comparer.
func (d decimal) Compare(v ref.Val) ref.Val { return types.Int(d.Cmp(v.(decimal).Rat)) }

// Modulo implements traits.Modder for whole numbers.
func (d decimal) Modulo(v ref.Val) ref.Val {
	other := v.(decimal)
	if !d.IsInt() || !other.IsInt() {
		return types.NoSuchOverloadErr()
	}
	a, b := integer(d.Num()), integer(other.Num())
	if types.IsError(a) || types.IsError(b) {
		return types.NewErr("integer overflow")
	}
	return a.(types.Int).Modulo(b)
}

// Divide implements traits.Divider. It rounds to quotientDigits significant digits, half to even.
func (d decimal) Divide(v ref.Val) ref.Val {
	divisor := v.(decimal)
	if divisor.Sign() == 0 {
		return types.NewErr("division by zero")
	}
	q := new(big.Rat).Quo(d.Rat, divisor.Rat)
	if q.Sign() == 0 {
		return decimal{q}
	}
	magnitude := len(new(big.Int).Abs(q.Num()).String()) - len(q.Denom().String()) // of the first digit, or one more
	if new(big.Rat).Abs(q).Cmp(power(magnitude)) < 0 {
		magnitude--
	}
	unit := power(magnitude - quotientDigits + 1)
	scaled := q.Quo(q, unit)
	whole, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	half := rest.Abs(rest).Lsh(rest, 1).Cmp(scaled.Denom())
	if half > 0 || half == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(int64(scaled.Sign())))
	}
	return bounded(new(big.Rat).Mul(new(big.Rat).SetInt(whole), unit))
}

// String returns the plain notation, such as 1200.5.
func (d decimal) String() string {
	places, _ := d.FloatPrec()
	return d.FloatString(places)
}

// integer returns a whole number as an int, or an error outside 64 bits.
func integer(n *big.Int) ref.Val {
	if !n.IsInt64() {
		return types.NewErr("integer overflow")
	}
	return types.Int(n.Int64())
}

// number returns the exact value of a number of CEL.
func number(v ref.Val) (decimal, bool) {
	switch v := v.(type) {
	case decimal:
		return v, true
	case types.Int:
		return decimal{new(big.Rat).SetInt64(int64(v))}, true
	case types.Uint:
		return decimal{new(big.Rat).SetUint64(uint64(v))}, true
	case types.Double: // a literal of at most maxLiteral digits
		return parseDecimal(strconv.FormatFloat(float64(v), 'g', -1, 64))
	}
	return decimal{}, false
}

var numberForm = regexp.MustCompile(`^[+-]?[0-9]{1,64}(\.[0-9]{1,64})?([eE][+-]?[0-9]{1,3})?$`)

// parseDecimal reads a number of JSON.
func parseDecimal(text string) (decimal, bool) {
	if !numberForm.MatchString(text) {
		return decimal{}, false
	}
	r, ok := new(big.Rat).SetString(text)
	return decimal{r}, ok
}

// bounded returns a result, or an error if it has more than maxDigits digits.
func bounded(r *big.Rat) ref.Val {
	d := decimal{r}
	if r.Num().BitLen()/3+r.Denom().BitLen() < maxDigits-2 { // an upper bound of its digits, without writing them
		return d
	}
	if r.Num().BitLen() > 8*maxDigits || len(strings.TrimLeft(d.String(), "-0.")) > maxDigits+1 {
		return types.NewErr("a number has more than %d digits", maxDigits)
	}
	return d
}

// binary are the operators that are exact for numbers. Two ints, and values of other types, keep those of CEL.
var binary = map[string]func(a, b ref.Val) ref.Val{
	operators.Add:           func(a, b ref.Val) ref.Val { return call(a, b, traits.Adder.Add) },
	operators.Subtract:      func(a, b ref.Val) ref.Val { return call(a, b, traits.Subtractor.Subtract) },
	operators.Multiply:      func(a, b ref.Val) ref.Val { return call(a, b, traits.Multiplier.Multiply) },
	operators.Divide:        func(a, b ref.Val) ref.Val { return call(a, b, traits.Divider.Divide) },
	operators.Modulo:        func(a, b ref.Val) ref.Val { return call(a, b, traits.Modder.Modulo) },
	operators.Less:          func(a, b ref.Val) ref.Val { return order(a, b, types.IntNegOne) },
	operators.LessEquals:    func(a, b ref.Val) ref.Val { return order(a, b, types.IntNegOne, types.IntZero) },
	operators.Greater:       func(a, b ref.Val) ref.Val { return order(a, b, types.IntOne) },
	operators.GreaterEquals: func(a, b ref.Val) ref.Val { return order(a, b, types.IntOne, types.IntZero) },
	operators.Equals:        equal,
	operators.NotEquals:     notEqual,
	operators.In:            contains,
}

// call applies an operator. Numbers become decimals, except two ints.
func call[T any](a, b ref.Val, operator func(T, ref.Val) ref.Val) ref.Val {
	x, isX := number(a)
	y, isY := number(b)
	if isX && isY && !(isInt(a) && isInt(b)) {
		a, b = x, y
	}
	if a, ok := a.(T); ok {
		return operator(a, b)
	}
	return types.NoSuchOverloadErr()
}

func isInt(v ref.Val) bool {
	_, ok := v.(types.Int)
	return ok
}

// order reports whether the order of two values is one of the accepted ones.
func order(a, b ref.Val, accepted ...types.Int) ref.Val {
	found := call(a, b, traits.Comparer.Compare)
	if order, ok := found.(types.Int); ok {
		return types.Bool(slices.Contains(accepted, order))
	}
	return found
}

// power returns 10 to the power of n.
func power(n int) *big.Rat {
	size := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), size)
	}
	return new(big.Rat).SetInt(size)
}

// round is round(x, n): to n decimals, ties away from zero.
func round(v, n ref.Val) ref.Val {
	x, ok := number(v)
	places, whole := n.(types.Int)
	if !ok || !whole {
		return types.NoSuchOverloadErr()
	}
	if places < 0 || places > maxPlaces {
		return types.NewErr("round has 0 to %d decimals", maxPlaces)
	}
	if isInt(v) {
		return v
	}
	unit := power(int(places))
	scaled := new(big.Rat).Mul(x.Rat, unit)
	scaled.Add(scaled, big.NewRat(int64(scaled.Sign()), 2))
	return bounded(new(big.Rat).Quo(new(big.Rat).SetInt(new(big.Int).Quo(scaled.Num(), scaled.Denom())), unit))
}

// sum is sum(list) of numbers: exact, and 0 for an empty list.
func sum(v ref.Val) ref.Val {
	list, ok := v.(traits.Lister)
	if !ok {
		return types.NoSuchOverloadErr()
	}
	var total ref.Val = types.Int(0)
	for it := list.Iterator(); it.HasNext() == types.True; {
		element := it.Next()
		if _, ok := number(element); !ok && !types.IsError(element) {
			return types.NewErr("sum of a list with something other than numbers")
		}
		if total = call(total, element, traits.Adder.Add); types.IsError(total) {
			return total
		}
	}
	return total
}

// double is double(x): the exact number.
func double(v ref.Val) ref.Val {
	d, ok := number(v)
	if text, isText := v.(types.String); isText {
		d, ok = parseDecimal(string(text))
	}
	if !ok {
		return types.NoSuchOverloadErr()
	}
	return d
}

// equal compares numbers by value, also within lists and maps. CEL's own comparison of an int with a foreign type
// is false, and treats an error in a list as a difference.
func equal(a, b ref.Val) ref.Val {
	a, b = exact(a), exact(b)
	switch {
	case types.IsError(a):
		return a
	case types.IsError(b):
		return b
	}
	return types.Equal(a, b)
}

// exact returns a value with decimals for all of its numbers, or the error that it contains.
func exact(v ref.Val) ref.Val {
	if n, ok := number(v); ok {
		return n
	}
	switch v := v.(type) {
	case traits.Lister:
		var elements []ref.Val
		for it := v.Iterator(); it.HasNext() == types.True; {
			element := exact(it.Next())
			if types.IsError(element) {
				return element
			}
			elements = append(elements, element)
		}
		return types.NewRefValList(types.DefaultTypeAdapter, elements)
	case traits.Mapper:
		members := map[ref.Val]ref.Val{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if members[key] = exact(v.Get(key)); types.IsError(members[key]) {
				return members[key]
			}
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, members)
	}
	return v
}

// mapKey returns the key of a map for a number: an int, if it is one.
func mapKey(key ref.Val) ref.Val {
	if d, ok := key.(decimal); ok && d.IsInt() {
		return integer(d.Num())
	}
	return key
}

func notEqual(a, b ref.Val) ref.Val {
	same := equal(a, b)
	if b, ok := same.(types.Bool); ok {
		return !b
	}
	return same
}

// contains is the operator in.
func contains(element, container ref.Val) ref.Val {
	switch c := container.(type) {
	case traits.Mapper:
		_, found := c.Find(mapKey(element))
		return types.Bool(found)
	case traits.Lister:
		var failed ref.Val = types.False
		for it := c.Iterator(); it.HasNext() == types.True; {
			switch found := equal(element, it.Next()); {
			case found == types.True:
				return types.True
			case types.IsError(found):
				failed = found
			}
		}
		return failed
	}
	return types.NoSuchOverloadErr()
}
