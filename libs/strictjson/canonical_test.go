package strictjson

import (
	"strings"
	"testing"
)

func TestCanonicalGivesOneFormPerMeaning(t *testing.T) {
	tests := map[string]struct{ doc, want string }{
		"white space and order":      {" { \"b\" : [ 1 , 2 ] ,\n\"a\" : { \"d\":null, \"c\":true } } ", `{"a":{"c":true,"d":null},"b":[1,2]}`},
		"objects in objects":         {`{"z":{"b":1,"a":{"y":2}},"y":[{"d":3,"c":4},{}],"x":5}`, `{"x":5,"y":[{"c":4,"d":3},{}],"z":{"a":{"y":2},"b":1}}`},
		"a name that begins another": {`{"ab":1,"a":2,"abc":3,"":4}`, `{"":4,"a":2,"ab":1,"abc":3}`},
		"names by UTF-16 code units": {`{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"\u0080":4,"1":5,"\r":6,"":7}`,
			"{\"\":7,\"\\r\":6,\"1\":5,\"\u0080\":4,\"\u20ac\":3,\"\U0001F600\":2,\"\ufb33\":1}"},
		"the shortest escapes": {`"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\b\f\t<>&\u007f\u2028"`,
			"\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\\b\\f\\t<>&\x7f\u2028\""},
		"one":  {`[1,1.0,1e0,10e-1,0.1E+1,1.000]`, `[1,1,1,1,1,1]`},
		"zero": {`[0,-0,0.0,0e5,-0.00e-7,0e99999]`, `[0,0,0,0,0,0]`},
		"digits beyond the precision of a double": {`[9007199254740993,9007199254740992]`, `[9007199254740993,9007199254740992]`},
		"fractions":                 {`[0.1,1.50,-12.25e1,5e-3,100,1e2,0.00120]`, `[0.1,1.5,-122.5,0.005,100,100,0.0012]`},
		"a large exponent":          {`1e20`, `100000000000000000000`},
		"the largest double":        {`1.7976931348623157e308`, "17976931348623157" + strings.Repeat("0", 292)},
		"an empty array and object": {`[[],{}]`, `[[],{}]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Canonical([]byte(tt.doc))
			if err != nil || string(got) != tt.want {
				t.Errorf("Canonical(%s) = %s, %v; want %s", tt.doc, got, err, tt.want)
			}
		})
	}
}

func TestCanonicalIsBounded(t *testing.T) {
	for _, doc := range []string{`1e999999999`, `1e-999999999`, `1e-99999999999999999999`, `1e-1200`, `[1e400]`} {
		if got, err := Canonical([]byte(doc)); err == nil {
			t.Errorf("Canonical(%s) has %d bytes, want an error", doc, len(got))
		}
	}
}

func TestSumIgnoresSpellingOnly(t *testing.T) {
	const want = "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862" // of {"a":1}
	for _, doc := range []string{`{"a":1}`, ` { "a" : 1.0 } `, `{"\u0061":10e-1}`} {
		got, err := Sum([]byte(doc))
		if err != nil || got != want {
			t.Errorf("Sum(%s) = %s, %v; want %s", doc, got, err, want)
		}
	}
	if got, _ := Sum([]byte(`{"a":2}`)); got == want {
		t.Error("another value has the same sum")
	}
	if _, err := Sum([]byte(`{"a":1,"a":1}`)); err == nil {
		t.Error("a duplicate member has a sum")
	}
}
