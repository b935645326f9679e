// Package web configures huma on echo for every service.
//
// The stages of a request: enter assigns an id, a deadline of ten seconds and the response headers,
// logs the call and recovers from panics. The gate refuses calls before the start and while the
// database is unavailable. Ambiguous paths, unknown routes and wrong methods are refused. authenticate
// verifies the token, the rate of the caller and the roles of the operation, before the body is read.
// check validates query and headers, reads the body in limited time while charging its bytes, and
// scans it as strict JSON before anything is decoded. Then the call takes a slot: its cost so far was
// small, and the remaining cost is known. huma validates body and parameters against the schema. Every
// finding is part of one 422, or of Options.Unfit. The reply is encoded before the status is sent.
//
// Options.Failure converts a refusal of this package or of a handler into a reply of the service. Any
// other error is logged once and answered 500 without detail.
package web
