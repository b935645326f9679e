// Package web is huma on echo, configured once for every service.
//
// How a request travels: enter gives it an id, a deadline of ten seconds, the
// response headers and a line in the log, and catches panics. The gate refuses
// it until the service is started and while its database is away. A path that is not spelled plainly, an unknown
// route or a wrong method is refused too. Then comes authenticate, which sees
// the operation but no body: the token becomes a caller, who must not call too
// often, and the roles of the operation are asked for. Then check: query, headers, and the
// body, which has to come in time and is charged for while it comes. It is scanned as
// strict JSON before anything is decoded. Only then the call takes a slot: until there it
// has cost little, and what it costs from here on is known. Body and parameters
// are held against the schema; every finding leaves as 422 in one shape, or as Options.Unfit says. The handler's
// value is encoded before the status is sent.
//
// Options.Failure converts a refusal of this package or of a handler into a reply of the service. Any
// other error is logged once and answered 500 without detail.
package web
