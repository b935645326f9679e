package api

import (
	"cmp"
	"context"
)

// disableBody is the envelope of a call that disables a client. The reason is also accepted outside
// the request object.
type disableBody struct {
	RequestTime text            `json:"requestTime,omitempty" doc:"RFC 3339, close to the server's time; see REGISTRAR_REQUEST_TIME_LEEWAY"`
	Request     *disableRequest `json:"request,omitempty" doc:"What is asked for."`
	Reason      text            `json:"reason,omitempty" doc:"The same as request.reason, without an envelope."`
}

type disableRequest struct {
	Reason text `json:"reason" doc:"Why the client is disabled, 1 to 500 characters, for its audit trail."`
}

// disableClient answers POST /v1/registrar/clients/{client_id}/disable.
func (a *API) disableClient(ctx context.Context, in *clientBodyInput[disableBody]) (clientStatus, error) {
	r := disableRequest{in.Body.Reason}
	if in.Body.Request != nil {
		r.Reason = cmp.Or(in.Body.Request.Reason, r.Reason)
	}
	client, err := a.registrar.Disable(ctx, callerOf(ctx), in.ClientID, string(in.Body.RequestTime), string(r.Reason))
	return statusOf(client), retyped(err, r)
}

// enableClient answers POST /v1/registrar/clients/{client_id}/enable.
func (a *API) enableClient(ctx context.Context, in *ClientPath) (clientStatus, error) {
	client, err := a.registrar.Enable(ctx, callerOf(ctx), in.ClientID)
	return statusOf(client), err
}
