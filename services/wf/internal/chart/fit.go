package chart

import (
	"strings"
	"unicode"
)

// measure estimates the width of text. It rather overestimates, because the font is unknown.
func measure(text string, size float64, bold bool) float64 {
	ems := 0.0
	for _, r := range text {
		ems += widthOf(r)
	}
	if bold {
		ems *= 1.07
	}
	return ems * size
}

// widthOf returns the width of a character in ems.
func widthOf(r rune) float64 {
	switch {
	case strings.ContainsRune("iljtfI.,:;|'!() ", r):
		return .38
	case strings.ContainsRune("mwMW@%", r):
		return .95
	case r >= 0x1100: // scripts whose characters are as wide as they are high
		return 1.05
	case unicode.IsUpper(r):
		return .72
	default:
		return .61
	}
}

// wrapText wraps text at the given width into at most the given number of lines. Longer text is
// truncated with a mark. The result has at least one line.
func wrapText(text string, size float64, bold bool, room float64, most int) []string {
	words := strings.Fields(singleLine(text))
	var lines []string
	now := ""
	for len(words) > 0 {
		word := words[0]
		longer := strings.TrimSpace(now + " " + word)
		switch {
		case measure(longer, size, bold) <= room:
			now, words = longer, words[1:]
		case now != "":
			lines, now = append(lines, now), ""
		default: // a word longer than a line
			head := cut(word, size, bold, room)
			lines, words[0] = append(lines, head), word[len(head):]
		}
		if len(lines) == most {
			break
		}
	}
	switch {
	case len(lines) == 0 || len(lines) < most && now != "":
		lines = append(lines, now)
	case len(words) > 0 || now != "":
		lines[most-1] = cut(lines[most-1], size, bold, room-measure("…", size, bold)) + "…"
	}
	return lines
}

// cut returns the longest prefix of text that fits, at least one character.
func cut(text string, size float64, bold bool, room float64) string {
	end := 0
	for i, r := range text {
		next := i + len(string(r))
		if measure(text[:next], size, bold) > room && end > 0 {
			break
		}
		end = next
	}
	return text[:end]
}
