package store_test

import (
	"bytes"
	"sync"
	"testing"
)

func TestAServiceKeyIsMadeOnceForAllProcesses(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		keys := make([][]byte, 8)
		var group sync.WaitGroup
		for i := range keys {
			group.Go(func() {
				key, err := f.ServiceKey(t.Context(), "cursor")
				if err != nil {
					t.Error(err)
				}
				keys[i] = key
			})
		}
		group.Wait()
		for _, key := range keys {
			if len(key) != 32 || !bytes.Equal(key, keys[0]) {
				t.Fatalf("keys %x and %x", keys[0], key)
			}
		}
		other, err := f.ServiceKey(t.Context(), "address")
		if err != nil || bytes.Equal(other, keys[0]) {
			t.Fatalf("another name has the same key, or %v", err)
		}
	})
}
