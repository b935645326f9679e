// Package envelope is the wire format of replies in three dialects: that of wf (this file), and the
// registrar's partner-management and identity-provider dialects. Golden files pin the bytes of
// each.
//
// A failure has the members of a success in every dialect, and is a type of its own.
// Its schema is web.FailureSchema: a struct tag cannot say that response is always null.
package envelope

import "time"

// Version is the version of the wf envelope.
const Version = "1.0"

// Error is one entry of errors.
type Error struct {
	Code    string `json:"errorCode" doc:"Stable code; branch on it"`
	Message string `json:"message" doc:"Text for people; may change"`
}

// Success answers a call that was done. Errors is always an empty array, never
// null; make a Success with Succeed.
type Success[T any] struct {
	ID           string  `json:"id" doc:"Service identifier"`
	Version      string  `json:"version" doc:"Envelope version"`
	ResponseTime Time    `json:"responsetime" format:"date-time" doc:"Time of the reply"`
	Response     T       `json:"response" doc:"Result of the operation."`
	Errors       []Error `json:"errors" maxItems:"0" doc:"Always empty on success"`
}

// Failure answers a call that was refused or failed. Response is always null
// and Errors has exactly one entry; make a Failure with Fail.
type Failure Success[*struct{}]

// Succeed returns the reply of service id that carries v.
func Succeed[T any](id string, at time.Time, v T) Success[T] {
	return Success[T]{ID: id, Version: Version, ResponseTime: Time{at}, Response: v, Errors: []Error{}}
}

// Fail returns the reply of service id that refuses with code and message.
func Fail(id string, at time.Time, code, message string) Failure {
	return Failure{ID: id, Version: Version, ResponseTime: Time{at}, Errors: []Error{{code, message}}}
}
