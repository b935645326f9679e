package store_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// The benchmarks need a server with durable commits:
//
//	POSTGRES_FSYNC=on deploy/dev/postgres.sh run go test -run '^$' -bench . ./services/wf/internal/store

// onPostgres returns a store on an empty PostgreSQL with policy p and n endpoints. The
// time is the database's.
func onPostgres(t testing.TB, n int) *fixture {
	t.Helper()
	f := &fixture{t: t, time: timetest.At(time.Now())}
	server, err := url.Parse(schema.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	query := server.Query()
	query.Set("statement_timeout", "0") // many rows are written at once
	server.RawQuery = query.Encode()
	f.open(server.String(), nil)
	f.addPolicy("p")
	for i := range n {
		f.addEndpoint(fmt.Sprint("e", i))
	}
	return f
}

// enqueue adds events, each with a delivery to every endpoint, that are due.
func (f *fixture) enqueue(events int) {
	f.t.Helper()
	var endpoints []outbox.Endpoint
	f.do(func(tx *store.Tx) (err error) { endpoints, err = tx.Outbox.Endpoints(); return err })
	r, list := withEvents(f, events)
	var deliveries []outbox.Delivery
	for _, e := range list {
		for _, endpoint := range endpoints {
			d := f.newDelivery(r, e, endpoint.Target())
			d.Payload = fmt.Appendf(nil, "%600d", e.Seq)
			deliveries = append(deliveries, d)
		}
	}
	f.do(func(tx *store.Tx) error { return tx.AddDeliveries(deliveries) })
}

// drain claims and finishes at most n, and returns how many that were.
func (f *fixture) drain(n int) int {
	f.t.Helper()
	claims, err := f.Outbox.ClaimDeliveries(f.t.Context(), claimer(4), n)
	if err != nil {
		f.t.Fatal(err)
	}
	finished := make([]outboxdb.Finished, len(claims.Held))
	for i, c := range claims.Held {
		began := c.Lease.Since
		finished[i].Delivery, finished[i].Attempt = c.Finish(outbox.Result{StartedAt: began, FinishedAt: began, StatusCode: 204}, 0)
	}
	f.do(func(tx *store.Tx) error { _, err := tx.Outbox.FinishDeliveries(finished); return err })
	return len(claims.Held)
}

// BenchmarkClaimAndFinish is the share of the database in draining deliveries: 64 are
// claimed, and finished, of 20 endpoints.
func BenchmarkClaimAndFinish(b *testing.B) {
	f := onPostgres(b, 20)
	queued := 0
	for b.Loop() {
		if queued < 64 {
			b.StopTimer()
			f.enqueue(500)
			queued += 500 * 20
			b.StartTimer()
		}
		if n := f.drain(64); n != 64 {
			b.Fatalf("drained %d of %d", n, queued)
		}
		queued -= 64
	}
	b.ReportMetric(64*float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
}

// BenchmarkCreate is the share of the database in creating a request of two stages.
func BenchmarkCreate(b *testing.B) {
	for _, endpoints := range []int{0, 50} {
		b.Run(fmt.Sprint("endpoints=", endpoints), func(b *testing.B) {
			f := onPostgres(b, endpoints)
			for b.Loop() {
				r := withTask(withTask(f.newRequest(), "first", "ana"), "second", "ben")
				f.do(func(tx *store.Tx) error {
					k := key(r.ID, "body")
					if _, err := tx.Start(&k, "p"); err != nil {
						return err
					}
					if _, err := tx.Outbox.Endpoints(); err != nil {
						return err
					}
					return tx.AddRequest(r, nil, nil, nil)
				})
			}
		})
	}
}
