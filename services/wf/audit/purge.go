package audit

// Purged is what is left of events that were deleted because they were old enough. It
// stands in the service's chain, so that what follows them can be verified, and so that
// a deletion without it is seen.
type Purged struct {
	Events int64  `json:"events" doc:"How many events were deleted."`
	Last   int64  `json:"last" doc:"seq of the last of them."`
	Hash   string `json:"hash" doc:"Hash of the last of them; of a request the end of its chain."`
	Gaps   []Gap  `json:"gaps,omitempty" doc:"Where the chain has lost events, in order. Absent when all of it is deleted."`
}

// Gap is a run of events that were deleted from the middle of a chain.
type Gap struct {
	First int64  `json:"first" doc:"seq of the first of them."`
	Last  int64  `json:"last" doc:"seq of the last of them."`
	Hash  string `json:"hash" doc:"Hash of the last of them, which is prev_hash of the event after."`
}
