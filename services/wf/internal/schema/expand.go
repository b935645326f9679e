package schema

import (
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checkExpansion refuses a schema that applies more than maxExpanded subschemas to one
// value, or applies itself to the value that it is applied to.
func checkExpansion(root *jsonschema.Schema) error {
	sizes := map[*jsonschema.Schema]int{} // 0 while a schema is being expanded
	var expand func(*jsonschema.Schema) (int, error)
	expand = func(s *jsonschema.Schema) (int, error) {
		if size, seen := sizes[s]; seen {
			if size == 0 {
				return 0, invalid(location(s.Location), "refers to itself without end")
			}
			return size, nil
		}
		sizes[s] = 0
		size := 1
		whole, _ := subschemas(s)
		for _, sub := range whole {
			n, err := expand(sub)
			if err != nil {
				return 0, err
			}
			if size += n; size > maxExpanded {
				return 0, invalid(location(s.Location), "applies more than %d subschemas to one value", maxExpanded)
			}
		}
		sizes[s] = size
		return size, nil
	}
	for _, s := range reachable(root) {
		if _, err := expand(s); err != nil {
			return err
		}
	}
	return nil
}
