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

	h.CreateEndpoint(web.Operation{
		ID: "createEndpoint", Method: post, Path: endpoints, Access: a.Write, Status: a.Created, Refusals: state,
		Summary: "Add a webhook endpoint; its secret is shown once",
	})
	h.ListEndpoints(web.Operation{
		ID: "listEndpoints", Method: get, Path: endpoints, Access: a.Write, Status: http.StatusOK,
		Summary: "List webhook endpoints, the newest first",
	})
	h.GetEndpoint(web.Operation{
		ID: "getEndpoint", Method: get, Path: endpoint, Access: a.Write, Status: http.StatusOK, Refusals: missing,
		Summary: "Read a webhook endpoint",
	})
	h.UpdateEndpoint(web.Operation{
		ID: "updateEndpoint", Method: patch, Path: endpoint, Access: a.Write, Status: http.StatusOK, Refusals: either,
		Summary: "Update, disable or enable a webhook endpoint",
	})
	h.DeleteEndpoint(web.Operation{
		ID: "deleteEndpoint", Method: del, Path: endpoint, Access: a.Write, Status: http.StatusOK, Refusals: either,
		Summary: "Delete a webhook endpoint and cancel its waiting deliveries",
	})
	h.RotateSecret(web.Operation{
		ID: "rotateSecret", Method: post, Path: endpoint + "/rotate-secret", Access: a.Write, Status: http.StatusOK,
		Refusals: either, Summary: "Rotate the secret of a webhook endpoint; it is shown once",
	})
	h.TestEndpoint(web.Operation{
		ID: "testEndpoint", Method: post, Path: endpoint + "/test", Access: a.Write, Status: http.StatusOK,
		Refusals: either, Summary: "Send a test event to a webhook endpoint",
	})
	h.ListDeliveries(web.Operation{
		ID: "listDeliveries", Method: get, Path: deliveries, Access: a.Read, Status: http.StatusOK,
		Summary: "List deliveries, the newest first",
	})
	h.GetDelivery(web.Operation{
		ID: "getDelivery", Method: get, Path: delivery, Access: a.Read, Status: http.StatusOK, Refusals: state,
		Summary: "Read a delivery with its payload and attempts",
	})
	h.RetryDelivery(web.Operation{
		ID: "retryDelivery", Method: post, Path: delivery + "/retry", Access: a.Write, Status: http.StatusOK,
		Refusals: state, Summary: "Retry a delivery",
	})
	h.RecoverDeliveries(web.Operation{
		ID: "recoverDeliveries", Method: post, Path: deliveries + "/recover", Access: a.Write, Status: http.StatusOK,
		Summary: "Recover failed or cancelled deliveries of a time range, at most 10,000",
	})
}
