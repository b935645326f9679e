package strictjson

import (
	"cmp"
	"encoding/json"
	"reflect"
	"testing"
)

func TestDecodeGuessesNothing(t *testing.T) {
	type person struct {
		ID  string              `json:"id"`
		Tag map[string][]string `json:"tag"`
	}
	type document struct {
		person
		IDs    *[]string       `json:"user_ids"`
		People []person        `json:"people"`
		Raw    json.RawMessage `json:"raw"`
		N      int
	}
	for name, row := range map[string]struct {
		data string
		ok   bool
		as   string // the equal document for encoding/json, if not data
	}{
		"every member":                    {`{"id":"a","user_ids":["b"],"people":[{"id":"c","tag":{"ID":["x"]}}],"raw":{"ID":[null]},"N":1}`, true, ""},
		"an unread member":                {`{"user_ids":[],"cache":{"IDS":[null]}}`, true, ""},
		"null for a member":               {`{"user_ids":null}`, true, ""},
		"another letter case":             {`{"User_IDs":["b"]}`, true, `{}`},
		"another letter case beside it":   {`{"user_ids":["a"],"USER_IDS":["b"]}`, true, `{"user_ids":["a"]}`},
		"another letter case in a list":   {`{"people":[{"Id":"c"}]}`, true, `{"people":[{}]}`},
		"another letter case of a parent": {`{"ID":"a"}`, true, `{}`},
		"a letter that folds":             {`{"u\u017fer_ids":["b"]}`, true, `{}`},
		"the name of a field":             {`{"n":1}`, true, `{}`},
		"a member twice":                  {`{"user_ids":["a"],"user_ids":["b"]}`, false, ""},
		"a lone surrogate":                {`{"id":"\ud800"}`, false, ""},
		"bytes behind it":                 {`{"id":"a"} x`, false, ""},
		"invalid UTF-8":                   {"{\"id\":\"\xff\"}", false, ""},
		"null":                            {`null`, false, ""},
		"null in a list":                  {`{"user_ids":["a",null]}`, false, ""},
		"null in a list of objects":       {`{"people":[null]}`, false, ""},
		"null in a list in a map":         {`{"tag":{"x":[null]}}`, false, ""},
		"a list for an object":            {`[]`, false, ""},
		"a number for a text":             {`{"id":1}`, false, ""},
		"an object for a list":            {`{"people":{}}`, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got, want document
			err := Decode([]byte(row.data), Default, &got)
			if (err == nil) != row.ok {
				t.Fatalf("Decode(%s) = %v", row.data, err)
			}
			if row.ok {
				if err := json.Unmarshal([]byte(cmp.Or(row.as, row.data)), &want); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%+v, and by encoding/json %+v", got, want)
				}
			}
		})
	}
	var list []person
	if err := Decode([]byte(`[{"id":"a"},null]`), Default, &list); err == nil {
		t.Error("null in the list that is the document was accepted")
	}
}
