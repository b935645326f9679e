// Package waiting wakes calls that wait for a change of a request.
package waiting

import (
	"context"
	"sync"
)

// Revs returns wf.Request.Rev of the requests with the ids, without those that do not exist.
type Revs func(ctx context.Context, ids []string) (map[string]int64, error)

// Watcher is the set of the waiting calls of a process. It is safe for concurrent use.
type Watcher struct {
	revs Revs

	mu    sync.Mutex
	calls map[string]map[*call]struct{} // by id of the request
}

// call is a waiting call.
type call struct {
	rev  int64         // the caller's
	wake chan struct{} // closed by notify
}

// New returns a Watcher without calls.
func New(revs Revs) *Watcher {
	return &Watcher{revs: revs, calls: map[string]map[*call]struct{}{}}
}

// Wait returns when wf.Request.Rev differs from rev, or ctx ends. The next Poll compares it
// again, so a change between the read of the caller and Wait is not missed.
func (w *Watcher) Wait(ctx context.Context, id string, rev int64) {
	c := &call{rev: rev, wake: make(chan struct{})}
	w.add(id, c)
	defer w.remove(id, c)
	select {
	case <-ctx.Done():
	case <-c.wake:
	}
}

func (w *Watcher) add(id string, c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls[id] == nil {
		w.calls[id] = map[*call]struct{}{}
	}
	w.calls[id][c] = struct{}{}
}

func (w *Watcher) remove(id string, c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.calls[id], c); len(w.calls[id]) == 0 {
		delete(w.calls, id)
	}
}

// Notify wakes the calls with another rev for the request.
func (w *Watcher) Notify(id string, rev int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.calls[id] {
		if c.rev != rev {
			close(c.wake)
			delete(w.calls[id], c)
		}
	}
}

// Poll reads the requests with waiting calls and wakes the calls whose request has changed. Without
// waiting calls it does not query the database.
func (w *Watcher) Poll(ctx context.Context) error {
	ids := w.ids()
	if len(ids) == 0 {
		return nil
	}
	revs, err := w.revs(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		w.Notify(id, revs[id])
	}
	return nil
}

func (w *Watcher) ids() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.calls))
	for id := range w.calls {
		ids = append(ids, id)
	}
	return ids
}
