package i18n_test

import (
	"testing"

	"github.com/countersign/countersign/libs/ui/i18n"
)

func TestATextIsShownInTheLanguageOfTheReaderIfItIsTranslated(t *testing.T) {
	translations := map[string]string{"fr": "Congé", "pt-BR": "Férias", "en-GB": "Holiday", "de": ""}
	for _, tt := range []struct{ reader, base, text, lang string }{
		{"fr", "en", "Congé", ""}, {"FR", "", "Congé", ""}, {"fr-CA", "en", "Congé", ""},
		{"pt", "en", "Férias", ""}, {"pt-PT", "en", "Férias", ""},
		{"en", "en", "Leave", ""}, {"en-GB", "en", "Holiday", ""}, {"en-US", "en", "Leave", ""}, {"en", "", "Holiday", ""},
		{"de", "en", "Leave", "en"}, {"it", "en", "Leave", "en"}, {"it", "", "Leave", ""}, {"it", "en-GB", "Leave", "en-GB"},
	} {
		r := i18n.Reader{Language: tt.reader, Content: tt.base}
		if got := r.Translate(translations, "Leave"); got.Text != tt.text || got.Lang != tt.lang {
			t.Errorf("%q of %q: %+v", tt.reader, tt.base, got)
		}
	}
	if got := (i18n.Reader{Language: "fr", Content: "en"}).Translate(nil, "Leave"); got != (i18n.Text{Text: "Leave", Lang: "en"}) {
		t.Errorf("without translations: %+v", got)
	}
}

// A reader without pages in their language still reads the texts of a policy in it.
func TestATextIsShownInAPreferredLanguageWithoutPages(t *testing.T) {
	translations := map[string]string{"ar": "إجازة", "fr": "Congé"}
	for _, tt := range []struct {
		preferred []string
		base      string
		want      i18n.Text
	}{
		{[]string{"ar"}, "en", i18n.Text{Text: "إجازة", Lang: "ar"}}, {[]string{"ar-EG"}, "en", i18n.Text{Text: "إجازة", Lang: "ar"}},
		{[]string{"hi", "ar"}, "en", i18n.Text{Text: "إجازة", Lang: "ar"}}, {[]string{"hi"}, "en", i18n.Text{Text: "Congé"}},
		{[]string{"hi"}, "hi", i18n.Text{Text: "Leave", Lang: "hi"}},
	} {
		r := i18n.Reader{Language: "fr", Content: tt.base, Preferred: tt.preferred}
		if got := r.Translate(translations, "Leave"); got != tt.want {
			t.Errorf("%q of %q: %+v", tt.preferred, tt.base, got)
		}
	}
}
