package plaintext_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/plaintext"
)

func TestTextsWithDirectionalMarksAreAcceptedAndOverridesAreNot(t *testing.T) {
	const marks, isolates = "\u200e\u200f\u061c", "\u2066\u2067\u2068"
	for _, accepted := range []string{"", "portal", "אישור תשלום (ACME)\u200f!", marks, "\u2066a\u2069",
		"a\u2068b\u2067c\u2069d\u2069", "\u00a0\u3000", "👩\u200d🔧"} {
		if err := plaintext.Check(accepted); err != nil {
			t.Errorf("%+q: %v", accepted, err)
		}
	}
	for text, part := range map[string]string{
		"abc\u202etxt.exe": "U+202E at position 4", "\u202aa\u202c": "U+202A at position 1", "\u05d0\u202b": "U+202B at position 2",
		"a\u202d": "U+202D at position 2", "a\u202c": "U+202C at position 2", "a\x00": "U+0000 at position 2", "a\u0085": "U+0085 at position 2",
		"a\u2028b": "U+2028 at position 2", "a\u2029b": "U+2029 at position 2", "\u05d0\u2066a": "position 2", "a\u2069": "U+2069 at position 2",
		"\u2066\u2069\u2069": "U+2069 at position 3", isolates: "position 1", "\xff": "UTF-8", "a\nb": "U+000A at position 2",
	} {
		if err := plaintext.Check(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%+q: %v, want %s", text, err, part)
		}
	}
}
