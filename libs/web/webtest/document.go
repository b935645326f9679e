// Package webtest tests rules of the OpenAPI documents of all services.
package webtest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

type object = map[string]any

// CheckDocument reports every part of an OpenAPI document, as JSON, that says nothing
// about itself: operations, parameters, tags and members of schemas without a
// description, operations that leave open whether they need a token, ids in paths
// without a format, and bodies without an example.
func CheckDocument(t testing.TB, document []byte) {
	t.Helper()
	for _, finding := range findings(document) {
		t.Error(finding)
	}
}

func findings(document []byte) (list []string) {
	var root object
	if err := json.Unmarshal(document, &root); err != nil {
		return []string{err.Error()}
	}
	find := func(where, what string) { list = append(list, where+" has no "+what) }
	if servers, _ := root["servers"].([]any); len(servers) == 0 {
		find("the document", "servers")
	}
	tags := map[any]bool{}
	for _, tag := range elements(root["tags"]) {
		tags[tag["name"]] = true
		if tag["description"] == nil {
			find("tag "+text(tag["name"]), "description")
		}
	}
	operations := map[string]object{}
	for _, group := range []string{"paths", "webhooks"} {
		for path, item := range members(root[group]) {
			for method, op := range members(item) {
				operations[strings.ToUpper(method)+" "+path] = op
			}
		}
	}
	for name, op := range operations {
		for _, member := range []string{"operationId", "summary", "description", "security"} {
			if op[member] == nil {
				find(name, member)
			}
		}
		for _, tag := range op["tags"].([]any) {
			if !tags[tag] {
				find("tag "+text(tag), "description")
			}
		}
		for _, p := range elements(op["parameters"]) {
			if p["description"] == nil {
				find(name+" "+text(p["name"]), "description")
			}
			if schema, _ := p["schema"].(object); p["in"] == "path" && p["name"] == "id" && schema["format"] != "uuid" {
				find(name+" "+text(p["name"]), "format")
			}
		}
		body, _ := op["requestBody"].(object)
		for media, content := range members(body["content"]) {
			if content["example"] == nil {
				find(name+" "+media, "example")
			}
		}
	}
	components, _ := root["components"].(object)
	for name, schema := range members(components["schemas"]) {
		checkDescriptions(name, schema, find)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// checkDescriptions finds the members of a schema that have no description.
func checkDescriptions(where string, schema object, find func(where, what string)) {
	for name, member := range members(schema["properties"]) {
		if member["description"] == nil {
			find(where+"."+name, "description")
		}
		checkDescriptions(where+"."+name, member, find)
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if inner, ok := schema[name].(object); ok {
			checkDescriptions(where+"[]", inner, find)
		}
	}
	for _, name := range []string{"oneOf", "anyOf", "allOf"} {
		for _, inner := range elements(schema[name]) {
			checkDescriptions(where, inner, find)
		}
	}
}

// members are the members of an object that are objects.
func members(v any) map[string]object {
	out := map[string]object{}
	all, _ := v.(object)
	for name, member := range all {
		if inner, ok := member.(object); ok {
			out[name] = inner
		}
	}
	return out
}

// elements are the elements of a list that are objects.
func elements(v any) (out []object) {
	all, _ := v.([]any)
	for _, element := range all {
		if inner, ok := element.(object); ok && inner["$ref"] == nil {
			out = append(out, inner)
		}
	}
	return out
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
