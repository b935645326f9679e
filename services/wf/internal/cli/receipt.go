package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwk"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf/internal/receipt"
)

// exitFound is the exit status of a command that finds problems, changes, failed tests or an invalid object. Errors
// have 1.
const exitFound = 2

// VerifyReceipt verifies a receipt without the service.
type VerifyReceipt struct {
	File    string    `arg:"" help:"File with a receipt, or - for the standard input."`
	JWKS    string    `name:"jwks" required:"" help:"JWK Set: a file, or a URL such as https://approvals.example.org/v1/wf/jwks.json."`
	Issuer  string    `required:"" help:"Expected issuer: WF_RECEIPT_ISSUER of the service."`
	Context string    `help:"File with the content as JSON; a receipt about other content is invalid."`
	Policy  string    `help:"Expected policy key."`
	At      time.Time `help:"Time of the check, such as 2026-01-15T08:00:00Z; now without it."`
}

// Run prints the result in one line. It exits 0 for a valid receipt and 2 for an invalid one.
func (c *VerifyReceipt) Run(w *daemon.Process) error {
	token, err := readInput(c.File)
	if err != nil {
		return err
	}
	keys, err := readKeys(w.Context, c.JWKS)
	if err != nil {
		return fmt.Errorf("--jwks: %w", err)
	}
	want := receipt.Expected{Issuer: c.Issuer, At: c.At, Policy: c.Policy}
	if want.At.IsZero() {
		want.At = time.Now()
	}
	if c.Context != "" {
		if want.ContextHash, err = hashOf(c.Context); err != nil {
			return fmt.Errorf("--context: %w", err)
		}
	}
	claims, err := receipt.Verify(strings.TrimSpace(string(token)), keys, want)
	if err != nil {
		if _, err := fmt.Fprintln(w.Out, "invalid:", sanitize(err.Error())); err != nil {
			return err
		}
		return daemon.ExitStatus(exitFound)
	}
	_, err = fmt.Fprintf(w.Out, "valid: request %s was approved at %s\n", sanitize(strings.TrimPrefix(claims.Subject, "urn:uuid:")),
		claims.DecidedAt.UTC().Format(time.RFC3339))
	return err
}

// maxInput bounds a file or reply, in bytes.
const maxInput = 1 << 20

// readInput reads a file, or the standard input for -.
func readInput(name string) ([]byte, error) {
	in := os.Stdin
	if name != "-" {
		file, err := os.Open(name) // #nosec G304 -- named by the user
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	content, err := readBounded(in)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return content, nil
}

func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = errors.New("is larger than 1 MiB")
	}
	return data, err
}

// readKeys reads a JWK Set from a file or a URL.
func readKeys(ctx context.Context, name string) (jwk.Set, error) {
	data, err := []byte(nil), error(nil)
	if strings.Contains(name, "://") {
		data, err = download(ctx, name)
	} else {
		data, err = readInput(name)
	}
	if err != nil {
		return nil, err
	}
	keys, err := jwk.Parse(data)
	if err != nil {
		return nil, errors.New("is not a JWK Set")
	}
	return keys, nil
}

func download(ctx context.Context, address string) ([]byte, error) {
	if _, err := parseURL(address); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	reply, err := newHTTP(callTime).Do(req)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s returned %s", address, reply.Status)
	}
	return readBounded(reply.Body)
}

// hashOf returns the context_hash of a file with JSON.
func hashOf(name string) (string, error) {
	data, err := readInput(name)
	if err != nil {
		return "", err
	}
	return strictjson.Sum(data)
}
