package store

import "github.com/countersign/countersign/services/wf"

// AddDeliveries writes the deliveries of an event that belongs to no request.
func (tx *Tx) AddDeliveries(list []wf.Delivery) error {
	return failed(tx.Batch(addDeliveries(list)...), "add deliveries")
}

// PutReply stores the reply with a key that the transaction has claimed.
func (tx *Tx) PutReply(k KeyReply) error {
	return failed(tx.Batch(k.stmt()), "store reply")
}

// ClaimKey claims a key alone, as Start and ClaimRequest do with what they read.
func (tx *Tx) ClaimKey(k Key) (replay *Reply, reused bool, err error) {
	var claimed int
	if err := tx.Load(k.claim(tx.Now, &claimed)); err != nil {
		return nil, false, failed(err, "claim an idempotency key")
	}
	if claimed == 1 {
		return nil, false, nil
	}
	return tx.stored(k)
}
