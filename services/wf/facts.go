package wf

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
)

// Facts holds the external data of a transition. A transition makes no calls. It returns missing answers as the error
// [approver.Unasked]; the caller asks them and repeats the transition.
type Facts struct {
	At        time.Time
	Seed      Seed // of the transition's ids
	Directory bool // a directory is configured
	Answers   approver.Answers

	// Delegations holds the delegations in force to the caller and to delegates with a claim.
	Delegations []approver.Delegation

	// Unknown is an id that an admin names and the directory lacks.
	Unknown string

	// TrustMembership skips the membership recheck. Simulations set it.
	TrustMembership bool
}

// Seed generates the ids of one transition. It is random and used for one transition only.
type Seed [16]byte

// EventID returns the id of an event by its number in the chain. Ids of one chain sort by time and number.
func (s Seed) EventID(at time.Time, seq int64) string {
	return s.uuid(at, uint16(seq&0xfff), "event") // #nosec G115 -- 12 bits
}

// uuid returns a UUIDv7 (RFC 9562, section 5.7) with a 12-bit number after the time. Equal arguments give
// equal ids.
func (s Seed) uuid(at time.Time, n uint16, kind string) string {
	hash := sha256.Sum256(append(binary.BigEndian.AppendUint16(s[:], n), kind...))
	id := binary.BigEndian.AppendUint64(nil, uint64(at.UnixMilli())<<16|0x7000|uint64(n&0xfff)) // #nosec G115 -- times are after 1970
	id = append(id, hash[:8]...)
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// ids generates the ids of a transition, in order.
type ids struct {
	seed Seed
	at   time.Time
	n    uint16
}

func (i *ids) next() string {
	i.n++
	return i.seed.uuid(i.at, i.n, "")
}
