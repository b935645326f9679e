package outbox

import "time"

// EndpointFilter narrows a list of endpoints. In this filter and the others, what is zero
// does not narrow, and the values of a slice are alternatives.
type EndpointFilter struct {
	Enabled *bool
	Q       string // part of the name or the URL, in any case
}

// DeliveryFilter narrows a list of deliveries.
type DeliveryFilter struct {
	Status       []DeliveryStatus
	Endpoint     []string
	EventType    []string
	Subject      string
	CreatedAfter time.Time // exclusive
}

// Recovery says which deliveries are to be tried again.
type Recovery struct {
	Endpoint                    string // name; empty for every one
	Status                      DeliveryStatus
	CreatedAfter, CreatedBefore time.Time // both exclusive
	Limit                       int
}
