package audit

// Break is an invalid position of an event chain: a missing or modified event, or stored state that
// contradicts the last event about it.
type Break struct {
	Seq int64 `json:"seq" doc:"seq of the missing, modified or contradicted event; 1 for state without an event."`

	// What is the object of the break: "event", "end" for the stored end of the chain, "document" for a request,
	// "context" for its content, or stored values that do not follow from them: "request" for its columns, "task ID",
	// "revision N".
	What string `json:"what" doc:"event, end, document, or the contradicting state, such as request or task ID."`

	// Found is the fingerprint of the stored value. Another modification at the same position is another
	// break.
	Found string `json:"found" doc:"Fingerprint of the stored value; empty for a missing event."`
}

// BadChain is an invalid chain.
type BadChain struct {
	Chain    string
	FirstBad int64   // lowest Seq of its invalid events, else of its breaks
	Breaks   []Break // by Seq; at most MaxBreaks
}

// MaxBreaks limits the breaks of one chain in a report.
const MaxBreaks = 100
