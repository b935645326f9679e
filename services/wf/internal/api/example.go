package api

import (
	_ "embed"

	"github.com/countersign/countersign/libs/web"
)

// examples holds the example bodies of the document. A test sends them now and at a time decades
// later, so that an example always works.
var examples = web.Examples[string](examplesFile)

//go:embed examples.json
var examplesFile []byte
