package audit

import (
	"crypto/sha256"
	"encoding/hex"
)

// Chain is the end of a chain of events: its length and its last hash.
type Chain struct {
	Seq  int64
	Hash string
}

// Append returns the chain with one more event. Its hash is SHA-256 over the previous hash and the
// body of the event.
func (c Chain) Append(body []byte) Chain {
	return Chain{Seq: c.Seq + 1, Hash: chainHash(c.Hash, body)}
}

// Next returns the chain after an event with these links, and reports whether the event belongs there. stored
// holds the bytes as written: a repeated encoding could differ after a change of the Go types.
func (c Chain) Next(seq int64, prevHash, hash string, stored []byte) (Chain, bool) {
	fits := seq == c.Seq+1 && prevHash == c.Hash && hash == chainHash(c.Hash, stored)
	return Chain{Seq: seq, Hash: hash}, fits
}

func chainHash(prev string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(prev))
	h.Write(body)
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
