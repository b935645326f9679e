package editor

import (
	_ "embed"
	"encoding/json"
)

// row is a member of a policy in the form, or a part of the form.
type row struct {
	Name   string // path of the member in its item; of a section or a fold the name of its title
	Kind   string // see Form.show; else options, boxes, people, list, section or fold
	Values string // of a choice; the first is the default, and _ is none
	Only   string // values of the choice before it with which it applies
	Within string // part of the paths where it applies
	Must   bool
	Rows   []row  // of a section or a fold
	Item   string // of a list: the name of the rows of its items
	Most   int    // of a list
}

//go:embed form.json
var table []byte

// layout is the table of the form: the rows of the page and those of items, new items and parts, and the templates of
// policies, by name.
var layout = func() (all struct {
	Rows            map[string][]row
	Made, Templates map[string]json.RawMessage
}) {
	if err := json.Unmarshal(table, &all); err != nil {
		panic(err) // a part of the program
	}
	return all
}()
