package limit

import (
	"fmt"
	"math"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// maxSubjects bounds the subjects in a Limiter's LRU cache. An evicted subject starts with a full
// burst.
const maxSubjects = 100_000

// Limiter limits the call rate of each subject. It is safe for concurrent use. A nil Limiter allows
// every call.
type Limiter struct {
	name     string
	rate     Rate
	now      func() time.Time
	subjects *lru.Cache[string, *rate.Limiter]
}

// NewLimiter returns a Limiter with a name for callers to see, of lower-case letters and
// hyphens. It is nil when the rate is zero. now may be nil for time.Now.
func NewLimiter(name string, r Rate, now func() time.Time) *Limiter {
	if r == (Rate{}) {
		return nil
	}
	if now == nil {
		now = time.Now
	}
	subjects, _ := lru.New[string, *rate.Limiter](maxSubjects) // fails for sizes below one only
	return &Limiter{name, r, now, subjects}
}

// Take counts a call of a subject and returns its delay. If the delay would exceed most, Take
// returns *Exceeded and does not count the call.
func (l *Limiter) Take(subject string, most time.Duration) (time.Duration, error) {
	if l == nil {
		return 0, nil
	}
	known, ok := l.subjects.Get(subject)
	if !ok {
		fresh := rate.NewLimiter(rate.Limit(l.rate.perSecond()), l.rate.Burst)
		if earlier, ok, _ := l.subjects.PeekOrAdd(subject, fresh); ok {
			known = earlier // another call of the subject came first
		} else {
			known = fresh
		}
	}
	now := l.now()
	reserved := known.ReserveN(now, 1)
	wait := reserved.DelayFrom(now)
	if wait > most {
		reserved.CancelAt(now)
		return 0, &Exceeded{Name: l.name, Rate: l.rate, After: wait}
	}
	return wait, nil
}

// Exceeded is the error of a call above the subject's rate.
type Exceeded struct {
	Name  string // of the Limiter
	Rate  Rate
	After time.Duration // when one more call is allowed
}

func (e *Exceeded) Error() string {
	return fmt.Sprintf("too many calls: %d at once and then %s are allowed; try again in %d s", e.Rate.Burst, e.Rate.quota(), seconds(e.After))
}

// Policy and RateLimitHeader are the fields RateLimit-Policy and RateLimit of a refusal
// (draft-ietf-httpapi-ratelimit-headers): the calls per window; then the remaining calls, none, and
// the seconds until the next one.
func (e *Exceeded) Policy() string {
	return fmt.Sprintf("%q;q=%d;w=%d", e.Name, e.Rate.Burst, seconds(e.Rate.Window()))
}

// RateLimitHeader is described with Policy.
func (e *Exceeded) RateLimitHeader() string {
	return fmt.Sprintf("%q;r=0;t=%d", e.Name, seconds(e.After))
}

// quota is the rate without its burst.
func (r Rate) quota() string {
	text, _, _ := strings.Cut(r.String(), ":")
	return text
}

// seconds are whole ones, so many that the time is over.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }
