package store

// VerifyAtOnce sets how many events, and requests, are looked at together, until it is
// called again.
func VerifyAtOnce(events, requests int) (int, int) {
	wereEvents, wereRequests := verifyEvents, verifyRequests
	verifyEvents, verifyRequests = events, requests
	return wereEvents, wereRequests
}

// LimitReads sets the rows that a page reads without an index, and the ids that an index may select,
// until it is called again.
func LimitReads(rows, ids int) (int, int) {
	wereRows, wereIDs := rowLimit, idLimit
	rowLimit, idLimit = rows, ids
	return wereRows, wereIDs
}

// PutReply stores the reply of a key that this transaction has claimed.
func (tx *Tx) PutReply(k KeyReply) error { return tx.Batch(k.stmt()) }

// LimitCounts sets the rows that a count reads, and returns the previous number.
func LimitCounts(rows int) (before int) {
	before, maxCounted = maxCounted, rows
	return before
}
