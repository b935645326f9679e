package editor

import (
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
)

// Template returns the document of a template; empty for an unknown one. Its words in angle brackets are replaced by
// word, which returns the name of a part in the reader's language.
func Template(name string, word func(part string) string) string {
	text := string(layout.Templates[name])
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
