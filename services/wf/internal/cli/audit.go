package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/wf/internal/trail"
)

// offline holds the flags of audit verify without the service.
type offline struct {
	Checkpoints string `help:"File with the checkpoints that a receiver kept, one a line: a JWS, or the body of a webhook."`
	JWKS        string `name:"jwks" help:"With --checkpoints, the JWK Set: a file, or a URL such as https://approvals.example.org/v1/wf/jwks.json."`
	IssuedBy    string `name:"issuer" help:"With --checkpoints, their expected issuer: WF_RECEIPT_ISSUER of the service."`
}

// maxFindings is the number of printed findings.
const maxFindings = 100

// verify prints the findings in an export, a line each, or the number of its events.
func (c *offline) verify(w *daemon.Process, export string) error {
	if export == "" || c.Checkpoints == "" || c.JWKS == "" {
		return errors.New("name an export, --checkpoints and --jwks")
	}
	keys, err := readKeys(w.Context, c.JWKS)
	if err != nil {
		return fmt.Errorf("--jwks: %w", err)
	}
	lines, err := os.Open(c.Checkpoints)
	if err != nil {
		return err
	}
	defer lines.Close()
	kept, err := trail.ReadCheckpoints(lines, keys, c.IssuedBy)
	if err != nil {
		return fmt.Errorf("--checkpoints: %w", err)
	}
	file, err := os.Open(export) // #nosec G304 -- named by the user
	if err != nil {
		return err
	}
	defer file.Close()
	found, err := trail.Verify(file, kept)
	if err != nil {
		return fmt.Errorf("%s: %w", export, err)
	}
	if len(found.Findings) == 0 {
		_, err = fmt.Fprintf(w.Out, "valid: %d events in %d chains, %d purged requests, %d checkpoints\n",
			found.Events, found.Chains, found.Purged, len(kept.Checkpoints))
		return err
	}
	for _, finding := range found.Findings[:min(len(found.Findings), maxFindings)] {
		fmt.Fprintln(w.Out, sanitize(finding))
	}
	if more := len(found.Findings) - maxFindings; more > 0 {
		fmt.Fprintf(w.Out, "further findings: %d\n", more)
	}
	return daemon.ExitStatus(exitFound)
}
