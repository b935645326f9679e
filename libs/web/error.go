package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/refusal"
)

// The reasons of the refusals of this package. The code table of a service has a row for each.
const (
	BadRequest      refusal.Reason = "bad_request"          // unreadable body
	Unauthenticated refusal.Reason = "unauthenticated"      // no valid token
	Forbidden       refusal.Reason = "forbidden"            // token without a role or scope of the operation
	NoRoute         refusal.Reason = "no_route"             //
	Misdirected     refusal.Reason = "misdirected"          // unknown Host (RFC 9110 §15.5.20)
	WrongMethod     refusal.Reason = "wrong_method"         //
	TooLarge        refusal.Reason = "too_large"            // body above MaxBody
	TooSlow         refusal.Reason = "too_slow"             // body not received in time
	TooMany         refusal.Reason = "too_many"             // calls of this caller, or bytes of their bodies
	WrongMediaType  refusal.Reason = "wrong_media_type"     // of the body
	Internal        refusal.Reason = "internal"             // an internal error; the log has its text
	Starting        refusal.Reason = "starting"             // or stopping
	ReadOnly        refusal.Reason = "read_only"            // Options.ReadOnly
	DatabaseDown    refusal.Reason = "database_unavailable" //
	Busy            refusal.Reason = "busy"                 // at the limit of calls, or of the bytes of all bodies
	OutOfTime       refusal.Reason = "out_of_time"          // the call took too long
)

// Reasons lists every reason.
var Reasons = []refusal.Reason{
	BadRequest, Unauthenticated, Forbidden, NoRoute, Misdirected, WrongMethod, TooLarge, TooSlow, TooMany,
	WrongMediaType, Internal, Starting, ReadOnly, DatabaseDown, Busy, OutOfTime,
}

// StatusError is a refusal with its own status and body. Refuse returns one. It is a huma.StatusError and
// huma.HeadersError, also when wrapped.
type StatusError struct {
	status  int
	code    string
	body    any
	headers http.Header
}

// Refuse returns an error with the reply status, JSON body and headers (may be nil). code is the code in
// the body, for metrics.
func Refuse(status int, code string, body any, headers http.Header) error {
	return &StatusError{status, code, body, headers}
}

func (e *StatusError) Error() string { return fmt.Sprintf("refused with status %d", e.status) }

// GetStatus returns the HTTP status.
func (e *StatusError) GetStatus() int { return e.status }

// GetHeaders returns the headers to add to the reply.
func (e *StatusError) GetHeaders() http.Header { return e.headers }

// maxDetails bounds the entries of a 422 body.
const maxDetails = 50

// Detail is one finding of a 422 body. Msg must not contain the value found.
type Detail struct {
	Type string `json:"type"` // a stable word, such as missing or string_too_long
	Loc  []any  `json:"loc"`  // body, query, path or header, then names (string) and indexes from 0 (int)
	Msg  string `json:"msg"`  // for people
}

// Error makes a Detail usable as the error of a huma.Resolver.
func (d Detail) Error() string { return d.Msg }

// unprocessable is the only reply outside the envelope of the service. It has the form of FastAPI's
// HTTPValidationError, which callers parse.
type unprocessable struct {
	Detail []Detail `json:"detail"`
}

// Unprocessable returns a 422 with at most 50 details, or the reply of Options.Unfit.
func Unprocessable(details ...Detail) error {
	return &unprocessable{append([]Detail{}, details[:min(len(details), maxDetails)]...)}
}

func (e *unprocessable) Error() string {
	return fmt.Sprintf("unprocessable: %d findings", len(e.Detail))
}
func (e *unprocessable) GetStatus() int { return http.StatusUnprocessableEntity }

// answer returns the reply to a failed call. Errors of Refuse and Unprocessable have their reply;
// Options.Failure converts the others. An error that it does not convert is logged once and
// answered without detail.
func (s *Server) answer(ctx context.Context, op Operation, err error) huma.StatusError {
	reply := s.reply(ctx, op, err)
	if refused, ok := reply.(*StatusError); ok {
		callOf(ctx).code = refused.code
	}
	return reply
}

// Refusal returns the body of the reply to a failed call, for a protocol with replies of its own. It logs the call
// like one with that reply.
func (s *Server) Refusal(ctx context.Context, err error) json.RawMessage {
	return mustEncode(s.answer(ctx, OperationOf(ctx), err))
}

func (s *Server) reply(ctx context.Context, op Operation, err error) huma.StatusError {
	cause := err
	if _, made := errors.AsType[huma.StatusError](err); !made {
		err = s.options.Failure(ctx, op, err)
	}
	if found, ok := errors.AsType[*unprocessable](err); ok {
		noteFindings(ctx, found.Detail)
		if s.options.Unfit == nil {
			return found
		}
		err = s.options.Unfit(ctx, op, found.Detail)
	}
	reply, ok := errors.AsType[*StatusError](err)
	if !ok {
		cause = s.InternalError(ctx, err)
		if reply, ok = errors.AsType[*StatusError](s.options.Failure(ctx, op, cause)); !ok {
			return &StatusError{status: http.StatusInternalServerError}
		}
	}
	return reply.complete(cause)
}

// InternalError logs an error and returns a refusal without its detail.
func (s *Server) InternalError(ctx context.Context, err error) *refusal.Error {
	s.logInternal(ctx, err)
	if ctx.Err() == nil {
		return &refusal.Error{Reason: Internal, Message: "internal error"}
	}
	late := &refusal.Error{Reason: OutOfTime, Message: "the request took too long"} // the same call may succeed later
	if why := s.refusal(); why != nil {
		late.Reason = why.Reason
	}
	return late
}

// complete adds the headers of a status and of the cause of the reply.
func (e *StatusError) complete(cause error) *StatusError {
	set := func(name, value string) {
		if e.headers == nil {
			e.headers = http.Header{}
		}
		if e.headers.Get(name) == "" {
			e.headers.Set(name, value)
		}
	}
	if exceeded, ok := errors.AsType[*limit.Exceeded](cause); ok {
		set("RateLimit-Policy", exceeded.Policy())
		set("RateLimit", exceeded.RateLimitHeader())
	}
	refused, ok := errors.AsType[*refusal.Error](cause)
	switch {
	case ok && refused.StepUp != nil:
		set("WWW-Authenticate", challenge(refused.StepUp))
	case ok && refused.RetryAfter > 0:
		set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(refused.RetryAfter.Seconds())))))
	case e.status == http.StatusServiceUnavailable:
		set("Retry-After", "1")
	case e.status == http.StatusUnauthorized: // RFC 6750, section 3: without credentials there is no error code
		set("WWW-Authenticate", "Bearer")
		if challenge := e.headers.Get("WWW-Authenticate"); ok && refused != errNoToken {
			separator := ", "
			if challenge == "Bearer" {
				separator = " "
			}
			e.headers.Set("WWW-Authenticate", challenge+separator+`error="invalid_token"`)
		}
	}
	return e
}

// challenge returns the WWW-Authenticate header of a required authentication (RFC 9470, section 3).
func challenge(s *refusal.StepUp) string {
	text := `Bearer error="insufficient_user_authentication"`
	if len(s.ACRValues) > 0 {
		text += fmt.Sprintf(`, acr_values=%q`, strings.Join(s.ACRValues, " "))
	}
	if s.MaxAge > 0 {
		text += fmt.Sprintf(`, max_age=%d`, int(s.MaxAge.Seconds()))
	}
	return text
}

// WriteError replies to an error in a huma middleware like to an error of a handler. ctx must belong to the
// API of a Server.
func WriteError(ctx huma.Context, err error) {
	s := callOf(ctx.Context()).server
	s.send(humaecho.UnwrapV4(ctx), s.answer(ctx.Context(), operationOf(ctx), err))
}
