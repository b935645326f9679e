package api

import (
	_ "embed"

	"github.com/countersign/countersign/libs/web"
)

// examples are the bodies that the document shows. A test sends them, at its time and
// decades later: an example works whenever somebody tries it.
var examples = web.Examples[string](examplesFile)

//go:embed examples.json
var examplesFile []byte
