package audit

import (
	"encoding/json"
	"errors"
)

// MaxEnds limits the chains in one event audit.checkpoint.
const MaxEnds = 100

// Checkpoint is the content of an event audit.checkpoint of the service chain: the ends of the request chains that
// moved since the previous one. The service chain thereby commits to all chains.
type Checkpoint struct {
	Ends    []End    `json:"ends" doc:"Ends of request chains that verify: [chain, seq, hash]."`
	Invalid []string `json:"invalid,omitempty" doc:"Request chains that do not verify."`
	More    bool     `json:"more,omitempty" doc:"Further ends follow in the next event; only the last one is signed."`
}

// End is the last event of the chain of a request. Its JSON is an array of chain, seq and hash.
type End struct {
	Request string
	Chain
}

// MarshalJSON writes the array.
func (e End) MarshalJSON() ([]byte, error) { return json.Marshal([]any{e.Request, e.Seq, e.Hash}) }

// UnmarshalJSON reads the array.
func (e *End) UnmarshalJSON(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	if len(parts) != 3 {
		return errors.New("an end has a chain, a seq and a hash")
	}
	for i, into := range []any{&e.Request, &e.Seq, &e.Hash} {
		if err := json.Unmarshal(parts[i], into); err != nil {
			return err
		}
	}
	return nil
}
