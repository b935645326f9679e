// Package nearest finds the name that was probably meant.
package nearest

import "strings"

// slips is how many letters may be wrong: more of them make another word.
const slips = 2

// To returns the first of the known names that is most like the one written, in any
// letter case; empty when none is like it.
func To(written string, known []string) string {
	best, least := "", slips+1
	for _, name := range known {
		if d := distance(strings.ToLower(written), strings.ToLower(name)); d < least && d < len(name)/2 {
			best, least = name, d
		}
	}
	return best
}

// distance is the number of letters to change, add or take away; more than slips when
// the lengths alone are so far apart.
func distance(a, b string) int {
	if len(a) > len(b)+slips || len(b) > len(a)+slips {
		return len(a) + len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
