package bearer

import (
	"crypto/sha256"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	cacheSize = 4096
	cacheTime = 60 * time.Second
)

// cache holds verified tokens by their digest, so that no credential stays in memory
// longer than its request. It holds only tokens with a valid signature, so other callers
// cannot fill it.
type cache struct {
	entries *lru.Cache[[sha256.Size]byte, cacheEntry]
}

type cacheEntry struct {
	token Token
	at    time.Time
}

func newCache() *cache {
	entries, _ := lru.New[[sha256.Size]byte, cacheEntry](cacheSize) // fails for sizes below one only
	return &cache{entries}
}

// get returns a token that was put less than cacheTime before now. The caller must
// check its expiry.
func (c *cache) get(digest [sha256.Size]byte, now time.Time) (Token, bool) {
	entry, ok := c.entries.Get(digest)
	age := now.Sub(entry.at)
	return entry.token, ok && age >= 0 && age < cacheTime
}

// put adds a token. A full cache evicts the least recently used one.
func (c *cache) put(digest [sha256.Size]byte, token Token, now time.Time) {
	c.entries.Add(digest, cacheEntry{token, now})
}
