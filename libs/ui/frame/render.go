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
func parseOnce(pages []fs.FS) func() renderer {
	return sync.OnceValue(func() renderer {
		r := renderer{pages: map[string]*template.Template{}, assets: map[string]asset{}}
		for _, name := range list(files, "assets/*") {
			text, _ := files.ReadFile(name) // the name is from the list
			sum := sha256.Sum256(text)
			hash := hex.EncodeToString(sum[:6])
			r.assets[path.Base(name)] = asset{mediaTypes[path.Ext(name)], hash, text, compress(gzip.NewWriter(nil), text)}
		}
		shared := template.New("").Funcs(template.FuncMap{"list": func(things ...any) []any { return things },
			"safeLink": form.SafeLink, "shortID": ShortID})
		shared = template.Must(shared.ParseFS(files, "pages/*.html"))
		for _, service := range pages {
			if names := list(service, "pages/parts.html"); names != nil {
				shared = template.Must(shared.ParseFS(service, names...))
			}
		}
		for _, service := range pages {
			for _, name := range list(service, "pages/*.html") {
				page := template.Must(shared.Clone())
				r.pages[strings.TrimSuffix(path.Base(name), ".html")] = template.Must(page.ParseFS(service, name))
			}
		}
		return r
	})
}

// list returns the files that match a pattern.
func list(files fs.FS, pattern string) []string {
	names, _ := fs.Glob(files, pattern) // the patterns are valid
	return names
}

// gzipWriters pools gzip writers with the fastest level. A writer needs a megabyte of memory.
var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

// compressPooled compresses a text with a pooled writer.
func compressPooled(text []byte) []byte {
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	return compress(w, text)
}

func compress(w *gzip.Writer, text []byte) []byte {
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
func (r *Request) Render(status int, page string, root any) error {
	var out bytes.Buffer
	if err := r.render().pages[page].ExecuteTemplate(&out, "layout", root); err != nil {
		return fmt.Errorf("page %s: %w", page, err)
	}
	r.W.Header().Set("Content-Language", r.Language)
	r.W.Header().Set("Vary", "Accept-Encoding, Accept-Language, Cookie")
	r.send(status, out.Bytes(), nil)
	return nil
}

// smallest is the minimum size for compression.
const smallest = 1 << 10

// Send writes a body that no page has.
func (r *Request) Send(status int, body []byte) { r.send(status, body, nil) }

// send writes a body, compressed if the browser accepts gzip. Compressed bodies contain no secrets,
// so their length discloses nothing.
func (r *Request) send(status int, plain, compressed []byte) {
	if strings.Contains(r.R.Header.Get("Accept-Encoding"), "gzip") && len(plain) >= smallest {
		if compressed == nil {
			compressed = compressPooled(plain)
		}
		r.W.Header().Set("Content-Encoding", "gzip")
		plain = compressed
	}
	r.W.WriteHeader(status)
	_, _ = r.W.Write(plain) // the browser may have disconnected
}

// SendAsset sends a linked file.
func (r *Request) SendAsset() error {
	a, found := r.render().assets[r.R.PathValue("name")]
	if !found {
		return r.Status(http.StatusNotFound, "status.Not Found")
	}
	r.W.Header().Set("Content-Type", a.kind)
	r.W.Header().Set("Vary", "Accept-Encoding")
	if r.R.URL.Query().Get("v") == a.hash {
		r.W.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	r.send(http.StatusOK, a.plain, a.gzip)
	return nil
}
