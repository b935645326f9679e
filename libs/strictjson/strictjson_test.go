package strictjson

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestCheckAcceptsDocumentsThatMeanOneThing(t *testing.T) {
	for _, doc := range []string{
		`null`, `true`, `false`, `0`, `-0`, `1.5`, `1e2`, `1E+2`, `"x"`, `[]`, `{}`,
		" \t\r\n{ \"a\" : [ 1 , { } ] } \n",
		`{"a":{"x":1},"b":{"x":1}}`,
		`{"a":1,"A":2}`,
		`{"__proto__":1,"constructor":2}`,
		`9007199254740993`,
		`99999999999999999999`,
		`"\ud83d\ude00 \u00e9 \/ \b\f\n\r\t \" \\"`,
		"\"\u202e \u0301 \U0001F600 \x7f\"",
		strings.Repeat("1", 64),
		strings.Repeat("[", 64) + strings.Repeat("]", 64),
		`1e-999`,
		`0e999`,
	} {
		if err := Check([]byte(doc), Default); err != nil {
			t.Errorf("Check(%.40s) = %v", doc, err)
		}
	}
}

func TestCheckRefusesAmbiguousJSON(t *testing.T) {
	object := func(members int) string {
		var b strings.Builder
		b.WriteString(`{"m":1`)
		for i := 1; i < members; i++ {
			b.WriteString(`,"` + strings.Repeat("x", i) + `":1`)
		}
		return b.String() + "}"
	}
	tests := map[string]struct {
		doc    string
		kind   Kind
		offset int
		path   []any
	}{
		"an empty body":                        {``, Invalid, 0, nil},
		"white space only":                     {"  ", Invalid, 2, nil},
		"a second document":                    {`{} {}`, Invalid, 3, nil},
		"a byte order mark":                    {"\ufeff{}", Invalid, 0, nil},
		"UTF-16":                               {"{\x00}\x00", Invalid, 1, nil},
		"invalid UTF-8":                        {"{\"a\":\"\xc3\x28\"}", Invalid, 6, []any{"a"}},
		"an overlong form":                     {"\"\xc0\x80\"", Invalid, 1, nil},
		"a surrogate in UTF-8":                 {"\"\xed\xa0\x80\"", Invalid, 1, nil},
		"a truncated character":                {"\"\xe2\x82", Invalid, 1, nil},
		"a duplicate member":                   {`{"policy_key":"a","policy_key":"b"}`, Duplicate, 18, []any{"policy_key"}},
		"a nested duplicate":                   {`{"s":[{"k":1},{"k":1,"k":2}]}`, Duplicate, 21, []any{"s", 1, "k"}},
		"a duplicate spelled with escapes":     {`{"policy_key":"a","\u0070olicy_key":"b"}`, Duplicate, 18, []any{"policy_key"}},
		"an escaped NUL":                       {`{"a":"x\u0000"}`, Invalid, 14, []any{"a"}},
		"an escaped NUL in a name":             {`{"\u0000":1}`, Invalid, 9, []any{"\x00"}},
		"a raw NUL":                            {"{\"a\":\"\x00\"}", Invalid, 6, []any{"a"}},
		"a raw line feed in a string":          {"\"\n\"", Invalid, 1, nil},
		"a lone high surrogate":                {`"\ud800"`, Invalid, 1, nil},
		"a lone high surrogate before text":    {`"\ud800\u0041"`, Invalid, 1, nil},
		"a reversed pair":                      {`"\udc00\ud800"`, Invalid, 1, nil},
		"an unknown escape":                    {`"\x41"`, Invalid, 1, nil},
		"a short escape":                       {`"\u12"`, Invalid, 1, nil},
		"an escape with a sign":                {`"\u+123"`, Invalid, 1, nil},
		"a string without an end":              {`"abc`, Invalid, 4, nil},
		"an escape at the end":                 {`"abc\`, Invalid, 4, nil},
		"NaN":                                  {`NaN`, Invalid, 0, nil},
		"Infinity":                             {`{"a":Infinity}`, Invalid, 5, []any{"a"}},
		"a hexadecimal number":                 {`0x10`, Invalid, 1, nil},
		"a leading zero":                       {`01`, Invalid, 1, nil},
		"a plus sign":                          {`+1`, Invalid, 0, nil},
		"a lone minus":                         {`-`, Invalid, 0, nil},
		"a point without digits":               {`1.`, Invalid, 0, nil},
		"an exponent without digits":           {`1e+`, Invalid, 0, nil},
		"a number no double holds":             {`[1,1e999]`, Invalid, 3, []any{1}},
		"a number of 65 digits":                {strings.Repeat("1", 65), Invalid, 0, nil},
		"a number with an endless expansion":   {`1e-999999999`, Invalid, 0, nil},
		"a trailing comma":                     {`[1,]`, Invalid, 2, nil},
		"a trailing comma after a member":      {`{"a":1,}`, Invalid, 6, nil},
		"a leading comma":                      {`[,1]`, Invalid, 1, nil},
		"a missing comma":                      {`[1 2]`, Invalid, 3, nil},
		"a missing colon":                      {`{"a" 1}`, Invalid, 5, []any{"a"}},
		"a member without a name":              {`{1:2}`, Invalid, 1, nil},
		"a comment":                            {`{}//x`, Invalid, 2, nil},
		"single quotes":                        {`{'a':1}`, Invalid, 1, nil},
		"an object without an end":             {`{"a":1`, Invalid, 6, nil},
		"a misspelled word":                    {`nul`, Invalid, 3, nil},
		"a word in capitals":                   {`True`, Invalid, 0, nil},
		"nesting beyond the limit":             {strings.Repeat("[", 65) + strings.Repeat("]", 65), Invalid, 64, zeros(64)},
		"nesting far beyond the limit":         {strings.Repeat(`[`, 1_000_000), Invalid, 64, zeros(64)},
		"more members than an object may have": {object(1001), Invalid, len(object(1001)) - len(":1}"), []any{strings.Repeat("x", 1000)}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := Check([]byte(tt.doc), Default)
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("Check(%.40q) = %v, want an *Error", tt.doc, err)
			}
			if e.Kind != tt.kind || e.Offset != tt.offset || !reflect.DeepEqual(e.Path, tt.path) {
				t.Errorf("Check(%.40q) = %s at %d, path %v (%s); want %s at %d, path %v",
					tt.doc, e.Kind, e.Offset, e.Path, e.Reason, tt.kind, tt.offset, tt.path)
			}
		})
	}
	if err := Check([]byte(object(1000)), Default); err != nil {
		t.Errorf("an object of 1,000 members is refused: %v", err)
	}
}

func TestErrorsHoldNoValues(t *testing.T) {
	for _, doc := range []string{`{"a":"s3cret" x}`, `{"a":["s3cret`, `["s3cret\u0000"]`} {
		if err := Check([]byte(doc), Default); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Check(%s) = %v", doc, err)
		}
	}
}

// zeros is the path into nested one-element arrays.
func zeros(n int) []any {
	path := make([]any, n)
	for i := range path {
		path[i] = 0
	}
	return path
}

func TestAMemberTwiceIsFoundHoweverManyThereAre(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 18, 100} {
		for twice := range n {
			var doc strings.Builder
			for i := range n {
				fmt.Fprintf(&doc, "%q:0,", strconv.Itoa(i))
			}
			good := "{" + strings.TrimSuffix(doc.String(), ",") + "}"
			if err := Check([]byte(good), Default); err != nil {
				t.Fatalf("%d members: %v", n, err)
			}
			bad := fmt.Sprintf("{%s%q:1}", doc.String(), strconv.Itoa(twice))
			found, ok := errors.AsType[*Error](Check([]byte(bad), Default))
			if !ok || found.Kind != Duplicate || !slices.Equal(found.Path, []any{strconv.Itoa(twice)}) {
				t.Fatalf("%d members, number %d twice: %v", n, twice, found)
			}
		}
	}
}

func TestScanCountsTheValuesOfADocument(t *testing.T) {
	for doc, want := range map[string]int{
		`1`: 1, `[]`: 1, `{}`: 1, `"x"`: 1, `null`: 1,
		`[1,2,3]`:                    4,
		`{"a":1,"b":[true,{}]}`:      5,
		` [ [ ] , { "a" : [ 1 ] } ]`: 5,
		`{"attachments":[` + strings.Repeat(`{},`, 84_999) + `{}]}`: 85_002,
	} {
		if n, err := Scan([]byte(doc), Default); n != want || err != nil {
			t.Errorf("%.40s has %d values, %v; want %d", doc, n, err, want)
		}
	}
}
