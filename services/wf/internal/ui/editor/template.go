package editor

import (
	"bytes"
	"encoding/json"
)

// Template returns the document of a template, without names; empty for an unknown one. word returns the name of a
// part in the reader's language.
func Template(name string, word func(part string) string) string {
	stage := func(key, part, rest string) string {
		return `{"key":` + quote(key) + `,"name":` + quote(word(part)) + rest + `}`
	}
	person := `,"approvers":[{"type":"user","ids":[]}]`
	content, stages := "", ""
	switch name {
	case "empty":
	case "one":
		stages = stage("approval", "approval", person)
	case "group":
		stages = stage("approval", "approval", `,"assignment":"pool","approvers":[{"type":"group","path":""}],"quorum":{"mode":"count","value":2}`)
	case "amount":
		content = `"context_schema":{"type":"object","required":["amount"],"properties":{"amount":{"type":"number","title":` + quote(word("amount")) + `}}},`
		stages = stage("first", "first", person) + "," + stage("second", "second", `,"when":"context.amount > 1000.0"`+person)
	default:
		return ""
	}
	var out bytes.Buffer
	_ = json.Indent(&out, []byte(`{"name":"",`+content+`"stages":[`+stages+`]}`), "", "  ") // valid
	return out.String()
}

// Body returns the document with the key of its policy, and without the member $schema, which is for editors of files.
func Body(text []byte, key string) []byte {
	d, err := parse(text)
	if err != nil || !d.root.isObject() {
		return text
	}
	d.root.remove("$schema")
	if key != "" {
		d.root.set(quote(key), "policy_key")
	}
	return []byte(d.String())
}

// Copy returns the document as that of another policy with a name.
func Copy(text []byte, name string) string {
	d, err := parse(text)
	if err != nil || !d.root.isObject() {
		return string(text)
	}
	d.root.remove("policy_key")
	d.root.remove("change_note")
	d.root.set(quote(name), "name")
	return d.String()
}
