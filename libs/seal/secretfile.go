package seal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SecretFile returns the content of the file at path. The first call creates it, readable by its owner
// only. Concurrent processes get the same content.
func SecretFile(path string, fresh func() (string, error)) (string, error) {
	content, err := os.ReadFile(path) // #nosec G304 -- the operator names the folder
	if errors.Is(err, fs.ErrNotExist) {
		var text string
		if text, err = fresh(); err != nil {
			return "", err
		}
		if err := writeOnce(path, text+"\n"); err != nil {
			return "", err
		}
		content, err = os.ReadFile(path) // #nosec G304 -- as above
	}
	return strings.TrimSpace(string(content)), err
}

// writeOnce atomically creates the file at path with text, unless it exists.
func writeOnce(path, text string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := writeTemp(dir, text)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	// Unlike a rename, a link never replaces the file of another process.
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// writeTemp writes text to a new file in dir, of mode 0600, and returns its path.
func writeTemp(dir, text string) (path string, err error) {
	temp, err := os.CreateTemp(dir, ".secret-*")
	if err != nil {
		return "", err
	}
	_, err = temp.WriteString(text)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temp.Name()))
	}
	return temp.Name(), nil
}
