package content

import "strings"

// DiffLine is a line of two texts: common, or of one of them.
type DiffLine struct {
	Kind string // same, gone or new
	Text string
}

// maxDiff bounds the number of lines for a line-by-line comparison. Longer texts are shown as
// removed and added.
const maxDiff = 3000

// Diff compares two texts line by line by their longest common subsequence.
func Diff(before, after string) []DiffLine {
	return diffLines(strings.Split(before, "\n"), strings.Split(after, "\n"))
}

func diffLines(a, b []string) []DiffLine {
	if len(a) > maxDiff || len(b) > maxDiff {
		return append(lines("gone", a), lines("new", b)...)
	}
	common := make([][]int, len(a)+1) // lengths for the remaining lines
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []DiffLine
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = append(out, DiffLine{"same", a[i]})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			out = append(out, DiffLine{"gone", a[i]})
			i++
		default:
			out = append(out, DiffLine{"new", b[j]})
			j++
		}
	}
	out = append(out, lines("gone", a[i:])...)
	return append(out, lines("new", b[j:])...)
}

func lines(kind string, texts []string) []DiffLine {
	var out []DiffLine
	for _, text := range texts {
		out = append(out, DiffLine{kind, text})
	}
	return out
}
