package outboxdb

import (
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/outbox"
)

// maxCensus is how many deliveries of a kind are counted at most. More are more than
// anybody looks at, and counting is not to cost what they do.
const maxCensus = 100_000

// Census is how much there is of what is under way.
type Census struct {
	Deliveries []LaneCount
	Endpoints  []outbox.Endpoint
	At         time.Time
}

// LaneCount is what waits for an endpoint, or for callbacks when Endpoint is empty.
type LaneCount struct {
	Endpoint        string
	Pending, Failed int64
	OldestMS        int64 // when the oldest that is pending was created
	DueMS           int64 // when the first of them was or is due
	InFlight        int64 // of the pending ones, those that a living worker is sending
}

// TakeCensus counts what is under way, each kind up to 100,000, as a snapshot shows it.
func (s *Store) TakeCensus(db *gorm.DB, now time.Time) (Census, error) {
	c := Census{At: now}
	living, _ := leaseEnd(now)
	// The ids of what waits are in the order of its creation.
	err := db.Raw(`SELECT endpoint, sum(CASE WHEN status = 'pending' THEN 1 ELSE 0 END) AS pending, sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS failed,
			coalesce(min(CASE WHEN status = 'pending' THEN created_ms END), 0) AS oldest_ms, coalesce(min(CASE WHEN status = 'pending' THEN next_attempt_ms END), 0) AS due_ms,
			sum(CASE WHEN leased_ms > ? THEN 1 ELSE 0 END) AS in_flight
		FROM (SELECT d.endpoint, 'pending' AS status, d.created_ms, o.next_attempt_ms, o.leased_ms FROM (SELECT id, next_attempt_ms, leased_ms FROM outbox ORDER BY id LIMIT ?) AS o JOIN delivery d ON d.id = o.id
			UNION ALL SELECT * FROM (SELECT endpoint, status, created_ms, 0 AS next_attempt_ms, 0 AS leased_ms FROM delivery WHERE rare_status = 'failed' ORDER BY created_ms DESC LIMIT ?) AS f) AS d
		GROUP BY endpoint`, living, maxCensus, maxCensus).Scan(&c.Deliveries).Error
	if err != nil {
		return c, err
	}
	var rows []endpointRow
	err = db.Order("name").Limit(1000).Find(&rows).Error
	for _, row := range rows {
		c.Endpoints = append(c.Endpoints, row.endpoint())
	}
	return c, err
}
