// Package words contains the texts of pages and messages by language.
package words

import (
	_ "embed"
	"time"

	"github.com/countersign/countersign/libs/ui/i18n"
)

//go:embed words.json
var file []byte

// Catalogue holds every text of the service.
var Catalogue = i18n.Shared.Merge(i18n.Parse(file))

// Languages lists the languages of the catalogue. The first is the default.
var Languages = []string{"en", "fr"}

// Reader returns a reader of the catalogue.
func Reader(language string, zone *time.Location) i18n.Reader {
	return i18n.Reader{Texts: Catalogue, Language: language, Zone: zone}
}
