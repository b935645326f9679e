package words

import (
	"testing"

	"github.com/countersign/countersign/libs/ui/i18n/i18ntest"
)

func TestEveryTextIsThereInEveryLanguage(t *testing.T) {
	i18ntest.CheckLanguages(t, Catalogue, Languages)
}
