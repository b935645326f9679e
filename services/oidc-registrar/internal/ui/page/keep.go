package page

import (
	"errors"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// KeepPage keeps the form of a page without an operation, but no private key.
func KeepPage(req *Request) error {
	if _, err := req.Engine.Clients.CheckPastedKey(req.R.PostForm.Get("key")); errors.Is(err, registrar.PrivateKey) {
		req.R.PostForm.Del("key")
	}
	return req.Request.KeepPage()
}
