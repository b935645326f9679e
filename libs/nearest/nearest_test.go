package nearest

import "testing"

func TestTheNameThatWasMeantIsFound(t *testing.T) {
	known := []string{"approvers", "approver", "policyKey", "name", "at"}
	for written, want := range map[string]string{
		"aprovers": "approvers", "aprover": "approver", "APPROVERS": "approvers", "policykey": "policyKey", "polcyKy": "policyKey", "plcyKy": "",
		"nam": "name", "mane": "", "a": "", "": "", "something_quite_different": "",
	} {
		if got := Match(written, known); got != want {
			t.Errorf("%q is taken for %q, want %q", written, got, want)
		}
	}
}

func TestADistanceCountsLetters(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "a", 0}, {"ab", "a", 1}, {"a", "ab", 1}, {"ab", "ba", 2}, {"abc", "axc", 1}, {"", "ab", 2}, {"abcd", "a", 5}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("from %q to %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
