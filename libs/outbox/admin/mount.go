package admin

import (
	"net/http"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/web"
)

// API is the place of the API in a service.
type API struct {
	Base               string     // path of the resources webhooks and deliveries
	Endpoint, Delivery string     // names of the path parameters with their ids
	Read, Write        web.Access // Read is for deliveries; Write for their changes and for endpoints
	Created            int        // status of a new endpoint
}

// Handlers register a handler for each operation, with the inputs, views and envelope of the service.
type Handlers struct {
	CreateEndpoint, ListEndpoints, GetEndpoint, UpdateEndpoint, DeleteEndpoint func(web.Operation)
	RotateSecret, TestEndpoint                                                 func(web.Operation)
	ListDeliveries, GetDelivery, RetryDelivery, RecoverDeliveries              func(web.Operation)
}

// Mount registers the operations on webhook endpoints and deliveries.
func (a API) Mount(h Handlers) {
	const get, post, patch, del = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
	endpoints, deliveries := a.Base+"/webhooks", a.Base+"/deliveries"
	endpoint, delivery := endpoints+"/{"+a.Endpoint+"}", deliveries+"/{"+a.Delivery+"}"
	state := []error{outbox.WrongState} // also of an unknown delivery
	missing := []error{outbox.EndpointNotFound}
	either := []error{outbox.EndpointNotFound, outbox.WrongState}
	for _, row := range []struct {
		register         func(web.Operation)
		id, method, path string
		access           web.Access
		status           int
		refusals         []error
		summary          string
	}{
		{h.CreateEndpoint, "createEndpoint", post, endpoints, a.Write, a.Created, state,
			"Add a webhook endpoint; its secret is shown once"},
		{h.ListEndpoints, "listEndpoints", get, endpoints, a.Write, 200, nil, "List webhook endpoints, the newest first"},
		{h.GetEndpoint, "getEndpoint", get, endpoint, a.Write, 200, missing, "Read a webhook endpoint"},
		{h.UpdateEndpoint, "updateEndpoint", patch, endpoint, a.Write, 200, either,
			"Update, disable or enable a webhook endpoint"},
		{h.DeleteEndpoint, "deleteEndpoint", del, endpoint, a.Write, 200, either,
			"Delete a webhook endpoint and cancel its waiting deliveries"},
		{h.RotateSecret, "rotateSecret", post, endpoint + "/rotate-secret", a.Write, 200, either,
			"Rotate the secret of a webhook endpoint; it is shown once"},
		{h.TestEndpoint, "testEndpoint", post, endpoint + "/test", a.Write, 200, either,
			"Send a test event to a webhook endpoint"},
		{h.ListDeliveries, "listDeliveries", get, deliveries, a.Read, 200, nil, "List deliveries, the newest first"},
		{h.GetDelivery, "getDelivery", get, delivery, a.Read, 200, state, "Read a delivery with its payload and attempts"},
		{h.RetryDelivery, "retryDelivery", post, delivery + "/retry", a.Write, 200, state, "Retry a delivery"},
		{h.RecoverDeliveries, "recoverDeliveries", post, deliveries + "/recover", a.Write, 200, nil,
			"Recover failed or cancelled deliveries of a time range, at most 10,000"},
	} {
		row.register(web.Operation{
			ID: row.id, Method: row.method, Path: row.path, Access: row.access, Status: row.status, Refusals: row.refusals,
			Summary: row.summary,
		})
	}
}
