package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/countersign/countersign/libs/strictjson"
)

// EqualExceptNote reports whether two definitions are equal except for change_note.
func (d Definition) EqualExceptNote(other Definition) (bool, error) {
	var sums [2]string
	for i, one := range []Definition{d, other} {
		one.ChangeNote = ""
		raw, err := json.Marshal(one)
		if err != nil {
			return false, fmt.Errorf("encode definition: %w", err)
		}
		if sums[i], err = strictjson.Sum(raw); err != nil {
			return false, err
		}
	}
	return sums[0] == sums[1], nil
}

// StageChange is the difference of one stage between two versions of a policy.
type StageChange struct {
	Before, After *Stage // nil for an added or removed stage
	Added, Gone   []Rule // of its approvers
	Members       []string
	Moved         bool // the order has changed
}

// ChangeKind is the kind of a difference between stages.
type ChangeKind string

// The kinds of differences. A stage that has changed and moved is changed.
const (
	StageAdded   ChangeKind = "added"
	StageRemoved ChangeKind = "removed"
	StageChanged ChangeKind = "changed"
	StageMoved   ChangeKind = "moved"
)

// Values returns every value.
func (ChangeKind) Values() []ChangeKind {
	return []ChangeKind{StageAdded, StageRemoved, StageChanged, StageMoved}
}

// Key returns the key of the stage.
func (c StageChange) Key() string {
	if c.After == nil {
		return c.Before.Key
	}
	return c.After.Key
}

// Kind returns the kind of the difference.
func (c StageChange) Kind() ChangeKind {
	switch {
	case c.Before == nil:
		return StageAdded
	case c.After == nil:
		return StageRemoved
	case c.hasChanges():
		return StageChanged
	default:
		return StageMoved
	}
}

// hasChanges reports whether members or approvers differ.
func (c StageChange) hasChanges() bool { return len(c.Added)+len(c.Gone)+len(c.Members) > 0 }

// Replacement is the difference between two definitions.
type Replacement struct {
	Stages   []StageChange // changed stages: those of the new version in order, then the removed ones
	Settings []string      // changed members of settings
	Members  []string      // other changed members, except change_note
}

// CompareWith compares the definition with its predecessor.
func (d Definition) CompareWith(old Definition) Replacement {
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
		if c.Before == nil || c.hasChanges() || c.Moved {
			r.Stages = append(r.Stages, c)
		}
	}
	for _, stage := range old.Stages {
		if _, stays := d.Stage(stage.Key); !stays {
			r.Stages = append(r.Stages, StageChange{Before: &stage, Gone: stage.Approvers})
		}
	}
	r.Settings = differingMembers(old.Settings, d.Settings)
	r.Members = differingMembers(old, d, "stages", "settings", "change_note")
	return r
}

// changes compares a stage with its predecessor.
func (s Stage) changes(was Stage) StageChange {
	without := func(rules, others []Rule) (left []Rule) {
		for _, r := range rules {
			if !slices.ContainsFunc(others, func(o Rule) bool { return len(differingMembers(o, r)) == 0 }) {
				left = append(left, r)
			}
		}
		return left
	}
	return StageChange{
		Before: &was, After: &s, Members: differingMembers(was, s, "approvers"),
		Added: without(s.Approvers, was.Approvers), Gone: without(was.Approvers, s.Approvers),
	}
}

// differingMembers returns the names of the members that differ between two documents, except some.
func differingMembers(a, b any, without ...string) []string {
	members := func(v any) map[string]json.RawMessage {
		var m map[string]json.RawMessage
		if raw, err := json.Marshal(v); err != nil || json.Unmarshal(raw, &m) != nil {
			return nil // unreachable: stored definitions are encodable
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
