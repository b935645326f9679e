package quorum

import (
	"os"
	"slices"
)

// extent is how many policies are enumerated.
type extent struct {
	sizes        [][2]int // people, rules
	percentages  []int
	rejections   []int // of rejection mode count
	minApprovals []int
}

// pick returns the first extent, or the second with WF_ENUMERATE=full.
func pick[T any](part, full []T) []T {
	if os.Getenv("WF_ENUMERATE") == "full" {
		return full
	}
	return part
}

// policies calls each with a ballot of every stage that can be approved at its start.
func (x extent) policies(modes []QuorumMode, each func(Ballot)) {
	for _, size := range x.sizes {
		n, rules := size[0], size[1]
		for _, minimums := range choices(rules, 0, 2) {
			kept := 0
			for _, least := range minimums {
				kept += least
			}
			for _, masks := range choices(n, 1, 1<<rules-1) {
				people := make([]RuleSet, n)
				for i, mask := range masks {
					people[i] = RuleSet(mask) // #nosec G115 -- a set of bits
				}
				if !slices.IsSorted(people) || kept > n || Most(minimums, people) < kept {
					continue // the identity of the people has no effect
				}
				b := Ballot{Minimums: minimums}
				for _, rules := range people {
					b.Voters = append(b.Voters, Voter{Rules: rules})
				}
				x.quorums(b, modes, each)
			}
		}
	}
}

func (x extent) quorums(b Ballot, modes []QuorumMode, each func(Ballot)) {
	n := len(b.Voters)
	rejections := []Rejection{{Mode: RejectionVeto}, {Mode: RejectionUnreachable}}
	for _, k := range x.rejections {
		rejections = append(rejections, Rejection{Mode: RejectionCount, Value: k})
	}
	for _, mode := range modes {
		values := []int{0}
		switch mode {
		case QuorumCount:
			values = []int{1, 2, 3, 4}[:n]
		case QuorumPercentage:
			values = x.percentages
		}
		for _, value := range values {
			for _, least := range x.minApprovals {
				for _, b.Rejection = range rejections {
					for _, b.Rejection.OnUnreachable = range []OnUnreachable{OnUnreachableBlock, OnUnreachableReject} {
						b.Quorum = Quorum{Mode: mode, Value: value, MinApprovals: least}
						if least <= n {
							each(b)
						}
					}
				}
			}
		}
	}
}

// required returns the ballot with every choice of rules that are required.
func (b Ballot) required() []Ballot {
	all := []Ballot{}
	for required := range RuleSet(1) << len(b.Minimums) {
		with := b
		with.Voters = slices.Clone(b.Voters)
		for i := range with.Voters {
			with.Voters[i].Required = with.Voters[i].Rules&required != 0
		}
		all = append(all, with)
	}
	return all
}

// choices returns every list of n numbers between these two.
func choices(n, from, to int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for first := from; first <= to; first++ {
		for _, rest := range choices(n-1, from, to) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}
