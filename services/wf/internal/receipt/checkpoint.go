package receipt

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/lestrrat-go/jwx/v2/jwk"
)

// CheckpointType is the typ of a checkpoint.
const CheckpointType = "audit-checkpoint+jwt"

// Checkpoint is the payload of a checkpoint: the end of the service chain, which commits to all chains.
type Checkpoint struct {
	Issuer   string `json:"iss"`
	IssuedAt int64  `json:"iat"` // seconds since 1970
	Link
	Before *Link `json:"before,omitempty"` // the previous checkpoint; nil for the first
}

// SignCheckpoint returns the JWS of a checkpoint.
func (k Keys) SignCheckpoint(c Checkpoint) (string, error) { return k.sign(CheckpointType, c) }

// hashPattern matches the hash of an event.
var hashPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// valid reports whether the link can be an event.
func (l Link) valid() bool { return l.Seq > 0 && hashPattern.MatchString(l.Hash) }

// VerifyCheckpoint returns the claims of a valid checkpoint, of any issuer if issuer is empty. Its errors are one line
// that names the reason.
func VerifyCheckpoint(token string, keys jwk.Set, issuer string) (Checkpoint, error) {
	var c Checkpoint
	payload, err := open(token, CheckpointType, keys)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return c, errors.New("the claims are not those of a checkpoint")
	}
	switch {
	case issuer != "" && c.Issuer != issuer:
		return c, fmt.Errorf("iss is %q, not %q", c.Issuer, issuer)
	case !c.valid() || c.Before != nil && (!c.Before.valid() || c.Before.Seq >= c.Seq):
		return c, errors.New("the claims are not those of a checkpoint")
	}
	return c, nil
}
