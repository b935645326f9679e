package limit

import (
	"errors"
	"sync"
)

// Why a Budget gives nothing.
var (
	ErrAll  = errors.New("all callers together hold as much as they may")
	ErrEach = errors.New("the subject holds as much as it may")
)

// Budget is an amount that subjects share, of which each may hold a part. It may be used
// by several goroutines at once.
type Budget struct {
	all, each int64

	mu    sync.Mutex
	taken int64
	by    map[string]int64 // of those who hold something
}

// NewBudget returns a Budget of an amount, of which each subject may hold so much.
func NewBudget(all, each int64) *Budget { return &Budget{all: all, each: each, by: map[string]int64{}} }

// Take gives a subject n more, or nothing with ErrEach or ErrAll.
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

// Give takes back n of what a subject holds.
func (b *Budget) Give(subject string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken -= n
	if b.by[subject] -= n; b.by[subject] == 0 {
		delete(b.by, subject)
	}
}

// Taken is how much all subjects hold together.
func (b *Budget) Taken() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken
}
