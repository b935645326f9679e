package web

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
)

var (
	//go:embed docs/page.html
	docsPage string
	//go:embed docs/page.css
	docsStyle string
	//go:embed docs/schema.js
	docsSchema string
	//go:embed docs/try.js
	docsTry string
	//go:embed docs/page.js
	docsList string
)

// OpenAPI returns the OpenAPI 3.1 document of the operations registered so far,
// as YAML. Equal operations give equal bytes.
func (s *Server) OpenAPI() ([]byte, error) {
	return s.document().YAML()
}

// Examples parses the embedded examples of the document, by name.
func Examples[Name ~string](file []byte) (examples map[Name]json.RawMessage) {
	if err := json.Unmarshal(file, &examples); err != nil {
		panic(err)
	}
	return examples
}

// Show documents a schema in place of the schema of the same name that validates bodies. The documented one
// may have more constraints than the validation, whose findings are few and simple.
func (s *Server) Show(name string, schema *huma.Schema) {
	if s.shown == nil {
		s.shown = map[string]*huma.Schema{}
	}
	s.shown[name] = schema
}

// document returns the OpenAPI document with the schemas of Show.
func (s *Server) document() *huma.OpenAPI {
	document := *s.API.OpenAPI()
	components := *document.Components
	components.Schemas = shownSchemas{components.Schemas, s.shown}
	document.Components = &components
	return &document
}

// shownSchemas is a registry with the schemas of Show.
type shownSchemas struct {
	huma.Registry
	shown map[string]*huma.Schema
}

// Map returns the schemas of the document.
func (r shownSchemas) Map() map[string]*huma.Schema {
	all := maps.Clone(r.Registry.Map())
	maps.Copy(all, r.shown)
	return all
}

// MarshalJSON implements json.Marshaler.
func (r shownSchemas) MarshalJSON() ([]byte, error) { return json.Marshal(r.Map()) }

// ServeDocuments serves the OpenAPI document at /openapi.json and /openapi.yaml, its page at /docs, and
// a redirect at /. Call it after the last Register. The document is rendered at its first request, because
// rendering takes longer than the rest of the start.
func (s *Server) ServeDocuments() {
	asJSON := sync.OnceValues(func() ([]byte, error) { return json.Marshal(s.document()) })
	serve := func(path, contentType, policy string, document func() ([]byte, error)) {
		s.Echo.GET(path, func(c echo.Context) error {
			body, err := document()
			if err != nil {
				return fmt.Errorf("encode OpenAPI document: %w", err)
			}
			c.Response().Header().Set("Content-Type", contentType)
			c.Response().Header().Set("Content-Security-Policy", policy)
			_, err = c.Response().Write(body)
			return err
		})
	}
	serve("/openapi.json", "application/json", contentPolicy, asJSON)
	serve("/openapi.yaml", "application/yaml", contentPolicy, sync.OnceValues(s.OpenAPI))

	// The policy has the hashes of the page's script and style, so that injected scripts do not run.
	script := docsSchema + docsTry + docsList
	page := strings.NewReplacer("{{style}}", docsStyle, "{{script}}", script).Replace(docsPage)
	policy := fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; connect-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		cspHash(docsStyle), cspHash(script))
	serve("/docs", "text/html; charset=utf-8", policy, func() ([]byte, error) { return []byte(page), nil })
	s.Echo.GET("/", s.leadToPages)
}

// leadToPages redirects from / to the first page, or to /docs on a host without pages.
func (s *Server) leadToPages(c echo.Context) error {
	to := "/docs"
	if s.pages != nil && (s.pages.Host == "" || strings.EqualFold(hostname(c.Request().Host), s.pages.Host)) {
		to = s.pages.Prefix
	}
	return c.Redirect(http.StatusFound, to)
}

// cspHash is the source expression of an inline script or style (CSP Level 3).
func cspHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
