package quorum

import (
	"slices"
	"testing"
)

// places are minimums of three rules, for up to four places.
var places = [][]int{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {2, 1, 0}, {1, 1, 1}, {2, 1, 1}, {2, 2, 0}}

// crowds returns every choice of n people by the rules, of three, that they fit.
func crowds(n int) [][]RuleSet {
	all := make([][]RuleSet, 0, 1<<(3*n))
	for code := range 1 << (3 * n) { // three bits a person
		people := make([]RuleSet, n)
		for i := range people {
			people[i] = RuleSet(code>>(3*i)) & 7
		}
		all = append(all, people)
	}
	return all
}

// TestTheMatchingIsAMaximum compares match with every way to place four people, some of them
// without a rule, in up to four places of three rules.
func TestTheMatchingIsAMaximum(t *testing.T) {
	for _, minimums := range places {
		for _, people := range crowds(4) {
			found, want := Match(minimums, people), Most(minimums, people)
			if found.Filled != want {
				t.Fatalf("match(%v, %v) fills %d places, and %d can be filled", minimums, people, found.Filled, want)
			}
			if places := minimums[0] + minimums[1] + minimums[2]; found.Missing() != places-want {
				t.Fatalf("match(%v, %v) misses %d of %d places, want %d", minimums, people, found.Missing(), places, places-want)
			}
		}
	}
}

// TestApproverFillsOnePlace also checks that each person fits the rule whose place they
// fill.
func TestApproverFillsOnePlace(t *testing.T) {
	for _, minimums := range places {
		for _, people := range crowds(3) {
			found := Match(minimums, people)
			seen := map[int]bool{}
			for place, person := range found.holder {
				if person < 0 {
					continue
				}
				if seen[person] || people[person]>>found.places[place]&1 == 0 {
					t.Fatalf("match(%v, %v) places %v in %v", minimums, people, found.holder, found.places)
				}
				seen[person] = true
			}
			if len(seen) != found.Filled {
				t.Fatalf("match(%v, %v) reports %d filled places, and fills %d", minimums, people, found.Filled, len(seen))
			}
		}
	}
}

// TestWantedAreTheRulesOfWhichOneMoreHelps puts one more person, of each rule in turn,
// to every crowd of three.
func TestWantedAreTheRulesOfWhichOneMoreHelps(t *testing.T) {
	for _, minimums := range places {
		for _, people := range crowds(3) {
			before := Most(minimums, people)
			var want RuleSet
			for rule := range minimums {
				if Most(minimums, append(slices.Clone(people), 1<<rule)) > before {
					want |= 1 << rule
				}
			}
			if got := Match(minimums, people).usefulRules(); got != want {
				t.Fatalf("match(%v, %v) wants the rules %03b, and %03b help", minimums, people, got, want)
			}
		}
	}
}

// TestApproverFittingAWantedRuleIsUseful covers the claims of a pool by a person of several
// rules.
func TestApproverFittingAWantedRuleIsUseful(t *testing.T) {
	for _, minimums := range places {
		for _, people := range crowds(3) {
			before, wanted := Most(minimums, people), Match(minimums, people).usefulRules()
			for one := range RuleSet(8) {
				helps := Most(minimums, append(slices.Clone(people), one)) > before
				if fits := one&wanted != 0; fits != helps {
					t.Fatalf("match(%v, %v) wants the rules %03b; one of %03b helps: %t", minimums, people, wanted, one, helps)
				}
			}
		}
	}
}

// Most tries every way to fill the places with people, and returns how many the best
// one fills.
func Most(minimums []int, people []RuleSet) int {
	for rule, least := range minimums {
		if least == 0 {
			continue
		}
		fewer := slices.Clone(minimums)
		fewer[rule]--
		best := Most(fewer, people)
		for i, rules := range people {
			if rules>>rule&1 == 1 {
				best = max(best, 1+Most(fewer, slices.Concat(people[:i], people[i+1:])))
			}
		}
		return best
	}
	return 0
}
