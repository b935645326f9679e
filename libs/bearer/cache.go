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

// cache remembers verified tokens under their digest, so that no credential stays
// in memory longer than its request. Only tokens with a good signature enter, so
// a stranger cannot fill it.
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

// get returns a token that was put less than cacheTime before now. The caller
// still has to check that the token has not expired.
func (c *cache) get(digest [sha256.Size]byte, now time.Time) (Token, bool) {
	entry, ok := c.entries.Get(digest)
	age := now.Sub(entry.at)
	return entry.token, ok && age >= 0 && age < cacheTime
}

// put remembers a token. A full cache forgets the one that was used least recently.
func (c *cache) put(digest [sha256.Size]byte, token Token, now time.Time) {
	c.entries.Add(digest, cacheEntry{token, now})
}
