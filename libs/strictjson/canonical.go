package strictjson

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExpanded bounds a number written without its exponent, in characters.
// The longest finite double needs 309 digits before the point, the smallest about 400
// after it; without a bound 1e-999999999 expands to a gigabyte of zeros.
const maxExpanded = 1100

// Canonical returns the canonical form of a document: members sorted by the UTF-16
// code units of their names, no white space, the shortest escapes (all as RFC
// 8785), and numbers as exact decimals without exponent or trailing zeros, so
// that 1, 1.0 and 1e0 are equal and 9007199254740993 keeps its last digit.
// The last rule deviates from RFC 8785, which rounds to doubles: two different
// amounts would have the same hash.
//
// The rules and errors are those of Check with the Default limits, except that
// numbers are bounded by their length in the canonical form, 1,100 characters,
// and not by 64 digits: 1e70 is a short number with a long form.
func Canonical(data []byte) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(data) + 1)
	encoder := encoders.Get().(*jsontext.Encoder)
	defer encoders.Put(encoder)
	encoder.Reset(&out, jsontext.AllowDuplicateNames(true)) // scan finds them
	if _, err := scan(data, Default, encoder); err != nil {
		return nil, err
	}
	form := jsontext.Value(out.Bytes()[:out.Len()-1]) // without the line feed
	err := form.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	return form, err
}

// Sum returns "sha256:" and the lower-case hexadecimal SHA-256 of the
// canonical form.
func Sum(data []byte) (string, error) {
	form, err := Canonical(data)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(form)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// decimal rewrites a JSON number without exponent, leading or trailing zeros.
// It reports false if the result is too long.
func decimal(literal string) (string, bool) {
	digits, negative := strings.CutPrefix(literal, "-")
	exponent := ""
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		digits, exponent = digits[:i], digits[i+1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = whole + fraction
	point := len(whole) // digits before the decimal point

	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return "0", true // -0 and 0e9 too
	}
	point -= len(digits)
	digits = strings.TrimLeft(digits, "0")
	point += len(digits)

	if exponent != "" {
		e, err := strconv.Atoi(exponent)
		// An exponent above twice the bound cannot be compensated by the mantissa.
		if err != nil || e > 2*maxExpanded || e < -2*maxExpanded {
			return "", false
		}
		point += e
	}
	sign := ""
	if negative {
		sign = "-"
	}
	var form string
	switch {
	case point <= 0:
		form = sign + "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		form = sign + digits + strings.Repeat("0", point-len(digits))
	default:
		form = sign + digits[:point] + "." + digits[point:]
	}
	return form, len(form) <= maxExpanded
}
