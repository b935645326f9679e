package web

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
)

// StatusError is a refusal with a status and body of its own. Make one with
// Refuse. It is a huma.StatusError and huma.HeadersError, found also when
// wrapped.
type StatusError struct {
	status  int
	body    any
	headers http.Header
}

// Refuse returns an error that answers with status, body as JSON, and headers
// (nil for none).
func Refuse(status int, body any, headers http.Header) error {
	return &StatusError{status, body, headers}
}

func (e *StatusError) Error() string { return fmt.Sprintf("refused with status %d", e.status) }

// GetStatus returns the HTTP status.
func (e *StatusError) GetStatus() int { return e.status }

// GetHeaders returns the headers to add to the reply.
func (e *StatusError) GetHeaders() http.Header { return e.headers }

// maxDetails bounds the entries of a 422 body.
const maxDetails = 50

// Detail is one finding of a 422 body. Msg must not repeat the value found.
type Detail struct {
	Type string `json:"type"` // a stable word, such as missing or string_too_long
	Loc  []any  `json:"loc"`  // body, query, path or header, then names (string) and indexes from 0 (int)
	Msg  string `json:"msg"`  // for people
}

// Error makes a Detail usable as the error of a huma.Resolver.
func (d Detail) Error() string { return d.Msg }

// unprocessable is the one reply outside the service's own envelope. The shape
// is FastAPI's HTTPValidationError, which callers of such services parse.
type unprocessable struct {
	Detail []Detail `json:"detail"`
}

// Unprocessable returns an error that answers 422 with the details, of which
// at most 50 are sent.
func Unprocessable(details ...Detail) error {
	return &unprocessable{append([]Detail{}, details[:min(len(details), maxDetails)]...)}
}

func (e *unprocessable) Error() string {
	return fmt.Sprintf("unprocessable: %d findings", len(e.Detail))
}
func (e *unprocessable) GetStatus() int { return http.StatusUnprocessableEntity }

// WriteError answers from within a huma middleware, as huma does for a
// handler's error: Refuse and Unprocessable as themselves, any other error as a
// logged 500. ctx must belong to a Server's API.
func WriteError(ctx huma.Context, err error) {
	var reply huma.StatusError
	if !errors.As(err, &reply) {
		reply = accident(ctx, err)
	}
	body := encoded(reply)
	if r, ok := reply.(*StatusError); ok {
		for name, values := range r.headers {
			for _, v := range values {
				ctx.AppendHeader(name, v)
			}
		}
	}
	ctx.SetStatus(reply.GetStatus())
	_ = writeRaw(ctx.BodyWriter(), body)
}

// refuse returns the service's own failure as an error.
func refuse(ctx huma.Context, status int, message string) *StatusError {
	r := humaecho.UnwrapV4(ctx).Request()
	return &StatusError{status: status, body: callOf(r.Context()).server.options.Failure(r, status, message)}
}

// accident answers an error that is nobody's refusal: logged, and told to the
// caller without detail. Out of time is 503, since the same call may succeed
// later.
func accident(ctx huma.Context, err error) *StatusError {
	callOf(ctx.Context()).server.logAccident(ctx.Context(), err)
	if ctx.Context().Err() != nil {
		ctx.SetHeader("Retry-After", "1")
		return refuse(ctx, http.StatusServiceUnavailable, "the request took too long")
	}
	return refuse(ctx, http.StatusInternalServerError, "internal error")
}
