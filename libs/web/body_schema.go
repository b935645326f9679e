package web

import (
	"bytes"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// bodySchema returns the schema of an operation's JSON body, or nil.
func bodySchema(op *huma.Operation) *huma.Schema {
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	return op.RequestBody.Content["application/json"].Schema
}

func (s *Server) registry() huma.Registry { return s.API.OpenAPI().Components.Schemas }

// dropUnknownMembers records the members of the body that the schema does not declare, for
// UnknownMembers, and removes those that differ from a declared member in case only.
func (c *call) dropUnknownMembers() error {
	tree, err := c.tree()
	if err != nil {
		return err
	}
	r := c.server.registry()
	c.unknown = unknownMembers(r, c.schema, tree, "", nil)
	if dropCaseVariants(r, c.schema, tree) {
		c.body, err = json.Marshal(tree)
	}
	return err
}

// tree returns the decoded body. Numbers keep their digits.
func (c *call) tree() (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber()
	var tree any
	err := decoder.Decode(&tree)
	return tree, err
}
