package interop

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// browse opens an address as a browser with an empty jar of cookies does, signs the person
// in where a page asks for a name and a password, and stops when it is sent to the redirect
// URI. back is what was sent there. refusal is the text of a page that goes nowhere.
func browse(t *testing.T, address, redirect, person string) (back url.Values, refusal string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return browser{t, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}.open(address, redirect, person)
}

type browser struct {
	t      *testing.T
	client *http.Client
}

func (b browser) open(address, redirect, person string) (back url.Values, refusal string) {
	b.t.Helper()
	response, err := b.client.Get(address)
	signedIn := false
	for range 10 { // redirects and forms
		if err != nil {
			b.t.Fatal(err)
		}
		page, readErr := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if readErr != nil {
			b.t.Fatal(readErr)
		}
		if next, locationErr := response.Location(); locationErr == nil {
			if strings.HasPrefix(next.String(), redirect+"?") {
				return next.Query(), ""
			}
			response, err = b.client.Get(next.String())
			continue
		}
		action, text := readPage(b.t, page)
		if action == "" || signedIn {
			return nil, fmt.Sprintf("authorize: %d %s", response.StatusCode, text)
		}
		target, parseErr := response.Request.URL.Parse(action)
		if parseErr != nil {
			b.t.Fatal(parseErr)
		}
		signedIn = true
		response, err = b.client.PostForm(target.String(), url.Values{"username": {person}, "password": {passwordOf(person)}})
	}
	b.t.Fatalf("%s leads nowhere", address)
	return nil, ""
}

// readPage finds where the form with a password is sent to, and the text of the page.
func readPage(t *testing.T, page []byte) (action, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	form := ""
	for n := range root.Descendants() {
		switch {
		case n.Type == html.ElementNode && n.Data == "form":
			form = attribute(n, "action")
		case n.Type == html.ElementNode && n.Data == "input" && attribute(n, "type") == "password":
			action = form
		case n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style":
			words = append(words, strings.Fields(n.Data)...)
		}
	}
	return action, strings.Join(words, " ")
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
