package story

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// devReceipts is the issuer of the receipts and checkpoints of wf serve --dev.
const devReceipts = "https://wf.example.org"

// witness adds an endpoint that receives checkpoints.
func (s *story) witness(ana person, port *port) *receiver {
	r, err := port.receiver("/checkpoints", newSecret())
	if err != nil {
		s.fail("%w", err)
		return nil
	}
	endpoint := object{"name": "witness", "url": r.url, "events": []string{"audit.checkpoint"}}
	s.trust(r, ana.post("/v1/wf/admin/webhooks", endpoint).is(201).value("secret"))
	return r
}

// proofs verifies a receipt and the audit trail as a third party, with files and without the service.
func (s *story) proofs(ana person, witness *receiver, consumed *answer) {
	dir, err := os.MkdirTemp("", "countersign-witness-")
	if err != nil {
		s.fail("%w", err)
		return
	}
	defer os.RemoveAll(dir)
	file := func(name string) string { return filepath.Join(dir, name) }

	s.step("An auditor keeps the receipt, the checkpoints, the keys and an export")
	receipt := consumed.value("receipt")
	for name, text := range map[string]string{
		"receipt.jws": receipt, "changed.jws": "e30" + receipt[min(3, len(receipt)):],
		"checkpoints.jws": s.checkpoints(witness, consumed.value("ended_at")),
	} {
		if err := os.WriteFile(file(name), []byte(text+"\n"), 0o600); err != nil {
			s.fail("%w", err)
			return
		}
	}
	s.download(person{story: s, base: ana.base, name: "auditor"}, "/v1/wf/jwks.json", "application/json", file("jwks.json"))
	s.download(ana, "/v1/wf/admin/audit", "application/x-ndjson", file("trail.ndjson"))
	s.proves("A checkpoint is a signed end of the audit trail. It commits to the chains of all requests.")

	s.step("The auditor verifies them without the service")
	s.wf(0, "valid: request ", "receipt", "verify", file("receipt.jws"), "--jwks", file("jwks.json"), "--issuer", devReceipts)
	s.wf(2, "invalid: ", "receipt", "verify", file("changed.jws"), "--jwks", file("jwks.json"), "--issuer", devReceipts)
	s.wf(0, "valid: ", "audit", "verify", file("trail.ndjson"), "--checkpoints", file("checkpoints.jws"), "--jwks", file("jwks.json"))
	s.proves("The approval is proven by its receipt. A rewritten, cut or deleted chain and a restored database would be found.")
}

// checkpoints returns the checkpoints of the webhooks until one after a time.
func (s *story) checkpoints(witness *receiver, after string) string {
	var lines []string
	for s.err == nil {
		h, err := witness.next(s.ctx)
		if err == nil {
			err = h.err
		}
		if err != nil {
			s.fail("%w", err)
			break
		}
		if lines = append(lines, h.Data.Checkpoint); h.Timestamp > after {
			s.line("POST %s  %s, event %d of the service chain, signature valid", witness.url, h.Type, h.Data.Sequence)
			break
		}
	}
	return strings.Join(lines, "\n")
}

// download writes a reply to a file.
func (s *story) download(by person, path, media, name string) {
	if s.err != nil {
		return
	}
	s.line("%s: GET %s as %s", by.name, path, media)
	req, err := http.NewRequestWithContext(s.ctx, http.MethodGet, by.base+path, http.NoBody)
	if err != nil {
		s.fail("%w", err)
		return
	}
	req.Header.Set("Accept", media)
	if by.token != "" {
		req.Header.Set("Authorization", "Bearer "+by.token)
	}
	reply, err := s.http.Do(req)
	if err != nil {
		s.fail("%w", err)
		return
	}
	defer reply.Body.Close()
	content, err := io.ReadAll(io.LimitReader(reply.Body, 16*maxAnswer))
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", reply.Status, content)
	}
	if err == nil {
		err = os.WriteFile(name, content, 0o600)
	}
	if err != nil {
		s.fail("%s: %w", path, err)
	}
}

// wf runs a command of wf without settings. It requires an exit status and the start of the output.
func (s *story) wf(status int, want string, args ...string) {
	if s.err != nil {
		return
	}
	shown := make([]string, len(args))
	for i, arg := range args {
		shown[i] = filepath.Base(arg)
	}
	s.line("auditor: wf %s", strings.Join(shown, " "))
	cmd := exec.CommandContext(s.ctx, s.Program, args...) // #nosec G204 -- the caller names the program
	cmd.Env = []string{}
	out, err := cmd.Output()
	if cmd.ProcessState == nil {
		s.fail("run %s: %w", s.Program, err)
		return
	}
	s.line("     %d  %s", cmd.ProcessState.ExitCode(), strings.TrimSpace(string(out)))
	if cmd.ProcessState.ExitCode() != status || !strings.HasPrefix(string(out), want) {
		s.fail("wf %s: exit status %d, want %d and %q", strings.Join(shown, " "), cmd.ProcessState.ExitCode(), status, want)
	}
}
