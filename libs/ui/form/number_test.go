package form_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/i18n"
)

func TestNumbersAreReadInEveryScript(t *testing.T) {
	r := i18n.Reader{Texts: i18n.Shared, Language: "en", Zone: time.UTC}
	for sent, want := range map[string]string{
		"1250.5": "1250.5", "1250,5": "1250.5", "1\u202f250,50": "1250.50", "−3": "-3", "+7": "7", "٣٢١": "321", "١٢٬٣٤٥٫٦٧": "12345.67",
		"۱۲۳": "123", "१२३": "123", "１２": "12", "𝟗𝟎": "90", "١2": "12", "Ⅻ": "", "½": "", "1.2.3": "", "1e3": "", "x": "",
	} {
		schema := []byte(`{"properties":{"n":{"type":"number","maximum":20000}}}`)
		_, read, whole := form.Fields(r, schema, form.Node{}, url.Values{"c/n": {sent}}, "c")
		if got := read.Get("n").Text; got != want || whole != (want != "") {
			t.Errorf("%q is %q, %t; want %q", sent, got, whole, want)
		}
	}
}
