package ui_test

import (
	"testing"

	"github.com/countersign/countersign/libs/ui/i18n/i18ntest"
	"github.com/countersign/countersign/services/wf/internal/words"
)

// libs holds the layout, the forms and the sign-in of every service.
const libs = "../../../../libs/ui/"

func TestTheCatalogueHasEveryTextOfPages(t *testing.T) {
	found := i18ntest.CheckPages(t, words.Catalogue,
		"*.go", "*/*.go", libs+"*/*.go", "*/pages/*.html", libs+"*/pages/*.html")
	if found < 100 {
		t.Errorf("found only %d texts", found)
	}
}
