package strictjson

import (
	"bytes"
	"math/big"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// corpus is where fuzzing starts: one document of each class.
var corpus = []string{
	``, `null`, `{}`, `[]`, `[1,]`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud800"`, `"\ud83d\ude00"`, `"\u0000"`, "\"\x00\"",
	"\ufeff{}", "\"\xff\"", `01`, `-0`, `1e2`, `1.5E-3`, `1e999`, `1e-999999999`, `NaN`, `{'a':1}`, `{} {}`, `{"a":[{"b":{"c":[null,true,false]}}]}`,
	`9007199254740993`, `{"b":1,"a":{"d":2,"c":3}}`, `"\b\f\n\r\t\"\\\/"`, `[[[[[[[[]]]]]]]]`, `{"a":"\/`,
}

// stricter are the reasons for which Check refuses documents that RFC 8259 and
// I-JSON allow.
var stricter = []string{"U+0000 in a string", "number of more than 64 digits", "number out of range"}

// FuzzCheck compares Check with a second implementation of the same grammar.
func FuzzCheck(f *testing.F) {
	for _, doc := range corpus {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		err := Check(doc, Limits{Depth: 10_000, Members: 1_000_000})
		valid := jsontext.Value(doc).IsValid() // UTF-8 and unique names included
		switch {
		case err == nil && !valid:
			t.Fatalf("Check accepts %q, jsontext does not", doc)
		case err != nil && valid && !slices.Contains(stricter, err.(*Error).Reason):
			t.Fatalf("Check refuses %q (%v), jsontext does not", doc, err)
		}
	})
}

// FuzzCanonical checks that the form is stable, exists whenever Check accepts,
// and keeps the value of numbers exactly.
func FuzzCanonical(f *testing.F) {
	for _, doc := range corpus {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		form, err := Canonical(doc)
		if checked := Check(doc, Default); (err == nil) != (checked == nil) && (err != nil || checked.(*Error).Reason != stricter[1]) {
			t.Fatalf("Canonical(%q) error = %v, Check = %v", doc, err, checked)
		}
		if err != nil {
			return
		}
		again, err := Canonical(form)
		if err != nil || !bytes.Equal(again, form) {
			t.Fatalf("Canonical(%q) = %q, and of that %q, %v", doc, form, again, err)
		}
		literal := string(bytes.Trim(doc, " \t\r\n"))
		want, ok := new(big.Rat).SetString(literal)
		if got, _ := new(big.Rat).SetString(string(form)); ok && (got == nil || got.Cmp(want) != 0) {
			t.Fatalf("number %s became %s", literal, form)
		}
		// The same number with one more decimal place is the same number.
		if ok && len(literal) < 60 && !bytes.ContainsAny(doc, ".eE") {
			if spelled, err := Canonical([]byte(literal + ".0")); err != nil || !bytes.Equal(spelled, form) {
				t.Fatalf("%s.0 became %s, %v; want %s", literal, spelled, err, form)
			}
		}
	})
}
