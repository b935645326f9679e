package resolve

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
)

func TestTheCacheHoldsSoManyAnswersAndPeople(t *testing.T) {
	now := time.Unix(0, 0)
	c := newCache(func() time.Time { return now })
	kept := func() (n int) {
		for i := range 3 * maxAnswers {
			if _, ok := c.get(fmt.Sprint(i), 0); ok {
				n++
			}
		}
		return n
	}
	for i := range 2 * maxAnswers {
		c.put(fmt.Sprint(i), make([]wf.User, 1), time.Minute)
	}
	if _, ok := c.get("0", 0); ok || kept() != maxAnswers {
		t.Errorf("%d answers are kept, want the %d latest", kept(), maxAnswers)
	}
	for i := range 2 * maxAnswers {
		c.put(fmt.Sprint(i), make([]wf.User, 1000), time.Minute)
	}
	if c.people > maxCached || kept() != maxCached/1000 {
		t.Errorf("%d people in %d answers are kept, want %d", c.people, kept(), maxCached)
	}
	c.put("1", nil, time.Minute)
	c.put("1", nil, time.Minute)
	if len(c.answers) != c.order.Len() {
		t.Errorf("%d answers, and %d in order", len(c.answers), c.order.Len())
	}
}
