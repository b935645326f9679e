// Package web is huma on echo, configured once for every service.
//
// How a request travels: enter gives it an id, a deadline of ten seconds, the
// response headers and a line in the log, and catches panics; a server at its
// limit of requests or not ready answers 503. A path that is not spelled
// plainly, an unknown route or a wrong method is refused by Options.Failure.
// Then come the middlewares of the API (authentication and authorisation, which
// see the operation but no body), then check: query, headers, media type, size
// and strict JSON. huma validates parameters and body against the schema; every
// finding leaves as 422 in one shape. The handler's value is encoded before the
// status is sent. An error leaves as itself only if it came from Refuse or
// Unprocessable; any other is logged once and answered 500 without detail.
package web
