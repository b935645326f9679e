package page

import (
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// ProblemText returns a problem of a field in the reader's language, with the detail of the rule.
func (req *Request) ProblemText(p refusal.Problem) string {
	text := req.T("refused." + string(p.Reason.General()))
	if p.Reason.General() == registrar.PrivateKey || p.Message == "" {
		return text
	}
	return text + " (" + registrar.FieldPath(p.Where) + ": " + p.Message + ")"
}

// ActorName returns the display name of the actor of an event.
func (req *Request) ActorName(actor string) string {
	if actor == req.By.Subject {
		return req.T("actor.you", req.Person)
	}
	if token, found := strings.CutPrefix(actor, "initial access token:"); found {
		return req.T("actor.token", strings.TrimSpace(token))
	}
	return req.Label("actor", actor)
}

// CallerName returns the display name of the actor of an event, with the subjects of the parties that acted for it.
func (req *Request) CallerName(e registrar.Event) string {
	name := req.ActorName(e.Actor)
	for _, party := range e.Acting {
		name += " (" + party.Subject + ")"
	}
	return name
}

// Lines returns the lines of a text that are not blank.
func Lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}
