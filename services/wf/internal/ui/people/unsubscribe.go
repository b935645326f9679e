package people

import (
	"net/http"
	"net/url"

	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// unsubscribePage confirms the end of a kind of mail. It names no person, because a mail can be forwarded.
type unsubscribePage struct {
	engine.Unsubscription
	Token      string
	Subscribed bool
}

// ShowUnsubscription shows the state of an unsubscribe link. It changes nothing, because programs follow the links
// of a mail.
func ShowUnsubscription(req *page.Request) error {
	u, token, err := unsubscription(req)
	if err != nil {
		return err
	}
	subscribed, err := req.Engine.Notices.IsSubscribed(req.R.Context(), u)
	if err != nil {
		return err
	}
	req.W.Header().Set("Referrer-Policy", "no-referrer") // the address is a credential
	return req.Show(http.StatusOK, "unsubscribe", req.T("unsubscribe.title"), unsubscribePage{u, token, subscribed})
}

// Unsubscribe ends the mails of a link without a session: the page's form, or the one-click request of a mail program
// (RFC 8058), whose reply is no redirect.
func Unsubscribe(req *page.Request) error {
	u, token, err := unsubscription(req)
	if err != nil {
		return err
	}
	if err := req.Engine.Notices.Unsubscribe(req.R.Context(), u); err != nil {
		return err
	}
	if !req.R.PostForm.Has("page") {
		return ShowUnsubscription(req)
	}
	req.Redirect(page.Root + engine.UnsubscribePath + "?" + url.Values{"token": {token}}.Encode())
	return nil
}

// unsubscription returns the subject of the link of a page request. An invalid link is a page of status 404.
func unsubscription(req *page.Request) (u engine.Unsubscription, token string, err error) {
	token = req.R.URL.Query().Get("token")
	u, ok := req.Engine.Notices.ReadUnsubscribeToken(token)
	if !ok {
		err = req.Status(http.StatusNotFound, "unsubscribe.invalid")
	}
	return u, token, err
}
