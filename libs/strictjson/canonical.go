package strictjson

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
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
	w := walker{data: data, limits: Default, canonical: true}
	return w.document(make([]byte, 0, len(data)))
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

// sort sorts the members of an object without its closing brace.
func (w *walker) sort(object []byte, members []member) {
	inOrder := func(a, b member) int { return compareUTF16(a.name, b.name) }
	if slices.IsSortedFunc(members, inOrder) {
		return
	}
	w.unsort = append(w.unsort[:0], object...)
	slices.SortFunc(members, inOrder)
	sorted := object[:1] // of the same length: the number of commas is equal
	for i, m := range members {
		if i > 0 {
			sorted = append(sorted, ',')
		}
		sorted = append(sorted, w.unsort[m.from:m.to]...)
	}
}

// compareUTF16 compares by UTF-16 code units (RFC 8785, section 3.2.3). It differs from the order
// of bytes for characters above U+FFFF, which precede U+E000 to U+FFFF.
func compareUTF16(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(place(a[i]), place(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// place returns the rank of a byte in this order: 0xee and 0xef begin U+E000 to U+FFFF, greater
// bytes begin characters above.
func place(b byte) int {
	if b == 0xee || b == 0xef {
		return int(b) + 0x10
	}
	return int(b)
}

// appendString appends s quoted, with the escapes of RFC 8785 section 3.2.2.2.
func appendString(dst, s []byte) []byte {
	const short = "\b\t\n\f\r\"\\"
	const letters = `btnfr"\`
	dst = append(dst, '"')
	plain := 0 // start of the bytes without an escape
	for i, c := range s {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		plain = i + 1
		if at := strings.IndexByte(short, c); at >= 0 {
			dst = append(dst, '\\', letters[at])
		} else {
			dst = append(dst, `\u00`...)
			dst = append(dst, hex.EncodeToString([]byte{c})...)
		}
	}
	return append(append(dst, s[plain:]...), '"')
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
