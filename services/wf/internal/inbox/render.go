package inbox

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

// render parses the pages on first use. They need 3 MB, which a service without page requests
// saves. All files are embedded, so that an error in them fails the tests.
var render = sync.OnceValue(func() renderer {
	r := renderer{pages: map[string]*template.Template{}, assets: map[string]asset{}}
	for _, name := range list("assets/*") {
		text, _ := files.ReadFile(name) // the name is from the list
		sum := sha256.Sum256(text)
		r.assets[path.Base(name)] = asset{mediaTypes[path.Ext(name)], hex.EncodeToString(sum[:6]), text, squeeze(gzip.NewWriter(nil), text)}
	}
	shared := template.New("").Funcs(template.FuncMap{"list": func(things ...any) []any { return things }, "safeLink": form.SafeLink})
	shared = template.Must(shared.ParseFS(files, "pages/layout.html", "pages/parts.html"))
	for _, name := range list("pages/*.html") {
		page := template.Must(shared.Clone())
		r.pages[strings.TrimSuffix(path.Base(name), ".html")] = template.Must(page.ParseFS(files, name))
	}
	return r
})

// list returns the files that match a pattern.
func list(pattern string) []string {
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

// frame is the input of a template: the page request and its data.
type frame struct {
	*visit
	Title string
	Page  string // the name of the template
	Bare  bool   // no linked files, since they may be unavailable
	Data  any
}

// With returns the frame with other data, for the parts of a page.
func (f frame) With(data any) frame {
	f.Data = data
	return f
}

// Asset returns the address of a linked file.
func (f frame) Asset(name string) string {
	return Root + "/assets/" + name + "?v=" + render().assets[name].hash
}

// Style returns the stylesheet, for a page without linked files.
func (f frame) Style() template.CSS {
	return template.CSS(render().assets["style.css"].plain) // #nosec G203 -- a file of this package
}

// show renders and sends a page.
func (v *visit) show(status int, page, title string, data any) error {
	var out bytes.Buffer
	f := frame{visit: v, Title: title, Page: page, Bare: page == "status", Data: data}
	if err := render().pages[page].ExecuteTemplate(&out, "layout", f); err != nil {
		return fmt.Errorf("page %s: %w", page, err)
	}
	v.w.Header().Set("Content-Language", v.Language)
	v.w.Header().Set("Vary", "Accept-Encoding, Accept-Language, Cookie")
	v.send(status, out.Bytes(), nil)
	return nil
}

// smallest is the minimum size for compression.
const smallest = 1 << 10

// send writes a body, compressed if the browser accepts gzip. Compressed bodies contain no secrets,
// so their length discloses nothing.
func (v *visit) send(status int, plain, compressed []byte) {
	if strings.Contains(v.r.Header.Get("Accept-Encoding"), "gzip") && len(plain) >= smallest {
		if compressed == nil {
			compressed = squeezed(plain)
		}
		v.w.Header().Set("Content-Encoding", "gzip")
		plain = compressed
	}
	v.w.WriteHeader(status)
	_, _ = v.w.Write(plain) // the browser may have disconnected
}

// asset sends a linked file.
func (v *visit) asset() error {
	a, found := render().assets[v.r.PathValue("name")]
	if !found {
		return v.status(http.StatusNotFound, "status.Not Found")
	}
	v.w.Header().Set("Content-Type", a.kind)
	v.w.Header().Set("Vary", "Accept-Encoding")
	if v.r.URL.Query().Get("v") == a.hash {
		v.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	v.send(http.StatusOK, a.plain, a.gzip)
	return nil
}
