package envelope

import "time"

// ProviderError is one entry of errors in the identity-provider dialect, which
// spells the message differently.
type ProviderError struct {
	Code    string `json:"errorCode" doc:"Stable code; branch on it"`
	Message string `json:"errorMessage" doc:"Text for people; may change"`
}

// ProviderSuccess is the reply to a successful call of the identity-provider
// dialect. Errors is always an empty array.
type ProviderSuccess[T any] struct {
	ResponseTime Time            `json:"responseTime" format:"date-time" doc:"Time of the reply"`
	Response     T               `json:"response" doc:"Result of the operation."`
	Errors       []ProviderError `json:"errors" maxItems:"0" doc:"Always empty on success"`
}

// ProviderFailure is the reply to a refused call of the identity-provider
// dialect. Response is always null; Errors has one entry for each wrong field.
type ProviderFailure ProviderSuccess[*struct{}]

// SucceedProvider returns a reply of the identity-provider dialect with v.
func SucceedProvider[T any](at time.Time, v T) ProviderSuccess[T] {
	return ProviderSuccess[T]{ResponseTime: Time{at}, Response: v, Errors: []ProviderError{}}
}

// FailProvider returns a reply of the identity-provider dialect with one or more errors, in
// the order of the arguments.
func FailProvider(at time.Time, first ProviderError, more ...ProviderError) ProviderFailure {
	return ProviderFailure{ResponseTime: Time{at}, Errors: append([]ProviderError{first}, more...)}
}
