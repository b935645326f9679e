package outbox

import "time"

// EndpointFilter narrows a list of endpoints. In every filter, zero values do not filter, and the values of
// a slice are alternatives.
type EndpointFilter struct {
	Enabled *bool
	Q       string // part of the name or the URL, case-insensitive
}

// DeliveryFilter narrows a list of deliveries.
type DeliveryFilter struct {
	Status       []DeliveryStatus
	Endpoint     []string
	EventType    []string
	Subject      string
	CreatedAfter time.Time // exclusive
}

// RecoverableStatus is the status of the deliveries of a recovery.
type RecoverableStatus DeliveryStatus

const (
	RecoverFailed    = RecoverableStatus(DeliveryFailed)
	RecoverCancelled = RecoverableStatus(DeliveryCancelled)
)

// Values returns every value.
func (RecoverableStatus) Values() []RecoverableStatus {
	return []RecoverableStatus{RecoverFailed, RecoverCancelled}
}

// Recovery selects deliveries for a retry.
type Recovery struct {
	Endpoint                    string            // name; empty for all
	Status                      RecoverableStatus // failed when empty
	CreatedAfter, CreatedBefore time.Time         // both exclusive
	Limit                       int
}
