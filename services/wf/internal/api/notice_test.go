package api_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/outbox"
)

func TestUserSetsNotificationPreferences(t *testing.T) {
	w := boot(t, Options{})
	const path = "/v1/wf/me/notifications"
	read := func(who *Client) string { return who.Get(path).Want(200).Text("response") }
	same(t, "at first", read(w.ana), `{"mail":"frequent"}`)
	const want = `{"language":"fr","mail":"daily","zone":"Africa/Dakar"}`
	same(t, "chosen", w.ana.Put(path, want).Want(200).Text("response"), want)
	same(t, "read again", read(w.ana), want)
	same(t, "bo's", read(w.bo), `{"mail":"frequent"}`)
	same(t, "off", w.ana.Put(path, `{"mail":"off"}`).Want(200).Text("response"), `{"mail":"off"}`)
	same(t, "reset", w.ana.Put(path, `{}`).Want(200).Text("response"), `{"mail":"frequent"}`)

	for body, loc := range map[string]string{
		`{"mail":"hourly"}`:           `["body","mail"]`,
		`{"kinds":{}}`:                `["body","kinds"]`,
		`{"language":"xx"}`:           `["body","language"]`,
		`{"zone":"Mars/Olympus"}`:     `["body","zone"]`,
		`{"zone":"Local"}`:            `["body","zone"]`,
		`{"zone":"../../etc/passwd"}`: `["body","zone"]`,
	} {
		same(t, body, strings.ReplaceAll(w.ana.Put(path, body).Want(422).Text("detail", 0, "loc"), " ", ""), loc)
	}
}

func TestAChatIsAnEndpointWithoutASecret(t *testing.T) {
	w := boot(t, Options{})
	const secret = "/services/T024BE7LD/B0C4N4RY/xoxCanary"
	made := w.root.Post(endpoints, `{"name":"team","format":"slack","url":"https://hooks.slack.example`+secret+`"}`).Want(201)
	same(t, "format", made.Response("format"), string(outbox.FormatSlack))
	same(t, "secret", made.Response("secret"), "")
	same(t, "url", made.Response("url"), "https://hooks.slack.example/…")
	same(t, "hint", made.Response("secret_hint"), "nary")
	at := made.Header.Get("Location")
	for _, answer := range []Reply{made, w.root.Get(at).Want(200), w.root.Get(endpoints).Want(200),
		w.root.Patch(at, `{"url":"https://other.example`+secret+`"}`).Want(200)} {
		if text := answer.Text("response"); strings.Contains(text, "xoxCanary") {
			t.Errorf("the address is shown: %s", text)
		}
	}
	w.root.Post(at+"/rotate-secret", nil).Refused(409, "WF-007")
	w.root.Post(endpoints, `{"name":"other","format":"irc","url":"https://hooks.slack.example/x"}`).Want(422)
	w.root.Post(endpoints,
		`{"name":"other","format":"teams","url":"https://hooks.slack.example/x","secret":"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}`).Want(422)
	w.root.Post(endpoints, `{"name":"other","format":"teams","url":"http://169.254.169.254/x"}`).Want(422)
	same(t, "an event", w.root.Post(endpoints, `{"name":"plain","url":"https://hooks.example/x"}`).Want(201).Response("format"), "event")
}
