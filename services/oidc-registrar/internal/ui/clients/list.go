// Package clients has the pages of clients: the list, a client, its changes and the queues.
package clients

import (
	"embed"
	"net/http"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

type listPage struct {
	Items []registrar.Client
	Next  string
}

// ShowClients lists clients by filter.
func ShowClients(req *page.Request) error {
	p := registrar.Page{Limit: 50, Cursor: req.R.URL.Query().Get("cursor")}
	list, next, err := req.Engine.Clients.ListClients(req.R.Context(), req.By, registrar.ClientFilter{}, p)
	if err != nil {
		return err
	}
	return req.Show(http.StatusOK, "clients", req.T("nav.clients"), listPage{list, req.NextPage(req.R.URL.Path, next)})
}
