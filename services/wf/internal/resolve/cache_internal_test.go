package resolve

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
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
		c.put(fmt.Sprint(i), make([]identity.User, 1), time.Minute)
	}
	if _, ok := c.get("0", 0); ok || kept() != maxAnswers {
		t.Errorf("%d answers are kept, want the %d latest", kept(), maxAnswers)
	}
	for i := range 2 * maxAnswers {
		c.put(fmt.Sprint(i), make([]identity.User, 1000), time.Minute)
	}
	if c.people > maxCached || kept() != maxCached/1000 {
		t.Errorf("%d people in %d answers are kept, want %d", c.people, kept(), maxCached)
	}
	c.put("1", make([]identity.User, 3), time.Minute)
	c.put("1", make([]identity.User, 3), time.Minute)
	people := 0
	for _, a := range c.answers.Values() {
		people += len(a.users)
	}
	if c.people != people {
		t.Errorf("%d people are counted, and %d are kept", c.people, people)
	}
}
