package policyfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/policy"
)

// maxFlow bounds the width of a list or an object on one line.
const maxFlow = 80

// Export returns the policy as a YAML file. Members have the order of the API's document, so that equal definitions
// have equal files.
func Export(key string, d policy.Definition) ([]byte, error) {
	raw, err := json.Marshal(api.PolicyBody{PolicyKey: key, Definition: d})
	if err != nil {
		return nil, fmt.Errorf("encode policy %s: %w", key, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	root, err := node(decoder)
	if err != nil {
		return nil, err
	}
	root.Style = 0
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(root); err != nil {
		return nil, err
	}
	return out.Bytes(), compareContent(out.Bytes(), raw)
}

// compareContent fails if the file has another content than the JSON document.
func compareContent(file, document []byte) error {
	doc, problems := Parse("", file)
	if len(problems) > 0 {
		return fmt.Errorf("the exported file is not readable: %s", problems[0])
	}
	got, err := strictjson.Canonical(doc.JSON)
	if err != nil {
		return err
	}
	want, err := strictjson.Canonical(document)
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("the exported file has another content")
	}
	return err
}

// node reads the next JSON value as a YAML node. Short values are on one line.
func node(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch token := token.(type) {
	case json.Delim:
		n.Kind = yaml.SequenceNode
		if token == '{' {
			n.Kind = yaml.MappingNode
		}
		for decoder.More() {
			item, err := node(decoder)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
		}
		if _, err := decoder.Token(); err != nil {
			return nil, err
		}
		if width, ok := flowWidth(n); ok && width <= maxFlow {
			n.Style = yaml.FlowStyle
		}
	case string:
		n.SetString(token)
		if !strings.Contains(token, "\n") {
			n.Style = 0
		}
	case json.Number:
		n.Tag, n.Value = "!!float", token.String()
		if !strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!int"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(token)
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}

// flowWidth returns the width of a value on one line, or false if it has several lines.
func flowWidth(n *yaml.Node) (width int, ok bool) {
	if n.Kind == yaml.ScalarNode {
		return len(n.Value), n.Style&yaml.LiteralStyle == 0
	}
	width = 2
	for _, item := range n.Content {
		w, ok := flowWidth(item)
		if !ok {
			return 0, false
		}
		width += w + 2
	}
	return width, true
}
