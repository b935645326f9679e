package editor

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Apply applies an operation of the form: add, remove, up or down with the path of a list or of one of its items,
// such as "up stages/1" or "add stages/0/people". It reports false for any other operation.
func (f Form) Apply(operation string) (Form, bool) {
	do, path, _ := strings.Cut(operation, " ")
	steps := strings.Split(path, "/")
	at := -1 // index of the item; that of a list is -1
	if len(steps)%2 == 0 {
		var err error
		if at, err = strconv.Atoi(steps[len(steps)-1]); err != nil {
			return f, false
		}
		steps = steps[:len(steps)-1]
	}
	done := false
	switch f.Stages = slices.Clone(f.Stages); strings.Join(mapNumbers(steps), "/") {
	case "fields":
		f.Fields, at, done = change(f.Fields, do, at, maxFields, Field{From: -1, Kind: "text"})
	case "stages":
		f.Stages, at, done = change(f.Stages, do, at, maxStages, newStage())
	case "cases":
		f.Cases, at, done = change(f.Cases, do, at, maxCases, Case{Content: url.Values{}})
	case "stages/#/people":
		if s := f.stage(steps[1]); s != nil {
			s.People, at, done = change(s.People, do, at, maxRules, newRule())
		}
	case "stages/#/people/#/ids":
		if s := f.stage(steps[1]); s != nil {
			if j, err := strconv.Atoi(steps[3]); err == nil && j >= 0 && j < len(s.People) {
				s.People = slices.Clone(s.People)
				r := &s.People[j]
				r.IDs, at, done = change(r.IDs, do, at, maxPeople, "")
			}
		}
	}
	f.At = strings.Join(steps, "/")
	if at >= 0 {
		f.At += "/" + strconv.Itoa(at)
	}
	return f, done
}

func newStage() Stage {
	return Stage{From: -1, Need: "all", Unit: "D", Op: ">", People: []Rule{newRule()}}
}
func newRule() Rule { return Rule{From: -1, Kind: "user", IDs: []string{""}} }

func (f Form) stage(index string) *Stage {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(f.Stages) {
		return nil
	}
	return &f.Stages[i]
}

// mapNumbers replaces the indexes of a path by #.
func mapNumbers(steps []string) []string {
	out := slices.Clone(steps)
	for i := 1; i < len(out); i += 2 {
		out[i] = "#"
	}
	return out
}

// change changes a list. It returns the index of the item that has the focus afterwards, -1 for the list.
func change[T any](list []T, do string, at, most int, made T) (changed []T, focus int, done bool) {
	list = slices.Clone(list)
	switch inside := at >= 0 && at < len(list); {
	case do == "add" && at < 0 && len(list) < most:
		return append(list, made), len(list), true
	case do == "remove" && inside:
		return slices.Delete(list, at, at+1), min(at, len(list)-2), true
	case do == "up" && inside && at > 0:
		list[at-1], list[at] = list[at], list[at-1]
		return list, at - 1, true
	case do == "down" && inside && at < len(list)-1:
		list[at], list[at+1] = list[at+1], list[at]
		return list, at + 1, true
	}
	return list, at, false
}
