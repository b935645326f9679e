package envelope

import "time"

// PartnerSuccess answers a partner-management call that was done. Metadata is
// always an empty object and Errors an empty array.
type PartnerSuccess[T any] struct {
	ID           string   `json:"id" doc:"Interface identifier"`
	Version      string   `json:"version" doc:"Envelope version"`
	ResponseTime Time     `json:"responsetime" format:"date-time" doc:"Time of the reply"`
	Metadata     struct{} `json:"metadata" doc:"Always empty."`
	Response     T        `json:"response" doc:"Result of the operation."`
	Errors       []Error  `json:"errors" maxItems:"0" doc:"Always empty on success"`
}

// PartnerFailure answers a partner-management call that was not done. Response
// is always null; Errors has exactly one entry, the first problem.
type PartnerFailure PartnerSuccess[*struct{}]

// SucceedPartner returns a partner-management reply that carries v. Unlike in
// the wf dialect the version is configuration: callers of other installations
// may compare it.
func SucceedPartner[T any](id, version string, at time.Time, v T) PartnerSuccess[T] {
	return PartnerSuccess[T]{ID: id, Version: version, ResponseTime: Time{at}, Response: v, Errors: []Error{}}
}

// FailPartner returns a partner-management reply that refuses with code and
// message.
func FailPartner(id, version string, at time.Time, code, message string) PartnerFailure {
	return PartnerFailure{ID: id, Version: version, ResponseTime: Time{at}, Errors: []Error{{code, message}}}
}
