package interop

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// browser is a browser with cookies and without scripts.
type browser struct {
	t      *testing.T
	client *http.Client
}

// newBrowser returns a browser without cookies. It stops before the redirect URI of a
// relying party, if given one, because no server listens there.
func newBrowser(t *testing.T, stop string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if stop != "" && strings.HasPrefix(r.URL.String(), stop+"?") {
			return http.ErrUseLastResponse
		}
		if len(via) > 10 {
			return errors.New("it leads in a circle")
		}
		return nil
	}}}
}

// page is the current page of a browser.
type page struct {
	at     *url.URL // the redirect URI with its parameters, where the browser has stopped
	status int
	text   string
	forms  []form
}

type form struct {
	action string
	fields url.Values
	asks   bool // for a password
}

func (b *browser) open(address string) page {
	b.t.Helper()
	response, err := b.client.Get(address)
	return b.show(response, err)
}

// submit sends the first form of a page for which fits holds, with more fields.
func (b *browser) submit(p page, fits func(form) bool, more url.Values) page {
	b.t.Helper()
	i := slices.IndexFunc(p.forms, fits)
	if i < 0 {
		b.t.Fatalf("%s has no such form: %s", p.at, p.text)
	}
	action, err := p.at.Parse(p.forms[i].action)
	if err != nil {
		b.t.Fatal(err)
	}
	fields := p.forms[i].fields
	for name, values := range more {
		fields[name] = values
	}
	response, err := b.client.PostForm(action.String(), fields)
	return b.show(response, err)
}

// signIn opens an address, and signs a user in at the password page.
func (b *browser) signIn(address, person, password string) page {
	b.t.Helper()
	p := b.open(address)
	if !p.asks() {
		return p
	}
	return b.submit(p, func(f form) bool { return f.asks }, url.Values{"username": {person}, "password": {password}})
}

// asks reports whether a page has a password field.
func (p page) asks() bool { return slices.ContainsFunc(p.forms, func(f form) bool { return f.asks }) }

// sees checks the status and the text of the page.
func (p page) sees(t *testing.T, status int, words ...string) {
	t.Helper()
	for _, word := range words {
		if p.status != status || !strings.Contains(p.text, word) {
			t.Errorf("%s: %d %s, want %d with %q", p.at, p.status, p.text, status, word)
		}
	}
}

func (b *browser) show(response *http.Response, err error) page {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	p := page{at: response.Request.URL, status: response.StatusCode}
	if next, err := response.Location(); err == nil {
		p.at = next
		return p
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		b.t.Fatal(err)
	}
	p.read(root)
	return p
}

// read takes the text and the forms out of a document.
func (p *page) read(root *html.Node) {
	var words []string
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style":
			words = append(words, strings.Fields(n.Data)...)
		case n.Type == html.ElementNode && n.Data == "form":
			p.forms = append(p.forms, readForms(n)...)
		}
	}
	p.text = strings.Join(words, " ")
}

// readForms returns a form, and a copy for each button with a name or an action of its own.
func readForms(root *html.Node) []form {
	f := form{action: attribute(root, "action"), fields: url.Values{}}
	var buttons []*html.Node
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "input" && n.Data != "button" {
			continue
		}
		f.asks = f.asks || attribute(n, "type") == "password"
		if attribute(n, "formaction") != "" || n.Data == "button" && attribute(n, "name") != "" {
			buttons = append(buttons, n)
		} else if name := attribute(n, "name"); name != "" && n.Data == "input" { // a button is sent if it is pressed
			f.fields.Set(name, attribute(n, "value"))
		}
	}
	forms := []form{f}
	for _, n := range buttons {
		own := form{cmp.Or(attribute(n, "formaction"), f.action), maps.Clone(f.fields), f.asks}
		if name := attribute(n, "name"); name != "" {
			own.fields.Set(name, attribute(n, "value"))
		}
		forms = append(forms, own)
	}
	return forms
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
