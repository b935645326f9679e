package resolve

import (
	"container/list"
	"sync"
	"time"

	"github.com/countersign/countersign/services/wf"
)

// Bounds of a cache. The second one is about the memory: a person takes some 200
// bytes.
const (
	maxAnswers = 1000
	maxCached  = 50_000 // people in all answers
)

// cache keeps answers with their age; the oldest go first.
type cache struct {
	now func() time.Time

	mu      sync.Mutex
	answers map[string]*list.Element
	order   *list.List // of *answer, the oldest first
	people  int
}

type answer struct {
	key   string
	users []wf.User
	at    time.Time
	lasts time.Duration
}

func newCache(now func() time.Time) *cache {
	return &cache{now: now, answers: map[string]*list.Element{}, order: list.New()}
}

// get returns an answer that is not older than it lasts, or than maxAge; none when
// that is negative. Callers must not change it.
func (c *cache) get(key string, maxAge time.Duration) ([]wf.User, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.answers[key]
	if !ok {
		return nil, false
	}
	a := element.Value.(*answer)
	return a.users, maxAge >= 0 && c.now().Sub(a.at) < max(a.lasts, maxAge)
}

func (c *cache) put(key string, users []wf.User, lasts time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.answers[key]; ok {
		c.drop(element)
	}
	c.answers[key] = c.order.PushBack(&answer{key: key, users: users, at: c.now(), lasts: lasts})
	c.people += len(users)
	for len(c.answers) > maxAnswers || c.people > maxCached {
		c.drop(c.order.Front())
	}
}

func (c *cache) drop(element *list.Element) {
	a := c.order.Remove(element).(*answer)
	delete(c.answers, a.key)
	c.people -= len(a.users)
}
