// Package register has the pages that register clients: a form for each kind.
package register

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/signin"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

const path = page.Root + "/register"

// ShowKinds explains the kinds of clients and links to their forms.
func ShowKinds(req *page.Request) error {
	return req.Show(http.StatusOK, "register", req.T("register.title"), nil)
}

// Kind is a kind of clients with its form.
type Kind struct {
	Name   string // last segment of the path, and part of the keys of its texts
	inputs func(req *page.Request, v values) ([]form.Input, error)
	run    func(req *page.Request, f *signin.Fields, key []byte) (registrar.Client, error)
}

// Partner registers a client under a policy of its partner, Provider one with named claims.
var (
	Partner = &Kind{Name: "partner", inputs: partnerInputs, run: func(req *page.Request, f *signin.Fields, key []byte) (registrar.Client, error) {
		return req.Engine.Clients.RegisterClient(req.R.Context(), req.By, registrar.PartnerInterface, "", &registrar.Request{
			Name: signin.Text(f.Values.Get("name")), PolicyID: signin.Text(f.Values.Get("policy")), PartnerID: signin.Text(f.Values.Get("partner")),
			PublicKey: key, LogoURI: signin.Text(f.Values.Get("logo")), RedirectURIs: page.Lines(f.Values.Get("uris")),
			GrantTypes: f.Values["grants"], AuthMethods: f.Values["methods"],
		})
	}}
	Provider = &Kind{Name: "provider", inputs: providerInputs, run: func(req *page.Request, f *signin.Fields, key []byte) (registrar.Client, error) {
		return req.Engine.Clients.RegisterClient(req.R.Context(), req.By, registrar.ProviderInterface, "", &registrar.Request{
			ClientID: signin.Text(f.Values.Get("id")), Name: signin.Text(f.Values.Get("name")), PartnerID: signin.Text(f.Values.Get("partner")),
			UserClaims: registrar.NotNil(f.Values["claims"]), ACRs: registrar.NotNil(f.Values["acrs"]),
			PublicKey: key, LogoURI: signin.Text(f.Values.Get("logo")), RedirectURIs: page.Lines(f.Values.Get("uris")),
			GrantTypes: f.Values["grants"], AuthMethods: f.Values["methods"],
		})
	}}
)

// values returns the submitted values of a form, or those of a new one.
type values struct{ url.Values }

func (v values) chosen(name, option string, begins bool) bool {
	if v.Values == nil {
		return begins
	}
	return slices.Contains(v.Values[name], option)
}

type formPage struct {
	*Kind
	Inputs, Boxes []form.Input
}

// Show shows the form.
func (k *Kind) Show(req *page.Request) error {
	v := values{req.Submitted.Values}
	inputs, err := k.inputs(req, v)
	if err != nil {
		return err
	}
	p := formPage{Kind: k, Inputs: append(inputs,
		req.Input("url", "logo", "register.logo", v.Get("logo"), 2048).WithHelp(req.T("register.logo.help")).Must(),
		req.Input("json", "uris", "register.uris", v.Get("uris"), 0).WithHelp(req.T("register.uris.help")).Must(),
		req.Input("json", "key", "register.key", "", 0).WithHelp(req.T("register.key.help")).Must())}
	rules := req.Engine.Clients.SupportedValues()
	if k == Provider {
		p.Boxes = append(p.Boxes, boxes(req, v, "claims", "claim", rules.Claims, false),
			boxes(req, v, "acrs", "acr", rules.ACRs, false).Must())
	}
	p.Boxes = append(p.Boxes, boxes(req, v, "grants", "grant", rules.GrantTypes, true).Must(),
		boxes(req, v, "methods", "method", rules.AuthMethods, true).Must())
	if k == Partner && rules.EnforcesPKCE {
		last := &p.Boxes[len(p.Boxes)-1]
		last.Options = append(last.Options, boxes(req, v, "methods", "method", []string{"none"}, false).Options...)
	}
	req.SetErrors(p.Inputs, p.Boxes)
	return req.Show(req.FormStatus(), "register-client", req.T("register."+k.Name), p)
}

// boxes returns check boxes of options. Those of a new form are checked if begins is true.
func boxes(req *page.Request, v values, name, family string, options []string, begins bool) form.Input {
	in := req.Input("boxes", name, "register."+name, "", 0).WithHelp(req.T("register." + name + ".help"))
	for _, option := range options {
		title := req.Label(family, option)
		if title != option {
			title += " (" + option + ")"
		}
		in.Options = append(in.Options, form.Choice{Value: option, Title: title, Chosen: v.chosen(name, option, begins)})
	}
	return in
}

func partnerInputs(req *page.Request, v values) ([]form.Input, error) {
	name := req.Input("text", "name", "register.name", v.Get("name"), 256).WithHelp(req.T("register.name.help")).Must()
	partner := req.Input("text", "partner", "register.owner", v.Get("partner"), 100).WithHelp(req.T("register.owner.help")).Must()
	policy := req.Input("text", "policy", "register.policy", v.Get("policy"), 36).WithHelp(req.T("register.policy.help")).Must()
	if req.By.Admin {
		return []form.Input{name, partner, policy}, nil
	}
	partner.Kind, policy.Kind = "choice", "choice"
	for _, id := range req.By.Partners {
		owner, mappings, err := req.Engine.Catalog.GetPartner(req.R.Context(), req.By, id)
		if errors.Is(err, registrar.PartnerNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		partner.Options = append(partner.Options, form.Choice{
			Value: id, Title: owner.Name + " (" + id + ")", Chosen: v.Get("partner") == id || v.Values == nil && len(req.By.Partners) == 1,
		})
		for _, m := range mappings {
			known := slices.ContainsFunc(policy.Options, func(c form.Choice) bool { return c.Value == m.PolicyID })
			if m.Status == registrar.MappingApproved && !known {
				policy.Options = append(policy.Options, form.Choice{Value: m.PolicyID, Title: m.PolicyID, Chosen: v.Get("policy") == m.PolicyID})
			}
		}
	}
	return []form.Input{name, partner, policy}, nil
}

func providerInputs(req *page.Request, v values) ([]form.Input, error) {
	return []form.Input{
		req.Input("text", "id", "register.id", v.Get("id"), 100).WithHelp(req.T("register.id.help")).Must(),
		req.Input("text", "name", "register.name", v.Get("name"), 256).WithHelp(req.T("register.name.help")).Must(),
		req.Input("text", "partner", "register.party", v.Get("partner"), 100).WithHelp(req.T("register.party.help")).Must(),
	}, nil
}

// fields maps fields of a refusal to fields of the form.
var fields = map[string]string{
	"clientId": "id", "name": "name", "clientName": "name", "authPartnerId": "partner", "relyingPartyId": "partner", "policyId": "policy",
	"logoUri": "logo", "redirectUris": "uris", "publicKey": "key", "userClaims": "claims", "authContextRefs": "acrs", "grantTypes": "grants",
	"clientAuthMethods": "methods",
}

// label returns the key of the label of a field.
func (k *Kind) label(field string) string {
	if field != "partner" {
		return "register." + field
	}
	if k == Provider {
		return "register.party"
	}
	return "register.owner"
}

// Submit registers a client. The key is not kept: it may be private.
func (k *Kind) Submit(req *page.Request) error {
	f := req.Fields()
	key, keyErr := req.Engine.Clients.CheckPastedKey(req.Sent.Get("key"))
	if wrong, ok := errors.AsType[*refusal.Error](keyErr); ok && errors.Is(keyErr, registrar.PrivateKey) {
		if err := req.Engine.Clients.RefuseKey(req.R.Context(), req.By, wrong); err != wrong {
			return err
		}
		return k.refuse(req, f, wrong, nil)
	}
	jwk := []byte(key.JWK)
	if keyErr != nil {
		jwk = nil // the engine reports the other fields
	}
	if slices.Equal(f.Values["methods"], []string{"none"}) && strings.TrimSpace(req.Sent.Get("key")) == "" {
		keyErr = nil // a public client has none
	}
	client, err := k.run(req, f, jwk)
	refused, isRefused := errors.AsType[*refusal.Error](err)
	switch {
	case isRefused && refused.Reason == registrar.ProviderUnreachable: // stored; the worker sends it
		return req.Complete(nil, clientPath(client), "stored")
	case isRefused:
		return k.refuse(req, f, refused, keyErr)
	case err != nil:
		return err
	case client.Status == registrar.ClientPending:
		return req.Complete(nil, clientPath(client), "held")
	}
	return req.Complete(nil, clientPath(client), "registered")
}

// clientPath returns the page of a client, or the list without one.
func clientPath(c registrar.Client) string {
	if c.ID == "" {
		return page.Root
	}
	return page.Root + "/clients/" + url.PathEscape(c.ID)
}

// refuse answers the form with the errors of a refusal and of the key.
func (k *Kind) refuse(req *page.Request, f *signin.Fields, refused *refusal.Error, keyErr error) error {
	shown := signin.Form{Status: req.StatusOf(refused)}
	failed := map[string]bool{}
	add := func(problem refusal.Problem) {
		name, _, _ := strings.Cut(strings.TrimPrefix(problem.Where, "/"), "/")
		field, known := fields[name]
		if field != "key" && req.Sent.Has(field) && !f.Values.Has(field) {
			problem.Message = "" // it has the withheld value
		}
		switch {
		case !known || problem.Where == "":
			shown.Problem = req.ProblemText(problem)
		case !failed[field]: // one error for each field
			failed[field] = true
			text := req.ProblemText(problem)
			if slices.Contains([]string{"acrs", "grants", "methods"}, field) && len(f.Values[field]) == 0 {
				text = req.T("register.one")
			}
			f.Fail(field, k.label(field), text)
		}
	}
	if wrong, ok := errors.AsType[*refusal.Error](keyErr); ok {
		for _, problem := range wrong.List() {
			problem.Where = "/publicKey"
			add(problem)
		}
	}
	if failed["key"] {
		page.WithholdShort(f.Values)
	}
	for _, problem := range refused.List() {
		add(problem)
	}
	if failed["key"] { // also without an error of the pasted key
		page.WithholdShort(f.Values)
	}
	shown.Errors = f.Errors
	return req.ShowForm(path+"/"+k.Name, shown)
}
