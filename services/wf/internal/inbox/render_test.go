package inbox

import "testing"

func TestAssetsSayWhatTheyAre(t *testing.T) {
	for name, want := range map[string]string{
		"style.css": "text/css; charset=utf-8", "inbox.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
	} {
		if got := render().assets[name].kind; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name, a := range render().assets {
		if a.kind == "" {
			t.Errorf("%s has no media type", name)
		}
	}
}
