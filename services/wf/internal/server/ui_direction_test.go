package server_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"
)

const hebrewPolicy = `{"policy_key":"hebrew","name":"חופשה","description":"תיאור","settings":{"summary":["/note"]},
	"context_schema":{"type":"object","properties":{"note":{"type":"string","title":"הערה","description":"עזרה","pattern":"^[^0-9]*$"},"kind":{"enum":["שנתי","אחר"],"title":"סוג"}}},
	"stages":[{"key":"s","name":"מנהל","description":"הסבר","approvers":[{"type":"user","ids":["tom","דנה"]}],"allow":{"reassign":"any"}}]}`

// Every text of a user has the direction of its own: its element is bdi, or has dir="auto".
func TestTextsOfUsersHaveTheirOwnDirection(t *testing.T) {
	s := start(t)
	s.addPolicy("hebrew", hebrewPolicy)
	request := "/inbox/requests/" + s.asked("דנה", `{"policy_key":"hebrew","title":"שולחן","comment":"תודה","artifact_type":"מסמך","artifact_id":"מספר",
		"context":{"note":"עבודה","kind":"שנתי"},"link":"https://x.example/","attachments":[{"name":"קובץ","url":"https://x.example/f","media_type":"text/plain"}]}`)
	dana, tom, ada := s.signedIn("דנה"), s.signedIn("tom"), s.signedIn("ada", "WF_ADMIN")
	tom.post(request+"/comments", url.Values{"text": {"שאלה"}, "mention": {"דנה"}}).sees(200, "שאלה")
	day := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	tom.post("/inbox/delegations", url.Values{"to": {"דנה"}, "from": {day}, "until": {day}, "policies": {"hebrew"},
		"reason": {"סיבה"}}).sees(200, "סיבה")
	dana.post("/inbox/new/hebrew", url.Values{"title": {"כותרת"}, "c/note": {"אות"}, "comment": {"הודעה"}}).sees(200, "הודעה").ownDirection()
	dana.post("/inbox/new/hebrew", url.Values{"title": {"כותרת"}, "c/note": {"אות 1"}, "comment": {"הודעה"}}).sees(422, "הודעה").ownDirection()
	for b, paths := range map[*browser][]string{
		dana: {"/inbox", "/inbox/mine", "/inbox/new", "/inbox/new?q=חופשה", request},
		tom:  {"/inbox", "/inbox?q=שולחן", request, "/inbox/delegations"},
		ada: {"/inbox/console?q=שולחן&requester=דנה", "/inbox/console/audit?actor=דנה", "/inbox/console/policies?q=חופשה", "/inbox/console/policies/hebrew",
			"/inbox/console/policies/hebrew/1/edit", "/inbox/console/policies/hebrew/1/simulate", "/inbox/console/deliveries?endpoint=שם", request},
	} {
		for _, path := range paths {
			to, _ := url.Parse(path)
			b.get((&url.URL{Path: to.Path, RawQuery: to.Query().Encode()}).String()).sees(200).ownDirection()
		}
	}
	tom.post(tom.get(request).find(`formaction="(/inbox/tasks/[^"]+/decision)"`), url.Values{"action": {"reject"}, "comment": {"לא"}})
	tom.get(request).sees(200, "לא").ownDirection()
	dana.get("/inbox/mine").sees(200).ownDirection()
}

// ownDirection fails the test for each shown text with Hebrew letters in an element without a direction of its own.
func (b *browser) ownDirection() {
	b.t.Helper()
	page, err := html.Parse(strings.NewReader(b.page))
	must(b.t, err)
	attr := func(n *html.Node, key string) string {
		i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
		if i < 0 {
			return ""
		}
		return n.Attr[i].Val
	}
	for n := range page.Descendants() {
		of, text := n, attr(n, "value")
		if n.Type == html.TextNode {
			of, text = n.Parent, n.Data
		} else if n.Data != "input" || slices.Contains([]string{"hidden", "checkbox", "radio"}, attr(n, "type")) {
			continue
		}
		hebrew := strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Hebrew, r) })
		hidden := attr(of, "class") == "hidden-text" || slices.Contains([]string{"title", "code"}, of.Data) // JSON
		if hebrew && !hidden && of.Data != "bdi" && attr(of, "dir") != "auto" && !strings.Contains(attr(of, "class"), "code") {
			b.t.Errorf("%s: %q is in <%s> without a direction of its own", b.path, strings.TrimSpace(text), of.Data)
		}
	}
}
