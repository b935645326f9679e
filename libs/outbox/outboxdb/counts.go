package outboxdb

import (
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/work/workdb"
)

// maxCounted is the maximum count of each kind, which bounds the cost.
const maxCounted = 100_000

// Counts holds the numbers of pending and failed deliveries, with the endpoints.
type Counts struct {
	Deliveries []EndpointCount
	Endpoints  []outbox.Endpoint
	At         time.Time
}

// EndpointCount holds the numbers of an endpoint; of callbacks if Endpoint is empty.
type EndpointCount struct {
	Endpoint        string
	Pending, Failed int64
	OldestMS        int64 // when the oldest that is pending was created
	DueMS           int64 // when the first of them was or is due
	InFlight        int64 // of the pending ones, those that a living worker is sending
}

// Counts counts the deliveries of a snapshot, at most 100,000 of each kind.
func (s *Store) Counts(db *gorm.DB, now time.Time) (Counts, error) {
	c := Counts{At: now}
	inFlight, since := workdb.InFlight(now)
	// Ids are in the order of creation.
	const pending = `SELECT d.endpoint, 'pending' AS status, d.created_ms, o.due_ms, o.leased_ms
		FROM (SELECT id, due_ms, leased_ms FROM outbox ORDER BY id LIMIT ?) AS o JOIN delivery d ON d.id = o.id`
	const failed = `SELECT * FROM (SELECT endpoint, status, created_ms, 0 AS due_ms, 0 AS leased_ms
		FROM delivery WHERE rare_status = 'failed' ORDER BY created_ms DESC LIMIT ?) AS f`
	err := db.Table("("+pending+" UNION ALL "+failed+") AS d", maxCounted, maxCounted).Select(`endpoint,
		sum(CASE WHEN status = 'pending' THEN 1 ELSE 0 END) AS pending,
		sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS failed,
		coalesce(min(CASE WHEN status = 'pending' THEN created_ms END), 0) AS oldest_ms,
		coalesce(min(CASE WHEN status = 'pending' THEN due_ms END), 0) AS due_ms,
		sum(CASE WHEN `+inFlight+` THEN 1 ELSE 0 END) AS in_flight`, since).Group("endpoint").Scan(&c.Deliveries).Error
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
