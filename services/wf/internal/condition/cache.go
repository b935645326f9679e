package condition

import "sync"

// cache keeps compiled programs by their text, in two generations: a hit in the
// old one moves the program to the young one, and a full young one becomes the
// old one. So it holds maxPrograms at most and forgets what is not used. The
// zero value is empty.
type cache struct {
	mu         sync.Mutex
	young, old map[string]*program
}

func (c *cache) get(expr string) (*program, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.young[expr]; ok {
		return p, true
	}
	p, ok := c.old[expr]
	if ok {
		c.add(expr, p)
	}
	return p, ok
}

func (c *cache) put(expr string, p *program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(expr, p)
}

func (c *cache) add(expr string, p *program) {
	if c.young == nil || len(c.young) >= maxPrograms/2 {
		c.young, c.old = map[string]*program{}, c.young
	}
	c.young[expr] = p
}
