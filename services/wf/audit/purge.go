package audit

// Purged is the tombstone of deleted events in the service chain. Later events remain verifiable, and a
// deletion without a tombstone is detected.
type Purged struct {
	Events int64  `json:"events" doc:"Number of deleted events."`
	Last   int64  `json:"last" doc:"seq of the last deleted event."`
	Hash   string `json:"hash" doc:"Hash of the last deleted event; for a request, the end of its chain."`
	Gaps   []Gap  `json:"gaps,omitempty" doc:"Gaps in the chain, in order; absent if the whole chain is deleted."`
}

// Gap is a range of events deleted from the middle of a chain.
type Gap struct {
	First int64  `json:"first" doc:"seq of the first deleted event."`
	Last  int64  `json:"last" doc:"seq of the last deleted event."`
	Hash  string `json:"hash" doc:"Hash of the last deleted event, which is prev_hash of the next event."`
}
