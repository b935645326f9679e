package clients

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/ui/frame"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// clientPage shows one client.
type clientPage struct {
	engine.Details
	Status   string // see statusOf
	Keys     []key
	Claims   []string // display names
	ACRs     []string
	Approval *approvalLine
	Actions  []link // that the reader may take
	Compare  bool   // the reader may compare the client with the provider
	History  []event
	Pager    frame.Pager // of the history
}

// link is an action on the client.
type link struct{ Path, Text string }

// key is a key of a client in words.
type key struct {
	registrar.Key
	Kind   string // such as RSA 2048
	Since  frame.Moment
	Former bool // a newer key exists
}

// approvalLine is the newest approval of a client.
type approvalLine struct {
	registrar.Approval
	Link string // to the request in the inbox of wf; empty if not configured
}

// statusOf returns the display status of a client: pending, active, inactive, failed or doubtful.
func statusOf(c registrar.Client) string {
	if c.OutcomeUnknown {
		return "doubtful"
	}
	return strings.ToLower(string(c.Status))
}

// historyLength is the number of entries of the history on a page.
const historyLength = 20

// ShowClient shows a client with its history.
func ShowClient(req *page.Request) error {
	found, err := req.Engine.Clients.GetDetails(req.R.Context(), req.By, req.R.PathValue("id"))
	if err != nil {
		return err
	}
	events, next, err := req.Engine.Clients.ListHistory(req.R.Context(), req.By, found,
		registrar.Page{Limit: historyLength, Cursor: req.R.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	c := found.Client
	p := clientPage{Details: found, Status: statusOf(c), Pager: req.Pager(page.ClientPath(c.ID), next)}
	for i, k := range c.Keys() {
		since := c.CreatedAt
		if i == 0 {
			since = c.CurrentKeySince()
		}
		p.Keys = append(p.Keys, key{k, kindOf(k), req.Moment(since), i > 0})
	}
	p.Claims, p.ACRs = labels(req, "claim", c.UserClaims), labels(req, "acr", c.ACRs)
	if found.Approval.ClientID != "" {
		p.Approval = &approvalLine{found.Approval, req.InboxLink(found.Approval)}
	}
	for _, a := range actions {
		if a.isOpen(req, found) {
			p.Actions = append(p.Actions, link{page.ClientPath(c.ID, a.Name), "action." + a.Name})
		}
	}
	p.Compare = req.By.Admin && !c.IsUnconfirmed() && !c.OutcomeUnknown &&
		req.Engine.Reconciliation.CheckComparable() == nil
	for _, e := range events {
		p.History = append(p.History, eventOf(req, e))
	}
	return req.Show(http.StatusOK, "client", c.Name, p)
}

// labels returns the display names of identifiers.
func labels(req *page.Request, family string, words []string) (names []string) {
	for _, word := range words {
		names = append(names, req.Label(family, word))
	}
	return names
}

// kindOf returns the type and the size of a key.
func kindOf(k registrar.Key) string {
	var m struct{ Kty, Crv, N string }
	if json.Unmarshal([]byte(k.JWK), &m) != nil {
		return ""
	}
	if m.Kty == "RSA" {
		modulus, _ := base64.RawURLEncoding.DecodeString(m.N) // a stored key is valid
		return fmt.Sprintf("RSA %d", 8*len(modulus))
	}
	return strings.TrimSpace(m.Kty + " " + m.Crv)
}

// event is an entry of the history in words.
type event struct {
	registrar.Event
	Look    string // class of its mark
	Who     string
	Changed []string
	Why     string // of a refusal or a failure
}

func eventOf(req *page.Request, e registrar.Event) event {
	line := event{Event: e, Who: req.CallerName(e), Changed: labels(req, "field", e.Changed)}
	if e.Reason != "" {
		line.Why = req.T("refused." + string(e.Reason))
	}
	switch e.Type {
	case registrar.EventClientActivated, registrar.EventClientApproved, registrar.EventClientConfirmed, registrar.EventClientRepaired:
		line.Look = "good"
	case registrar.EventClientRefused, registrar.EventClientFailed, registrar.EventClientOutcomeUnknown,
		registrar.EventApprovalEnded,
		registrar.EventClientDiffers, registrar.EventClientMissing:
		line.Look = "bad"
	}
	return line
}

// CompareClient compares a client with the provider's record.
func CompareClient(req *page.Request) error {
	id := req.R.PathValue("id")
	if err := req.Engine.Reconciliation.CheckComparable(); err != nil {
		return err
	}
	sum, err := req.Engine.Reconciliation.CompareClient(req.R.Context(), req.By, id)
	note := "compared"
	if sum[engine.NotCompared] > 0 {
		note = "not-compared"
	}
	return req.Complete(err, page.ClientPath(id), note)
}

// fieldsOf returns the fields of a client by which it can differ from the provider's record, with their values.
func fieldsOf(req *page.Request, c registrar.Client) []field {
	texts := func(list []string) string { return strings.Join(list, "\n") }
	var keys []string
	for _, k := range c.Keys() {
		keys = append(keys, kindOf(k)+" "+k.Thumbprint)
	}
	return []field{
		{"clientName", c.Name}, {"logoUri", c.LogoURI}, {"redirectUris", texts(c.RedirectURIs)},
		{"userClaims", texts(labels(req, "claim", c.UserClaims))},
		{"authContextRefs", texts(labels(req, "acr", c.ACRs))}, {"grantTypes", texts(c.GrantTypes)},
		{"clientAuthMethods", texts(c.AuthMethods)},
		{"publicKey", texts(keys)}, {"status", req.Label("status", statusOf(c))},
	}
}

// field is a field of a client with its value in words, one line for each element.
type field struct{ Name, Value string }

// Differs reports whether a field is among those of a difference.
func (f field) Differs(d registrar.Difference) bool { return slices.Contains(d.Fields(), f.Name) }
