package web

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"github.com/countersign/countersign/libs/limit"
)

// Reason is the reason for a refusal by this package. The code table of a service has a row for
// each.
type Reason string

// The reasons.
const (
	BadRequest      Reason = "bad_request"      // the body could not be read
	Unauthenticated Reason = "unauthenticated"  // no valid token
	Forbidden       Reason = "forbidden"        // the token has neither role nor scope of the operation
	NoRoute         Reason = "no_route"         //
	Misdirected     Reason = "misdirected"      // the Host is not one that is served here (RFC 9110 §15.5.20)
	WrongMethod     Reason = "wrong_method"     //
	TooLarge        Reason = "too_large"        // the body
	TooSlow         Reason = "too_slow"         // the body
	TooMany         Reason = "too_many"         // calls of this caller, or bytes of their bodies
	WrongMediaType  Reason = "wrong_media_type" // of the body
	Internal        Reason = "internal"         // an internal error; the log has its text
	Starting        Reason = "starting"         // or stopping
	ReadOnly        Reason = "read_only"        // Options.ReadOnly
	DatabaseDown    Reason = "database_down"    //
	Busy            Reason = "busy"             // at the limit of calls, or of the bytes of all bodies
	OutOfTime       Reason = "out_of_time"      // the call took too long
)

// Reasons lists every reason.
var Reasons = []Reason{
	BadRequest, Unauthenticated, Forbidden, NoRoute, Misdirected, WrongMethod, TooLarge, TooSlow, TooMany, WrongMediaType, Internal,
	Starting, ReadOnly, DatabaseDown, Busy, OutOfTime,
}

// Error makes a Reason a target for errors.Is.
func (r Reason) Error() string { return string(r) }

// Refusal is why a call was not done, for Options.Failure to put into words of the
// service.
type Refusal struct {
	Reason     Reason
	Message    string        // for the caller; names no internals
	RetryAfter time.Duration // zero if unknown

	Rate *limit.Exceeded // the exceeded rate, for the RateLimit fields; or nil
}

func (e *Refusal) Error() string { return string(e.Reason) + ": " + e.Message }

// Unwrap makes errors.Is(err, reason) work.
func (e *Refusal) Unwrap() error { return e.Reason }

// StatusError is a refusal with a status and body of its own. Make one with
// Refuse. It is a huma.StatusError and huma.HeadersError, found also when
// wrapped.
type StatusError struct {
	status  int
	code    string
	body    any
	headers http.Header
}

// Refuse returns an error that answers with status, body as JSON, and headers
// (nil for none). code is the code in the body, for metrics.
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
// at most 50 are sent, or as Options.Unfit says.
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

func (s *Server) reply(ctx context.Context, op Operation, err error) huma.StatusError {
	refusal, _ := errors.AsType[*Refusal](err)
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
		refusal = s.Accident(ctx, err)
		if reply, ok = errors.AsType[*StatusError](s.options.Failure(ctx, op, refusal)); !ok {
			return &StatusError{status: http.StatusInternalServerError}
		}
	}
	return reply.complete(refusal)
}

// Accident logs an internal error and returns a refusal without its detail.
func (s *Server) Accident(ctx context.Context, err error) *Refusal {
	s.logAccident(ctx, err)
	if ctx.Err() == nil {
		return &Refusal{Reason: Internal, Message: "internal error"}
	}
	late := &Refusal{Reason: OutOfTime, Message: "the request took too long"} // the same call may succeed later
	if why := s.closed(); why != nil {
		late.Reason = why.Reason
	}
	return late
}

// complete adds the headers that go with a status.
func (e *StatusError) complete(refusal *Refusal) *StatusError {
	set := func(name, value string) {
		if e.headers == nil {
			e.headers = http.Header{}
		}
		if e.headers.Get(name) == "" {
			e.headers.Set(name, value)
		}
	}
	if refusal != nil && refusal.Rate != nil {
		set("RateLimit-Policy", refusal.Rate.Policy())
		set("RateLimit", refusal.Rate.Remaining())
	}
	switch {
	case refusal != nil && refusal.RetryAfter > 0:
		set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(refusal.RetryAfter.Seconds())))))
	case e.status == http.StatusServiceUnavailable:
		set("Retry-After", "1")
	case e.status == http.StatusUnauthorized: // RFC 6750, section 3
		set("WWW-Authenticate", `Bearer error="invalid_token"`)
	}
	return e
}

// WriteError answers from within a huma middleware, as a handler's error is answered.
// ctx must belong to a Server's API.
func WriteError(ctx huma.Context, err error) {
	s := callOf(ctx.Context()).server
	s.send(humaecho.UnwrapV4(ctx), s.answer(ctx.Context(), operationOf(ctx), err))
}
