package daemon

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Retention is a retention period after the end of an object: days such as 90d, or hours such as 36h. Zero is
// unlimited.
type Retention time.Duration

const (
	day          = 24 * time.Hour
	minRetention = time.Hour
	forEver      = "forever"
)

// UnmarshalText reads 90d, 36h or forever.
func (r *Retention) UnmarshalText(text []byte) error {
	value := string(text)
	if value == forEver {
		*r = 0
		return nil
	}
	var d time.Duration
	if number, ok := strings.CutSuffix(value, "d"); ok {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return errRetention
		}
		d = time.Duration(n) * day // #nosec G115 -- 16 bits
	} else if parsed, err := time.ParseDuration(value); err == nil {
		d = parsed
	}
	if d < minRetention {
		return errRetention
	}
	*r = Retention(d)
	return nil
}

var errRetention = errors.New("want days such as 90d, at least 1h, or forever")

// String is the text that UnmarshalText reads.
func (r Retention) String() string {
	switch d := time.Duration(r); {
	case d == 0:
		return forEver
	case d%day == 0:
		return strconv.FormatInt(int64(d/day), 10) + "d"
	default:
		return d.String()
	}
}

// MarshalText is String, for logs.
func (r Retention) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
