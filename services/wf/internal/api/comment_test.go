package api_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/audit"
)

func TestPeopleOfARequestTalkAboutIt(t *testing.T) {
	w := boot(t, Options{Events: []string{"request.*"}})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	path := "/v1/wf/requests/" + request.Response("id")
	comments := path + "/comments"
	named := w.ClientWith(t, "ana", map[string]any{"preferred_username": "ana.b", "name": "Ana B", "email": "ana@example.org"})

	same(t, "nothing yet", w.rita.Get(comments).Want(200).Text("response"), `{"items":[],"next_cursor":null}`)
	said := named.Post(comments, `{"text":"Which account?","mentions":["rita","bo","rita"]}`).Want(200)
	same(t, "text", said.Response("text"), "Which account?")
	same(t, "mentions", said.Response("mentions"), `[{"id":"rita"},{"id":"bo"}]`)
	same(t, "author", said.Response("author"), `{"id":"ana","kind":"user","name":"Ana B","username":"ana.b"}`)
	same(t, "revision", said.Response("revision"), "1")
	w.rita.Post(comments, `{"text":"The usual one"}`).Want(200)

	for _, reader := range []*Client{w.rita, w.bo, w.vic, w.root} {
		list := reader.Get(comments).Want(200)
		same(t, "texts", strings.Join(list.Items("text"), "|"), "Which account?|The usual one")
		same(t, "the first", list.Response("items", 0), said.Text("response"))
	}
	w.eve.Get(comments).Refused(403, "WF-008")
	for name, by := range map[string]*Client{"a stranger": w.eve, "a viewer": w.vic, "an admin": w.root} {
		t.Run(name, func(t *testing.T) {
			people(t, w.Service)
			by.Post(comments, `{"text":"x"}`).Refused(403, "WF-008")
		})
	}
	same(t, "a stranger is mentioned", strings.Join(details(w.ana.Post(comments,
		`{"text":"x","mentions":["eve"]}`).Want(422)), ","), "value_error body.mentions.0")
	same(t, "blanks", strings.Join(details(w.ana.Post(comments, `{"text":"  "}`).Want(422)), ","), "string_too_short body.text")
	same(t, "too long", strings.Join(details(w.ana.Post(comments, `{"text":"`+strings.Repeat("é", 4097)+`"}`).Want(422)),
		","), "string_too_long body.text")
	w.ana.Post(comments, `{"text":"`+strings.Repeat("é", 4096)+`"}`).Want(200)

	events := w.vic.Get(path + "/events?verify=true").Want(200)
	same(t, "valid", events.Response("verification", "valid"), "true")
	types := events.Items("type")
	same(t, "the last event", types[len(types)-1], string(audit.EventRequestCommented))
}
