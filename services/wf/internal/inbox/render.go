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
)

//go:embed pages assets
var files embed.FS

// renderer has the templates, parsed, and the files that pages link, compressed.
type renderer struct {
	pages  map[string]*template.Template
	assets map[string]asset
}

// asset is a file that pages link. Its address has the hash, so that browsers keep it.
type asset struct {
	kind, hash  string
	plain, gzip []byte
}

// mediaTypes are those of assets. Package mime would read the tables of the machine, which may
// say something else, and keep a megabyte of them.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// render has the pages since somebody has opened one: they take 3 MB, which a service that is
// called by programs alone need not have. All files are the program's own, so that a mistake in
// them fails every test of a page, and no start.
var render = sync.OnceValue(func() renderer {
	r := renderer{pages: map[string]*template.Template{}, assets: map[string]asset{}}
	for _, name := range list("assets/*") {
		text, _ := files.ReadFile(name) // it is in the list
		sum := sha256.Sum256(text)
		r.assets[path.Base(name)] = asset{mediaTypes[path.Ext(name)], hex.EncodeToString(sum[:6]), text, squeeze(gzip.NewWriter(nil), text)}
	}
	shared := template.New("").Funcs(template.FuncMap{"list": func(things ...any) []any { return things }, "safeLink": safeLink})
	shared = template.Must(shared.ParseFS(files, "pages/layout.html", "pages/parts.html"))
	for _, name := range list("pages/*.html") {
		page := template.Must(shared.Clone())
		r.pages[strings.TrimSuffix(path.Base(name), ".html")] = template.Must(page.ParseFS(files, name))
	}
	return r
})

// list are the files that match a pattern.
func list(pattern string) []string {
	names, _ := fs.Glob(files, pattern) // the patterns are good
	return names
}

// squeezers compress pages, fast rather than well: one takes a megabyte of memory, so that
// they are used again.
var squeezers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // it is a level
	return w
}}

// squeezed is a text, compressed.
func squeezed(text []byte) []byte {
	w := squeezers.Get().(*gzip.Writer)
	defer squeezers.Put(w)
	return squeeze(w, text)
}

func squeeze(w *gzip.Writer, text []byte) []byte {
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(text) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// frame is what a template reads: the visit, and what its page shows.
type frame struct {
	*visit
	Title string
	Page  string // the name of the template
	Bare  bool   // nothing is linked: it may be that nothing else is served
	Data  any
}

// With is the same frame about something else, for the parts of a page.
func (f frame) With(data any) frame {
	f.Data = data
	return f
}

// Asset is the address of a file that pages link.
func (f frame) Asset(name string) string {
	return Root + "/assets/" + name + "?v=" + render().assets[name].hash
}

// Style is the stylesheet, for a page that links nothing.
func (f frame) Style() template.CSS {
	return template.CSS(render().assets["style.css"].plain) // #nosec G203 -- a file of this package
}

// show sends a page.
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

// smallest is the least that is worth being compressed.
const smallest = 1 << 10

// send writes a body, compressed if the browser reads that. What is in both has no
// secrets, so its length tells nothing.
func (v *visit) send(status int, plain, compressed []byte) {
	if strings.Contains(v.r.Header.Get("Accept-Encoding"), "gzip") && len(plain) >= smallest {
		if compressed == nil {
			compressed = squeezed(plain)
		}
		v.w.Header().Set("Content-Encoding", "gzip")
		plain = compressed
	}
	v.w.WriteHeader(status)
	_, _ = v.w.Write(plain) // a browser that hung up needs no answer
}

// asset sends a file that pages link.
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
