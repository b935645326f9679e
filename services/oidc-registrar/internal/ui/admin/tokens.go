package admin

import (
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

const tokensPath = root + "/tokens"

// Limits of the form; the engine has the same.
const (
	defaultUses = "1"
	defaultDays = "1"
	day         = 24 * time.Hour
)

func tokenInputs(req *page.Request) ([]form.Input, error) {
	sent := value(req)
	partners, err := partnerChoices(req)
	if err != nil {
		return nil, err
	}
	policies, err := policyChoices(req)
	return []form.Input{
		req.Input("text", "partner", "token.partner", sent("partner", ""), 0).Must().WithOptions(partners...),
		req.Input("text", "policy", "token.policy", sent("policy", ""), 0).Must().WithOptions(policies...),
		req.Input("number", "uses", "token.uses", sent("uses", defaultUses), 0).WithHelp(req.T("token.uses.help")).Must(),
		req.Input("number", "days", "token.days", sent("days", defaultDays), 0).WithHelp(req.T("token.days.help")).Must(),
	}, err
}

// ShowTokens lists initial access tokens, with the form of a new one.
func ShowTokens(req *page.Request) error {
	list, next, err := req.Engine.Tokens.ListInitialTokens(req.R.Context(), req.By, pageOf(req))
	if err != nil {
		return err
	}
	p := frame.List{
		Lead: req.T("token.lead"),
		New:  frame.NewEntry{Title: req.T("token.new"), Do: req.T("token.issue"), Action: tokensPath},
		Table: frame.Table{Empty: req.T("token.none"),
			Columns: req.Columns("token.id", "catalog.partner", "main token.policy",
				"token.issuer", "token.expires", "token.uses", "list.operations")},
	}
	if req.Submitted.Result != nil {
		req.Submitted.Values = nil
	}
	if p.New.Inputs, err = tokenInputs(req); err != nil {
		return err
	}
	for _, t := range list {
		left := frame.Mark("status active", req.N("token.left", t.Uses))
		if t.Uses == 0 {
			left.Class = "status"
		}
		revoke := frame.Do(tokensPath+"/"+url.PathEscape(t.ID)+"/revoke", "", "", req.T("token.revoke"), t.ID)
		p.Table.Rows = append(p.Table.Rows, frame.Row{Skip: true, Cells: []frame.Cell{
			{frame.ID(t.ID)}, {frame.Plain(t.PartnerID)}, {frame.Plain(t.PolicyID)}, {frame.Plain(req.ActorName(t.IssuedBy))},
			{frame.TimeOf(req.Moment(t.ExpiresAt))}, {left}, {revoke},
		}})
	}
	return showList(req, "admin.tokens", next, p)
}

// IssueToken issues a token and shows it once.
func IssueToken(req *page.Request) error {
	f := req.Fields()
	whole := func(field string) int {
		n, err := strconv.Atoi(signin.Text(f.Values.Get(field)))
		if err != nil {
			f.Fail(field, "token."+field, req.T("form.integer"))
		}
		return n
	}
	uses, days := whole("uses"), whole("days")
	if len(f.Errors) > 0 {
		return f.Invalid(tokensPath)
	}
	token, _, err := req.Engine.Tokens.IssueInitialToken(req.R.Context(), req.By, registrar.InitialToken{
		PartnerID: signin.Text(f.Values.Get("partner")), PolicyID: signin.Text(f.Values.Get("policy")), Uses: uses,
	}, time.Duration(max(0, min(days, 10_000)))*day)
	if err != nil {
		return req.CompleteForm(f, err, tokensPath, "", "", map[string]page.Field{
			"authPartnerId": {Name: "partner", Label: "token.partner"},
			"policyId":      {Name: "policy", Label: "token.policy"}, "uses": {Name: "uses", Label: "token.uses"},
			"expiresIn": {Name: "days", Label: "token.days"},
		})
	}
	return req.ShowForm(tokensPath, signin.Form{Result: frame.Secret{Text: req.T("token.secret"), Value: token}})
}

// RevokeToken revokes a token. A revoked or expired one needs no operation.
func RevokeToken(req *page.Request) error {
	id := req.R.PathValue("id")
	if !req.Confirmed() {
		return req.Ask(signin.Question{
			Title: req.T("token.revoke.title", id), Consequence: req.T("token.revoke.effect"),
			Do: req.T("token.revoke"), Back: tokensPath,
		})
	}
	_, err := req.Engine.Tokens.RevokeInitialToken(req.R.Context(), req.By, id)
	if errors.Is(err, registrar.TokenNotFound) {
		err = nil
	}
	return req.Complete(err, tokensPath, "token-revoked")
}
