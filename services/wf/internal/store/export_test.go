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
