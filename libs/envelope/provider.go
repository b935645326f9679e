package envelope

import "time"

// ProviderError is one entry of errors in the identity-provider dialect, which
// spells the message differently.
type ProviderError struct {
	Code    string `json:"errorCode" doc:"Stable code; branch on it"`
	Message string `json:"errorMessage" doc:"Text for people; may change"`
}

// ProviderSuccess answers an identity-provider call that was done. Errors is
// always an empty array.
type ProviderSuccess[T any] struct {
	ResponseTime Time            `json:"responseTime" format:"date-time" doc:"Time of the reply"`
	Response     T               `json:"response" doc:"Result of the operation."`
	Errors       []ProviderError `json:"errors" maxItems:"0" doc:"Always empty on success"`
}

// ProviderFailure answers an identity-provider call that was not done. Response
// is always null; Errors has one entry for every wrong field.
type ProviderFailure ProviderSuccess[*struct{}]

// SucceedProvider returns an identity-provider reply that carries v.
func SucceedProvider[T any](at time.Time, v T) ProviderSuccess[T] {
	return ProviderSuccess[T]{ResponseTime: Time{at}, Response: v, Errors: []ProviderError{}}
}

// FailProvider returns an identity-provider reply with one or more errors, in
// the order given.
func FailProvider(at time.Time, first ProviderError, more ...ProviderError) ProviderFailure {
	return ProviderFailure{ResponseTime: Time{at}, Errors: append([]ProviderError{first}, more...)}
}
