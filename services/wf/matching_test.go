package wf

import (
	"slices"
	"testing"
)

// TestTheMatchingIsAMaximum compares fill with every way to place four people, some
// of whom come from no rule, in up to four slots of three rules.
func TestTheMatchingIsAMaximum(t *testing.T) {
	var crowds [][][]int
	for code := range 8 * 8 * 8 * 8 { // three bits a person: the rules that he came from
		people := make([][]int, 4)
		for i := range 12 {
			if code>>i&1 == 1 {
				people[i/3] = append(people[i/3], i%3)
			}
		}
		crowds = append(crowds, people)
	}
	for _, slots := range [][]int{{}, {0}, {0, 0}, {0, 1}, {0, 0, 1}, {0, 1, 2}, {0, 0, 1, 2}, {0, 0, 1, 1}} {
		for _, people := range crowds {
			got := 0
			for _, filled := range fill(slots, people) {
				if filled {
					got++
				}
			}
			if want := most(slots, people); got != want {
				t.Fatalf("fill(%v, %v) fills %d slots, and %d can be filled", slots, people, got, want)
			}
		}
	}
}

// most tries every way to fill the slots with people, and returns how many the best
// one fills.
func most(slots []int, people [][]int) int {
	if len(slots) == 0 || len(people) == 0 {
		return 0
	}
	best := most(slots[1:], people)
	for i, rules := range people {
		if slices.Contains(rules, slots[0]) {
			best = max(best, 1+most(slots[1:], slices.Concat(people[:i], people[i+1:])))
		}
	}
	return best
}
