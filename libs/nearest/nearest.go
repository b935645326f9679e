// Package nearest finds the known name closest to a misspelled one.
package nearest

import "strings"

// slips is the maximal edit distance of a match.
const slips = 2

// Match returns the known name with the least edit distance to written, ignoring case; the first of
// several. It returns an empty string without a match.
func Match(written string, known []string) string {
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
