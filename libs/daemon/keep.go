package daemon

import (
	"fmt"
	"path/filepath"

	"github.com/countersign/countersign/libs/keep"
)

// Keep returns a secret of development that the data folder holds under a name. The
// first call creates it. Concurrent processes get the same secret.
func (s *Settings) Keep(name string, fresh func() string) (string, error) {
	text, err := keep.File(filepath.Join(s.DataDir, name), func() (string, error) { return fresh(), nil })
	if err != nil {
		err = fmt.Errorf("%sDATA_DIR: %w", s.Prefix, err)
	}
	return text, err
}
