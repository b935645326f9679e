package words

import (
	"testing"

	"github.com/countersign/countersign/libs/ui/i18n/i18ntest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func TestEveryTextIsThereInEveryLanguage(t *testing.T) {
	i18ntest.CheckLanguages(t, Catalogue, Languages)
}

func TestEveryReasonAndEventHasAText(t *testing.T) {
	for _, reason := range registrar.Reasons {
		if !Catalogue.Has("refused." + string(reason)) {
			t.Errorf("the reason %s has no text", reason)
		}
	}
	for _, event := range registrar.EventClientRefused.Values() {
		if !Catalogue.Has("event." + string(event)) {
			t.Errorf("the event %s has no text", event)
		}
	}
}
