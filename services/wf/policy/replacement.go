package policy

import (
	"bytes"
	"encoding/json"
	"slices"
)

// StageChange is what one version of a policy has of a stage and another has not.
type StageChange struct {
	Before, After *Stage // nil for a stage that is new, or gone
	Added, Gone   []Rule // of its approvers
	Members       []string
	Moved         bool // it comes elsewhere in the order
}

// Replacement is what differs between two definitions, for whoever puts one in the place of
// the other.
type Replacement struct {
	Stages   []StageChange // that differ: those of the new version in their order, then those that are gone
	Settings []string      // members of settings that differ
	Members  []string      // other members that differ, but for the words of the change
}

// Replacing compares the definition with one that it takes the place of.
func (d Definition) Replacing(old Definition) Replacement {
	var r Replacement
	order := func(stages []Stage, common []Stage) (keys []string) {
		for _, s := range stages {
			if slices.ContainsFunc(common, func(o Stage) bool { return o.Key == s.Key }) {
				keys = append(keys, s.Key)
			}
		}
		return keys
	}
	before, after := order(old.Stages, d.Stages), order(d.Stages, old.Stages)
	for _, stage := range d.Stages {
		c := StageChange{After: &stage}
		if was, ok := old.Stage(stage.Key); ok {
			c = stage.changes(was)
			c.Moved = slices.Index(before, stage.Key) != slices.Index(after, stage.Key)
		} else {
			c.Added = stage.Approvers
		}
		if c.Before == nil || len(c.Added)+len(c.Gone)+len(c.Members) > 0 || c.Moved {
			r.Stages = append(r.Stages, c)
		}
	}
	for _, stage := range old.Stages {
		if _, stays := d.Stage(stage.Key); !stays {
			r.Stages = append(r.Stages, StageChange{Before: &stage, Gone: stage.Approvers})
		}
	}
	r.Settings = differing(old.Settings, d.Settings)
	r.Members = differing(old, d, "stages", "settings", "change_note")
	return r
}

// changes compares a stage with what it was.
func (s Stage) changes(was Stage) StageChange {
	without := func(rules, others []Rule) (left []Rule) {
		for _, r := range rules {
			if !slices.ContainsFunc(others, func(o Rule) bool { return len(differing(o, r)) == 0 }) {
				left = append(left, r)
			}
		}
		return left
	}
	return StageChange{
		Before: &was, After: &s, Members: differing(was, s, "approvers"),
		Added: without(s.Approvers, was.Approvers), Gone: without(was.Approvers, s.Approvers),
	}
}

// differing are the members in which two documents differ, by their names, without some.
func differing(a, b any, without ...string) []string {
	members := func(v any) map[string]json.RawMessage {
		var m map[string]json.RawMessage
		if raw, err := json.Marshal(v); err != nil || json.Unmarshal(raw, &m) != nil {
			return nil // a definition that was stored can be written
		}
		return m
	}
	x, y := members(a), members(b)
	var names []string
	for _, m := range []map[string]json.RawMessage{x, y} {
		for name := range m {
			if !bytes.Equal(x[name], y[name]) && !slices.Contains(names, name) && !slices.Contains(without, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
