package policyfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/policy"
)

// maxFlow bounds the width of a list or an object on one line.
const maxFlow = 80

// unreadable matches the characters of JSON that YAML permits only with an escape (YAML 1.2.2, section 5.1).
var unreadable = regexp.MustCompile(`[\x{7f}-\x{9f}\x{feff}\x{fffe}\x{ffff}]`)

// Export returns the policy as a YAML file. Members have the order of the API's document, so that equal definitions
// have equal files.
func Export(key string, d policy.Definition) ([]byte, error) {
	raw, err := json.Marshal(api.PolicyBody{PolicyKey: key, Definition: d})
	if err != nil {
		return nil, fmt.Errorf("encode policy %s: %w", key, err)
	}
	escaped := unreadable.ReplaceAllFunc(raw, func(r []byte) []byte {
		return fmt.Appendf(nil, `\u%04x`, []rune(string(r))[0])
	})
	var root yaml.Node // JSON is YAML
	if err := yaml.Unmarshal(escaped, &root); err != nil {
		return nil, err
	}
	setStyle(&root)
	root.Content[0].Style = 0
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(&root); err != nil {
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

// setStyle removes the style of JSON: short values are on one line, texts of several lines as they are. It returns the
// width of a value on one line, or false if it has several lines.
func setStyle(n *yaml.Node) (width int, ok bool) {
	if n.Style, ok = 0, true; n.Kind == yaml.ScalarNode {
		if strings.Contains(n.Value, "\n") {
			n.Style, ok = yaml.LiteralStyle, false
		}
		return len(n.Value), ok
	}
	width = 2
	for _, item := range n.Content {
		w, one := setStyle(item)
		width, ok = width+w+2, ok && one
	}
	if ok && width <= maxFlow {
		n.Style = yaml.FlowStyle
	}
	return width, ok
}
