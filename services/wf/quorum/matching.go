package quorum

import "math/bits"

// RuleSet is a set of approver rules of one stage, by their indexes. A stage has at most
// 50 rules.
type RuleSet uint64

// EveryRule is the set of all rules, for approvers assigned by an admin to a rescue.
const EveryRule = ^RuleSet(0)

func Rules(indexes []int) RuleSet {
	var set RuleSet
	for _, i := range indexes {
		set |= 1 << i
	}
	return set
}

// Indexes lists the rules of the set among the first n rules.
func (s RuleSet) Indexes(n int) []int {
	list := make([]int, 0, bits.OnesCount64(uint64(s)))
	for i := range n {
		if s>>i&1 == 1 {
			list = append(list, i)
		}
	}
	return list
}

// Matching assigns users to the places of the rules' minimums, each user to at most one place. It fills the
// maximum number of places by augmenting paths: taking the first free place for each user could leave places
// empty.
type Matching struct {
	places []int     // place → rule
	holder []int     // place → person, or -1
	people []RuleSet // person → their rules
	Filled int       // places
	tried  []bool    // place → seen for this person
}

func Match(minimums []int, people []RuleSet) Matching {
	m := Matching{people: people}
	for rule, least := range minimums {
		for range least {
			m.places, m.holder = append(m.places, rule), append(m.holder, -1)
		}
	}
	m.tried = make([]bool, len(m.places))
	for person := range people {
		if m.Filled == len(m.places) {
			break
		}
		clear(m.tried)
		if m.place(person) {
			m.Filled++
		}
	}
	return m
}

func (m *Matching) place(person int) bool {
	for place, rule := range m.places {
		if m.tried[place] || m.people[person]>>rule&1 == 0 {
			continue
		}
		m.tried[place] = true
		if m.holder[place] < 0 || m.place(m.holder[place]) {
			m.holder[place] = person
			return true
		}
	}
	return false
}

// Missing returns the number of unfilled places.
func (m Matching) Missing() int { return len(m.places) - m.Filled }

// usefulRules returns the rules for which one more user would fill another place: those with an empty place, and
// those with users movable to one.
func (m Matching) usefulRules() RuleSet {
	var set RuleSet
	for place, rule := range m.places {
		if m.holder[place] < 0 {
			set |= 1 << rule
		}
	}
	for grown := true; grown; {
		grown = false
		for place, rule := range m.places {
			if person := m.holder[place]; person >= 0 && set>>rule&1 == 0 && m.people[person]&set != 0 {
				set |= 1 << rule
				grown = true
			}
		}
	}
	return set
}
