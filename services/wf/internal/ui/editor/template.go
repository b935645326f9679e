package editor

import (
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
)

// templates are the documents of the templates. Words in angle brackets are names of parts.
var templates = map[string]string{
	"empty": `{"name":"","stages":[]}`,
	"one":   `{"name":"","stages":[{"key":"approval","name":"<approval>","approvers":[` + aRule + `]}]}`,
	"group": `{"name":"","stages":[{"key":"approval","name":"<approval>","assignment":"pool",` +
		`"approvers":[{"type":"group","path":""}],"quorum":{"mode":"count","value":2}}]}`,
	"amount": `{"name":"","context_schema":{"type":"object","required":["amount"],` +
		`"properties":{"amount":{"type":"number","title":"<amount>"}}},` +
		`"stages":[{"key":"first","name":"<first>","approvers":[` + aRule + `]},` +
		`{"key":"second","name":"<second>","when":"context.amount > 1000","approvers":[` + aRule + `]}]}`,
}

// Template returns the document of a template, without names; empty for an unknown one. word returns the name of a
// part in the reader's language.
func Template(name string, word func(part string) string) string {
	text := templates[name]
	for _, part := range []string{"approval", "amount", "first", "second"} {
		text = strings.ReplaceAll(text, `"<`+part+`>"`, str(word(part)).JSON())
	}
	return text
}

// Body returns the document with the key of its policy, and without the member $schema, which is for editors of files.
func Body(document []byte, key string) []byte {
	d := form.Parse(document).With(form.Node{}, "$schema")
	if key != "" {
		d = d.With(str(key), "policy_key")
	}
	return []byte(d.JSON())
}

// Copy returns the document as that of another policy with a name.
func Copy(document, name string) string {
	d := form.Parse([]byte(document)).With(form.Node{}, "policy_key").With(form.Node{}, "change_note")
	return d.With(str(name), "name").JSON()
}
