package daemon

import (
	"fmt"
	"path/filepath"

	"github.com/countersign/countersign/libs/seal"
)

// DevelopmentSecret returns a development secret from a file of the data folder. The
// first call creates it. Concurrent processes get the same secret.
func (s *Settings) DevelopmentSecret(name string, fresh func() string) (string, error) {
	text, err := seal.SecretFile(filepath.Join(s.DataDir, name), func() (string, error) { return fresh(), nil })
	if err != nil {
		err = fmt.Errorf("--data-dir: %w", err)
	}
	return text, err
}
