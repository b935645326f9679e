package clients

import (
	"errors"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/signin"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Action is a change of a client. Its page asks for the reason and names the effects.
type Action struct {
	Name  string // last segment of the path, and part of the keys of its texts
	Bad   bool   // takes something away
	Admin bool   // for PARTNER_ADMIN

	open   func(engine.Details) bool // the client permits the action
	inputs func(req *page.Request, of engine.Details, sent sent) []form.Input
	run    func(req *page.Request, id string, f *signin.Fields) (registrar.Client, error)
}

// sent returns a submitted value, or the default of a form that was not submitted.
type sent func(name, other string) string

// The actions, in the order of the page of a client.
var (
	AddKey = &Action{
		Name: "add-key", open: func(d engine.Details) bool {
			return isConfirmed(d) && len(d.Client.Keys()) == 1
		},
		inputs: func(req *page.Request, _ engine.Details, _ sent) []form.Input {
			return []form.Input{req.Input("json", "key", "action.add-key.key", "", 0).WithHelp(req.T("action.add-key.help")).Must()}
		},
		run: func(req *page.Request, id string, f *signin.Fields) (registrar.Client, error) {
			return req.Engine.Clients.AddPastedKey(req.R.Context(), req.By, id, req.Sent.Get("key"))
		},
	}
	RemoveKey = &Action{
		Name: "remove-key", Bad: true, open: func(d engine.Details) bool { return isConfirmed(d) && len(d.Client.Keys()) > 1 },
		inputs: func(req *page.Request, of engine.Details, sent sent) []form.Input {
			in := req.Input("choice", "kid", "action.remove-key.key", sent("kid", ""), 0).Must()
			for i, k := range of.Client.Keys() {
				text := req.T("action.remove-key.newer", kindOf(k), k.ID)
				if i > 0 {
					text = req.T("action.remove-key.older", kindOf(k), k.ID)
				}
				in.Options = append(in.Options, form.Choice{Value: k.Thumbprint, Title: text, Chosen: in.Value == k.Thumbprint})
			}
			return []form.Input{in}
		},
		run: func(req *page.Request, id string, f *signin.Fields) (registrar.Client, error) {
			kid := f.Values.Get("kid")
			if kid == "" {
				f.Fail("kid", "action.remove-key.key", req.T("form.required"))
				return registrar.Client{}, nil
			}
			return req.Engine.Clients.RemoveKey(req.R.Context(), req.By, id, "", kid)
		},
	}
	ChangeRedirects = &Action{
		Name: "redirects", open: func(d engine.Details) bool { return !d.Client.OutcomeUnknown },
		inputs: func(req *page.Request, of engine.Details, sent sent) []form.Input {
			value := sent("uris", strings.Join(of.Client.RedirectURIs, "\n"))
			return []form.Input{req.Input("json", "uris", "field.redirectUris", value, 0).WithHelp(req.T("action.redirects.help")).Must()}
		},
		run: func(req *page.Request, id string, f *signin.Fields) (registrar.Client, error) {
			return req.Engine.Clients.ChangeRedirectURIs(req.R.Context(), req.By, id, page.Lines(f.Values.Get("uris")))
		},
	}
	Disable = &Action{
		Name: "disable", Bad: true, open: func(d engine.Details) bool { return isConfirmed(d) && d.Client.Status == registrar.ClientActive },
		run: func(req *page.Request, id string, _ *signin.Fields) (registrar.Client, error) {
			return req.Engine.Clients.Disable(req.R.Context(), req.By, id, "", req.By.Note)
		},
	}
	Enable = &Action{
		Name: "enable", open: func(d engine.Details) bool { return isConfirmed(d) && d.Client.Status == registrar.ClientInactive },
		run: func(req *page.Request, id string, _ *signin.Fields) (registrar.Client, error) {
			return req.Engine.Clients.Enable(req.R.Context(), req.By, id)
		},
	}
	Retry = &Action{
		Name: "retry", open: isRetryable,
		run: func(req *page.Request, id string, _ *signin.Fields) (registrar.Client, error) {
			return req.Engine.Clients.Retry(req.R.Context(), req.By, id)
		},
	}
	Resend = &Action{
		Name: "resend", Admin: true, open: isResendable,
		run: func(req *page.Request, id string, _ *signin.Fields) (registrar.Client, error) {
			return registrar.Client{}, req.Engine.Reconciliation.SendAgain(req.R.Context(), req.By, id)
		},
	}
	Abandon = &Action{
		Name: "abandon", Bad: true, open: isRetryable,
		run: func(req *page.Request, id string, _ *signin.Fields) (registrar.Client, error) {
			return registrar.Client{}, req.Engine.Clients.Abandon(req.R.Context(), req.By, id)
		},
	}
	Confirm = &Action{
		Name: "confirm", Admin: true, open: isDoubtful,
		run: func(req *page.Request, id string, _ *signin.Fields) (registrar.Client, error) {
			_, _, err := req.Engine.Outcomes.ConfirmClient(req.R.Context(), req.By, id)
			return registrar.Client{}, err
		},
	}
	Drop = &Action{
		Name: "drop", Bad: true, Admin: true, open: isDoubtful,
		run: func(req *page.Request, id string, _ *signin.Fields) (registrar.Client, error) {
			_, _, err := req.Engine.Outcomes.DropClient(req.R.Context(), req.By, id)
			return registrar.Client{}, err
		},
	}
)

var actions = []*Action{Confirm, Drop, Retry, Resend, Abandon, Enable, AddKey, RemoveKey, ChangeRedirects, Disable}

func isConfirmed(d engine.Details) bool { return !d.Client.IsUnconfirmed() && !d.Client.OutcomeUnknown }
func isRetryable(d engine.Details) bool { return d.Client.IsUnconfirmed() && !d.Client.OutcomeUnknown }
func isResendable(d engine.Details) bool {
	return isConfirmed(d) && (d.Difference.Kind == registrar.DifferenceMembers ||
		d.Difference.Kind == registrar.DifferenceMissing && d.Client.Status == registrar.ClientActive)
}
func isDoubtful(d engine.Details) bool { return d.Client.OutcomeUnknown }

// isOpen reports whether the reader may take the action on the client.
func (a *Action) isOpen(req *page.Request, of engine.Details) bool {
	return a.open(of) && (req.By.Admin || !a.Admin)
}

// actionPage is the form of an action.
type actionPage struct {
	*Action
	Client registrar.Client
	Inputs []form.Input
	Back   string

	Sent     []field // of a doubtful client: the fields as sent to the provider
	Provider registrar.Difference
	Unread   string // reason that the provider could not be read; empty if it was
}

// Show shows the form of the action.
func (a *Action) Show(req *page.Request) error {
	of, err := req.Engine.Clients.GetDetails(req.R.Context(), req.By, req.R.PathValue("id"))
	if err != nil {
		return err
	}
	if !a.isOpen(req, of) {
		return refusal.New(registrar.InvalidStatus, "client %s is %s", of.Client.ID, of.Client.Status)
	}
	value := func(name, other string) string {
		if req.Submitted.Values.Has(name) {
			return req.Submitted.Values.Get(name)
		}
		return other
	}
	p := actionPage{Action: a, Client: of.Client, Back: page.ClientPath(of.Client.ID)}
	if a.inputs != nil {
		p.Inputs = a.inputs(req, of, value)
	}
	p.Inputs = append(p.Inputs, req.Input("long", "reason", "action.reason", value("reason", ""), registrar.MaxNote).Must())
	req.SetErrors(p.Inputs)
	if of.Client.OutcomeUnknown {
		if err := p.readProvider(req, of); err != nil {
			return err
		}
	}
	return req.Show(req.FormStatus(), "action", req.T("action."+a.Name+".title", of.Client.Name), p)
}

// readProvider compares a doubtful client with the provider's record.
func (p *actionPage) readProvider(req *page.Request, of engine.Details) error {
	asSent, err := of.Sent()
	if err != nil {
		return err
	}
	p.Sent = fieldsOf(req, asSent)
	if req.Engine.Outcomes.CheckReadable() != nil {
		p.Unread = req.T("doubtful.unreadable")
		return nil
	}
	p.Provider, err = req.Engine.Outcomes.CompareDoubtful(req.R.Context(), of.Client.ID)
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		if p.Unread = req.RefusalText(refused); errors.Is(err, registrar.ProviderRefused) {
			p.Unread = req.T("doubtful.unreadable")
		}
		return nil
	}
	return err
}

// Submit takes the action.
func (a *Action) Submit(req *page.Request) error {
	id, f := req.R.PathValue("id"), req.Request.Fields()
	req.By.Note = signin.Text(f.Values.Get("reason"))
	if err := registrar.CheckNote(req.By.Note); err != nil {
		f.Fail("reason", "action.reason", req.T("action.reason.wrong", registrar.MaxNote))
	}
	var client registrar.Client
	var err error
	if len(f.Errors) == 0 {
		client, err = a.run(req, id, f)
	}
	refused, isRefused := errors.AsType[*refusal.Error](err)
	switch {
	case isRefused && refused.Reason == registrar.ProviderUnreachable: // stored; the worker sends it
		return req.Complete(nil, a.after(req, id), "stored")
	case isRefused && refused.Reason == registrar.ProviderOutcomeUnknown:
		return req.Complete(nil, a.after(req, id), "unknown")
	case isRefused && slices.Contains([]refusal.Reason{registrar.ForeignUpdate, registrar.ClientNotFound}, refused.Reason.General()):
		return err
	case isRefused:
		return req.RefuseForm(f, refused, page.ClientPath(id, a.Name), formFields)
	case err != nil:
		return err
	case len(f.Errors) > 0:
		return f.Invalid(page.ClientPath(id, a.Name))
	case client.Status == registrar.ClientPending: // nothing has changed yet
		return req.Complete(nil, a.after(req, id), "held")
	}
	return req.Complete(nil, a.after(req, id), a.Name)
}

// after returns the page after the action: that of the client, if it exists.
func (a *Action) after(req *page.Request, id string) string {
	_, err := req.Engine.Clients.GetClient(req.R.Context(), req.By, id)
	if errors.Is(err, registrar.ClientNotFound) || errors.Is(err, registrar.ForeignRead) {
		return page.Root
	}
	return page.ClientPath(id)
}

// formFields has the fields of the forms by the members of the engine.
var formFields = map[string]page.Field{
	"publicKey":    {Name: "key", Label: "action.add-key.key"},
	"redirectUris": {Name: "uris", Label: "field.redirectUris"},
	"reason":       {Name: "reason", Label: "action.reason"},
}
