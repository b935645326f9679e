package audit

// Break is one place at which a chain of events does not hold: an event that is missing or
// was changed, or stored state that contradicts the last event about it.
type Break struct {
	Seq int64 `json:"seq" doc:"seq of the event that is missing, was changed, or is contradicted by what is stored; 1 for state without any event."`

	// What is "event", "end" for the stored end of the chain, or the member of the state,
	// such as "request.status".
	What string `json:"what" doc:"event, end, or the stored state that differs, such as request.status or decision of task ID."`

	// Found identifies what is stored there, so that another change of the same place is
	// another break.
	Found string `json:"found" doc:"Fingerprint of what is stored there; empty when it is missing."`
}

// BadChain is a chain that does not hold.
type BadChain struct {
	Chain        string
	FirstBad     int64   // the lowest Seq of its events that do not hold; if all hold, that of its breaks
	Breaks       []Break // that no admin has acknowledged, by Seq; at most MaxBreaks
	Acknowledged int64   // the number of acknowledged breaks
}

// MaxBreaks is how many breaks of one chain are reported and acknowledged together.
const MaxBreaks = 100
