package resolve

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/countersign/countersign/services/wf/identity"
)

// Bounds of a cache. The second one bounds the memory: a user takes about 200 bytes.
const (
	maxAnswers = 1000
	maxCached  = 50_000 // people in all answers
)

// cache keeps answers with their age and evicts the least recently used ones.
type cache struct {
	now func() time.Time

	mu      sync.Mutex
	answers *simplelru.LRU[string, answer]
	people  int
}

type answer struct {
	users []identity.User
	at    time.Time
	lasts time.Duration
}

func newCache(now func() time.Time) *cache {
	c := &cache{now: now}
	// It fails only for sizes below one.
	c.answers, _ = simplelru.NewLRU(maxAnswers, func(_ string, a answer) { c.people -= len(a.users) })
	return c
}

// get returns a valid answer of at most maxAge; a negative maxAge finds none. Callers must not change it.
func (c *cache) get(key string, maxAge time.Duration) ([]identity.User, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.answers.Get(key)
	return a.users, ok && maxAge >= 0 && c.now().Sub(a.at) < max(a.lasts, maxAge)
}

func (c *cache) put(key string, users []identity.User, lasts time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers.Remove(key) // the eviction callback subtracts its users
	c.people += len(users)
	c.answers.Add(key, answer{users, c.now(), lasts})
	for c.people > maxCached {
		c.answers.RemoveOldest()
	}
}
