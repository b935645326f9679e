// Package sealtest makes keys for tests.
package sealtest

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/seal"
)

// Keys returns a key of each id, the first of which seals. An id always has the same key.
func Keys(t testing.TB, ids ...string) seal.Keys {
	t.Helper()
	var texts []string
	for _, id := range ids {
		key := sha256.Sum256([]byte(id))
		texts = append(texts, id+":"+base64.StdEncoding.EncodeToString(key[:]))
	}
	keys, err := seal.Parse(strings.Join(texts, ","))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
