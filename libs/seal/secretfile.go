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
		if err := writeOnce(path, text); err != nil {
			return "", err
		}
		content, err = os.ReadFile(path) // #nosec G304 -- as above
	}
	return strings.TrimSpace(string(content)), err
}

// ReplaceFile writes text to the file at path, readable by its owner only. Readers get the
// former text or the new one, whole.
func ReplaceFile(path, text string) error {
	temp, err := writeTemp(filepath.Dir(path), text)
	if err != nil {
		return err
	}
	defer os.Remove(temp) // of a rename that failed
	return os.Rename(temp, path)
}

// writeOnce puts text at path, unless something is there by then. The file appears
// whole or not at all.
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
	// Unlike a rename, a link never replaces what another process has made.
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// writeTemp returns the path of a new file in dir, of mode 0600, that holds text.
func writeTemp(dir, text string) (path string, err error) {
	temp, err := os.CreateTemp(dir, ".secret-*")
	if err != nil {
		return "", err
	}
	_, err = temp.WriteString(text + "\n")
	if err := errors.Join(err, temp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temp.Name()))
	}
	return temp.Name(), nil
}
