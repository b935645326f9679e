// Package words contains the texts of the console by language.
package words

import (
	_ "embed"

	"github.com/countersign/countersign/libs/ui/i18n"
)

//go:embed words.json
var file []byte

// Catalogue holds every text of the console.
var Catalogue = i18n.Shared.Merge(i18n.Parse(file))

// Languages lists the languages of the catalogue. The first is the default.
var Languages = []string{"en", "fr"}
