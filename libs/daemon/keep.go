package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Keep returns a secret of development that the data folder holds under a name. The
// first to ask makes it; processes that ask together get the same.
func (s *Settings) Keep(name string, fresh func() string) (string, error) {
	path := filepath.Join(s.DataDir, name)
	content, err := os.ReadFile(path) // #nosec G304 -- the operator names the folder
	if errors.Is(err, fs.ErrNotExist) {
		if err := writeOnce(path, fresh()); err != nil {
			return "", fmt.Errorf("%sDATA_DIR: write %s: %w", s.Prefix, name, err)
		}
		content, err = os.ReadFile(path) // #nosec G304 -- as above
	}
	if err != nil {
		return "", fmt.Errorf("%sDATA_DIR: read %s: %w", s.Prefix, name, err)
	}
	return strings.TrimSpace(string(content)), nil
}

// writeOnce puts text at path, unless something is there by then. The file appears
// whole or not at all.
func writeOnce(path, text string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".keep-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(text + "\n")
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	// Unlike a rename, a link never replaces what another process has made.
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
