package page

import (
	"errors"
	"slices"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// KeepPage keeps the form of a page without an operation, but no private key.
func KeepPage(req *Request) error {
	req.dropPrivateKey()
	return req.Request.KeepPage()
}

// dropPrivateKey removes a private key from the submitted form, which is kept.
func (req *Request) dropPrivateKey() {
	if slices.ContainsFunc(req.R.PostForm["key"], func(text string) bool {
		_, err := req.Engine.Clients.CheckPastedKey(text)
		return errors.Is(err, registrar.PrivateKey)
	}) {
		req.R.PostForm.Del("key")
	}
}
