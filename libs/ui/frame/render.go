package frame

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/countersign/countersign/libs/ui/form"
)

// files holds the layout, the form fields, and the linked files of every service.
//
//go:embed pages assets
var files embed.FS

// renderer holds the parsed templates and the compressed assets.
type renderer struct {
	pages  map[string]*template.Template
	assets map[string]asset
}

// asset is a linked file. Its address contains the hash, so that browsers cache it.
type asset struct {
	kind, hash  string
	plain, gzip []byte
}

// mediaTypes maps extensions of assets to media types. Package mime would read the tables of the
// host, which may differ, and keep a megabyte of them.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// parseOnce parses the pages on first use. They need 3 MB, which a service without page requests
// saves. All files are embedded, so that an error in them fails the tests.
func parseOnce(pages fs.FS) func() renderer {
	return sync.OnceValue(func() renderer {
		r := renderer{pages: map[string]*template.Template{}, assets: map[string]asset{}}
		for _, name := range list(files, "assets/*") {
			text, _ := files.ReadFile(name) // the name is from the list
			sum := sha256.Sum256(text)
			r.assets[path.Base(name)] = asset{mediaTypes[path.Ext(name)], hex.EncodeToString(sum[:6]), text, squeeze(gzip.NewWriter(nil), text)}
		}
		shared := template.New("").Funcs(template.FuncMap{"list": func(things ...any) []any { return things }, "safeLink": form.SafeLink})
		shared = template.Must(shared.ParseFS(files, "pages/*.html"))
		shared = template.Must(shared.ParseFS(pages, "pages/parts.html"))
		for _, name := range list(pages, "pages/*.html") {
			page := template.Must(shared.Clone())
			r.pages[strings.TrimSuffix(path.Base(name), ".html")] = template.Must(page.ParseFS(pages, name))
		}
		return r
	})
}

// list returns the files that match a pattern.
func list(files fs.FS, pattern string) []string {
	names, _ := fs.Glob(files, pattern) // the patterns are valid
	return names
}

// squeezers pools gzip writers with the fastest level. A writer needs a megabyte of memory.
var squeezers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

// squeezed returns the compressed text.
func squeezed(text []byte) []byte {
	w := squeezers.Get().(*gzip.Writer)
	defer squeezers.Put(w)
	return squeeze(w, text)
}

func squeeze(w *gzip.Writer, text []byte) []byte {
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(text) // a buffer does not fail
	_ = w.Close()
	return out.Bytes()
}

// Page is the content of a page. The root of a template embeds it beside the page request.
type Page struct {
	Title string
	Name  string // of the template
	Bare  bool   // no linked files, since they may be unavailable
	Data  any
}

// Asset returns the address of a linked file.
func (s *Site) Asset(name string) string {
	return s.Root + "/assets/" + name + "?v=" + s.render().assets[name].hash
}

// Style returns the stylesheet, for a page without linked files.
func (s *Site) Style() template.CSS {
	return template.CSS(s.render().assets["style.css"].plain) // #nosec G203 -- a file of this package
}

// Render sends a page. root is the data of its template.
func (v *Visit) Render(status int, page string, root any) error {
	var out bytes.Buffer
	if err := v.render().pages[page].ExecuteTemplate(&out, "layout", root); err != nil {
		return fmt.Errorf("page %s: %w", page, err)
	}
	v.W.Header().Set("Content-Language", v.Language)
	v.W.Header().Set("Vary", "Accept-Encoding, Accept-Language, Cookie")
	v.send(status, out.Bytes(), nil)
	return nil
}

// smallest is the minimum size for compression.
const smallest = 1 << 10

// Send writes a body that no page has.
func (v *Visit) Send(status int, body []byte) { v.send(status, body, nil) }

// send writes a body, compressed if the browser accepts gzip. Compressed bodies contain no secrets,
// so their length discloses nothing.
func (v *Visit) send(status int, plain, compressed []byte) {
	if strings.Contains(v.R.Header.Get("Accept-Encoding"), "gzip") && len(plain) >= smallest {
		if compressed == nil {
			compressed = squeezed(plain)
		}
		v.W.Header().Set("Content-Encoding", "gzip")
		plain = compressed
	}
	v.W.WriteHeader(status)
	_, _ = v.W.Write(plain) // the browser may have disconnected
}

// SendAsset sends a linked file.
func (v *Visit) SendAsset() error {
	a, found := v.render().assets[v.R.PathValue("name")]
	if !found {
		return v.Status(http.StatusNotFound, "status.Not Found")
	}
	v.W.Header().Set("Content-Type", a.kind)
	v.W.Header().Set("Vary", "Accept-Encoding")
	if v.R.URL.Query().Get("v") == a.hash {
		v.W.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	v.send(http.StatusOK, a.plain, a.gzip)
	return nil
}
