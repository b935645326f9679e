package policyfile_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/condition"
)

func TestTheGeneratedPagesListTheNamesOfExpressions(t *testing.T) {
	names, err := condition.Declared()
	if err != nil {
		t.Fatal(err)
	}
	table := "\n| Name | Type |\n|---|---|\n"
	for _, n := range names {
		if n.Where != "" {
			n.Type += ", " + n.Where
		}
		table += fmt.Sprintf("| `%s` | %s |\n", n.Name, n.Type)
	}
	webtest.CheckPart(t, "../../../../docs/policies.md", "names of expressions", table+"\n")
	for _, row := range []string{"| `requester.email` | string |", "| `sum` | f(list(decimal)): decimal; f(list(int)): int |"} {
		if !strings.Contains(table, "\n"+row) {
			t.Errorf("no %s in %s", row, table)
		}
	}
}

// member is a part of the JSON Schema of policies.
type member struct {
	Ref         string            `json:"$ref"`
	Defs        map[string]member `json:"$defs"`
	Type        types
	Description string
	Properties  map[string]member
	Required    []string
	Items       *member
	OneOf       []member
	Enum        []any
	Const       any

	Pattern                        string
	Minimum, MinLength, MinItems   *int
	Maximum, MaxLength, MaxItems   *int
	MaxProperties                  *int
	AdditionalProperties, Nullable any
}

// types is a type, or a list of them.
type types string

func (t *types) UnmarshalJSON(raw []byte) error {
	*t = types(strings.Join(strings.FieldsFunc(string(raw), func(c rune) bool { return !unicode.IsLetter(c) }), " or "))
	return nil
}

var absent = regexp.MustCompile(`(?:^|[;,]|\.)? *([\w ]+?),? when absent`)

// row returns the row of a member: its type with limits and default, and its text without the default.
func (m member) row(name string, required bool) (row, ref string) {
	kind, items := m, ""
	if m.Items != nil {
		kind, items = *m.Items, "list of "
	}
	ref = strings.TrimPrefix(kind.Ref, "#/$defs/")
	text := cmp.Or(string(kind.Type), "JSON")
	if ref != "" {
		text = "[" + ref + "](#" + strings.ToLower(ref) + ")"
	}
	preset, meaning := "", m.Description
	if found := absent.FindStringSubmatch(m.Description); found != nil {
		preset = strings.TrimSpace(found[1])
		meaning = strings.TrimLeft(strings.Replace(meaning, found[0], "", 1), "., ")
	}
	limits := []string{items + text}
	for _, value := range kind.Enum {
		limits = append(limits, fmt.Sprintf("`%v`", value))
	}
	for _, limit := range []struct {
		unit        string
		least, most *int
	}{
		{"", m.Minimum, m.Maximum}, {" characters", m.MinLength, m.MaxLength}, {"", m.MinItems, m.MaxItems},
		{"", nil, m.MaxProperties},
	} {
		switch {
		case limit.least != nil && limit.most != nil:
			limits = append(limits, fmt.Sprintf("%d to %d%s", *limit.least, *limit.most, limit.unit))
		case limit.least != nil:
			limits = append(limits, fmt.Sprintf("at least %d%s", *limit.least, limit.unit))
		case limit.most != nil:
			limits = append(limits, fmt.Sprintf("at most %d%s", *limit.most, limit.unit))
		}
	}
	if m.Pattern != "" {
		limits = append(limits, "`"+m.Pattern+"`")
	}
	switch {
	case required:
		limits = append(limits, "required")
	case preset != "":
		limits = append(limits, "default "+preset)
	}
	escape := strings.NewReplacer("|", `\|`, "\n", " ").Replace
	return fmt.Sprintf("| `%s` | %s | %s |\n", name, escape(strings.Join(limits, ", ")), escape(meaning)), ref
}

// common returns the members that are in both lists; in the second one if the first is nil.
func common(a, b map[string]member) map[string]member {
	if a == nil {
		return b
	}
	both := map[string]member{}
	for name, m := range a {
		if _, ok := b[name]; ok && name != "type" {
			both[name] = m
		}
	}
	return both
}

// Every member has a row with a text, a default and limits.
func TestTheGeneratedPagesListTheMembersOfAPolicy(t *testing.T) {
	face, err := api.New(api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := face.PolicySchema()
	if err != nil {
		t.Fatal(err)
	}
	var root member
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	var shared map[string]member // by all types of rules
	rows := 0
	for queue, seen := []string{"Policy"}, map[string]bool{"Policy": true}; len(queue) > 0; queue = queue[1:] {
		part := root.Defs[queue[0]]
		if queue[0] == "Policy" {
			part = root
		}
		follow := func(ref string) {
			if ref != "" && !seen[ref] {
				queue, seen[ref] = append(queue, ref), true
			}
		}
		fmt.Fprintf(&page, "\n## %s\n\n", queue[0])
		for i, variant := range part.OneOf {
			ref := strings.TrimPrefix(variant.Ref, "#/$defs/")
			follow(ref)
			fmt.Fprintf(&page, "%s[%s](#%s)", map[bool]string{true: ", ", false: "One of "}[i > 0], ref, strings.ToLower(ref))
			part.Properties, part.Required = common(part.Properties, root.Defs[ref].Properties), root.Defs[ref].Required
		}
		if len(part.OneOf) > 0 {
			fmt.Fprintf(&page, ". %s The common members:\n\n", part.Description)
			shared = part.Properties
		} else if strings.HasSuffix(queue[0], "Rule") {
			fmt.Fprintf(&page, "`type`: `%v`\n\n", part.Properties["type"].Enum[0])
			maps.DeleteFunc(part.Properties, func(name string, _ member) bool {
				return name == "type" || shared[name].Description != ""
			})
		}
		page.WriteString("| Member | Type and limits | Meaning |\n|---|---|---|\n")
		for _, name := range slices.Sorted(maps.Keys(part.Properties)) {
			row, ref := part.Properties[name].row(name, slices.Contains(part.Required, name))
			page.WriteString(row)
			follow(ref)
			if rows++; part.Properties[name].Description == "" {
				t.Errorf("%s/%s has no text", queue[0], name)
			}
		}
	}
	if rows < 100 {
		t.Errorf("%d members", rows)
	}
	webtest.CheckPart(t, "../../../../docs/policy-members.md", "members", page.String()+"\n")
}
