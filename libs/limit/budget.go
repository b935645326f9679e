package limit

import (
	"errors"
	"sync"
)

// Errors of Budget.Take.
var (
	ErrAll  = errors.New("all callers together hold as much as they may")
	ErrEach = errors.New("the subject holds as much as it may")
)

// Budget is an amount shared by subjects, with a limit for each subject. It is safe for concurrent
// use.
type Budget struct {
	all, each int64

	mu    sync.Mutex
	taken int64
	by    map[string]int64 // by subject; entries of zero are deleted
}

// NewBudget returns a Budget with a limit for all subjects together and a limit for each.
func NewBudget(all, each int64) *Budget { return &Budget{all: all, each: each, by: map[string]int64{}} }

// Take allocates n to a subject. It returns ErrEach or ErrAll, and allocates nothing, above a limit.
func (b *Budget) Take(subject string, n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.by[subject]+n > b.each:
		return ErrEach
	case b.taken+n > b.all:
		return ErrAll
	}
	b.taken += n
	b.by[subject] += n
	return nil
}

// Release releases n of a subject's allocation.
func (b *Budget) Release(subject string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken -= n
	if b.by[subject] -= n; b.by[subject] == 0 {
		delete(b.by, subject)
	}
}

// InUse returns the total allocation of all subjects.
func (b *Budget) InUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken
}
