package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/libs/strictjson"
)

const maxPointer = 512 // bytes

// RedactContext returns a context in canonical form without the values that settings.redact selects. List indexes
// refer to the list as sent by the caller. An unreadable context is withheld completely.
func (s Settings) RedactContext(context []byte) []byte {
	if len(s.Redact) == 0 || len(context) == 0 {
		return context
	}
	root := &removal{}
	for _, pointer := range s.Redact {
		steps, err := parsePointer(pointer)
		if err != nil {
			return []byte("{}")
		}
		root.add(steps)
	}
	decoder := json.NewDecoder(bytes.NewReader(context))
	decoder.UseNumber()
	var value any
	if root.whole || decoder.Decode(&value) != nil {
		return []byte("{}")
	}
	body, err := json.Marshal(root.apply(value))
	if err == nil {
		body, err = strictjson.Canonical(body)
	}
	if err != nil {
		return []byte("{}")
	}
	return body
}

// removal is the part to remove at one place of a document: the whole value, or parts of its members.
type removal struct {
	whole   bool
	members map[string]*removal
}

func (r *removal) add(steps []string) {
	for _, step := range steps {
		if r.members == nil {
			r.members = map[string]*removal{}
		}
		if r.members[step] == nil {
			r.members[step] = &removal{}
		}
		r = r.members[step]
	}
	r.whole = true
}

// apply returns the value without the removed parts. It modifies value.
func (r *removal) apply(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range r.members {
			if member, present := value[name]; present && !inner.whole {
				value[name] = inner.apply(member)
			} else {
				delete(value, name)
			}
		}
	case []any:
		kept := make([]any, 0, len(value))
		for i, item := range value {
			switch inner := r.members[strconv.Itoa(i)]; {
			case inner == nil:
				kept = append(kept, item)
			case !inner.whole:
				kept = append(kept, inner.apply(item))
			}
		}
		return kept
	}
	return value
}

// parsePointer returns the steps of a JSON pointer (RFC 6901).
func parsePointer(pointer string) ([]string, error) {
	switch p := jsontext.Pointer(pointer); {
	case len(pointer) > maxPointer:
		return nil, fmt.Errorf("must be at most %d bytes", maxPointer)
	case !p.IsValid():
		return nil, errors.New("must be a JSON pointer into the context, such as /payee/iban, with ~ as ~0 and / as ~1")
	default:
		return slices.Collect(p.Tokens()), nil
	}
}
