package strictjson

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestScanCountsTheValuesOfADocument(t *testing.T) {
	for doc, want := range map[string]int{
		`1`: 1, `[]`: 1, `{}`: 1, `"x"`: 1, `null`: 1,
		`[1,2,3]`:                    4,
		`{"a":1,"b":[true,{}]}`:      5,
		` [ [ ] , { "a" : [ 1 ] } ]`: 5,
		`{"attachments":[` + strings.Repeat(`{},`, 84_999) + `{}]}`: 85_002,
	} {
		if n, err := Scan([]byte(doc), Default, nil); n != want || err != nil {
			t.Errorf("%.40s has %d values, %v; want %d", doc, n, err, want)
		}
	}
}

func TestScanStopsAtTheFirstListThatIsTooLong(t *testing.T) {
	two, none := 2, 0
	list := &Bounds{Items: &two}
	stage := &Bounds{Members: map[string]*Bounds{"approvers": list, "stages": list}}
	bounds := &Bounds{Members: map[string]*Bounds{
		"stages": {Items: &two, Item: stage}, "empty": {Items: &none}, "open": nil,
	}, Others: list}
	tests := map[string]struct {
		doc    string
		kind   Kind // empty if the document is good
		offset int
		path   []any
	}{
		"as many as allowed": {`{"stages":[{"approvers":[1,2]},{}]}`, "", 0, nil},
		"one more":           {`{"stages":[1,2,3]}`, TooLong, 10, []any{"stages"}},
		"in a list":          {`{"stages":[{},{"approvers":[1,2,3]}]}`, TooLong, 27, []any{"stages", 1, "approvers"}},
		"an item of a list that may be empty only": {`{"empty":[1]}`, TooLong, 9, []any{"empty"}},
		"an empty list":               {`{"empty":[]}`, "", 0, nil},
		"a member of another name":    {`{"x":[1,2,3]}`, TooLong, 5, []any{"x"}},
		"one without a bound":         {`{"open":[1,2,3,[1,2,3]]}`, "", 0, nil},
		"below it":                    {`{"x":[{"stages":[1,2,3]}]}`, "", 0, nil},
		"the name in escapes":         {`{"st\u0061ges":[1,2,3]}`, TooLong, 15, []any{"stages"}},
		"after it":                    {`{"stages":[[1,2,3],{"approvers":[1,2,3]}]}`, TooLong, 32, []any{"stages", 1, "approvers"}},
		"a list where none should be": {`[1,2,3]`, "", 0, nil},
		"an invalid list":             {`{"stages":[1,2 3]}`, Invalid, 15, []any{"stages"}},
	}
	for name, tt := range tests {
		_, err := Scan([]byte(tt.doc), Default, bounds)
		found, _ := errors.AsType[*Error](err)
		switch {
		case tt.kind == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tt.kind != "" && (found == nil || found.Kind != tt.kind || found.Offset != tt.offset || !slices.Equal(found.Path, tt.path)):
			t.Errorf("%s: got %+v, want %+v", name, found, tt)
		case tt.kind == TooLong && found.Most > 2:
			t.Errorf("%s: at most %d", name, found.Most)
		}
	}
}
