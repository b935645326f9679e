package bearer

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	cacheSize = 4096
	cacheTime = 60 * time.Second
)

// cache remembers verified tokens under their digest, so that no credential stays
// in memory longer than its request. Only tokens with a good signature enter, so
// a stranger cannot fill it.
type cache struct {
	mu      sync.RWMutex
	entries map[[sha256.Size]byte]cacheEntry
}

type cacheEntry struct {
	token Token
	at    time.Time
}

func newCache() *cache {
	return &cache{entries: make(map[[sha256.Size]byte]cacheEntry)}
}

// get returns a token that was put less than cacheTime before now. The caller
// still has to check that the token has not expired.
func (c *cache) get(digest [sha256.Size]byte, now time.Time) (Token, bool) {
	c.mu.RLock()
	entry, ok := c.entries[digest]
	c.mu.RUnlock()
	age := now.Sub(entry.at)
	return entry.token, ok && age >= 0 && age < cacheTime
}

// put remembers a token. A full cache forgets some other one.
func (c *cache) put(digest [sha256.Size]byte, token Token, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, exists := c.entries[digest]; !exists && len(c.entries) >= cacheSize {
		for other := range c.entries { // in no particular order
			delete(c.entries, other)
			break
		}
	}
	c.entries[digest] = cacheEntry{token, now}
}
