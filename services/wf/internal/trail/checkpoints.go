package trail

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lestrrat-go/jwx/v2/jwk"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/receipt"
)

// Kept holds the valid checkpoints of a receiver, by seq and in the order of the file.
type Kept struct {
	Checkpoints []receipt.Checkpoint
	Findings    []string // a line that is not a valid checkpoint, or a contradiction of two checkpoints
}

// maxLine bounds a line of a file, in bytes.
const maxLine = 16 << 20

// linesOf returns a scanner of the lines of a file.
func linesOf(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return lines
}

// ReadCheckpoints reads the checkpoints that a receiver kept, one a line: a JWS, or the body of a webhook. It skips
// webhooks of other types. It fails for a file without a checkpoint, and for checkpoints of several issuers if issuer
// is empty.
func ReadCheckpoints(r io.Reader, keys jwk.Set, issuer string) (Kept, error) {
	var kept Kept
	lines, read := linesOf(r), 0
	for number := 1; lines.Scan(); number++ {
		token, isCheckpoint := tokenOf(lines.Bytes())
		if !isCheckpoint {
			continue
		}
		read++
		c, err := receipt.VerifyCheckpoint(token, keys, issuer)
		if err != nil {
			kept.Findings = append(kept.Findings, fmt.Sprintf("line %d of the checkpoints: %v", number, err))
			continue
		}
		kept.Checkpoints = append(kept.Checkpoints, c)
	}
	if err := lines.Err(); err != nil {
		return kept, err
	}
	if read == 0 {
		return kept, errors.New("has no checkpoint")
	}
	slices.SortStableFunc(kept.Checkpoints, func(a, b receipt.Checkpoint) int { return cmp.Compare(a.Seq, b.Seq) })
	for i, c := range kept.Checkpoints[min(1, len(kept.Checkpoints)):] {
		before := kept.Checkpoints[i]
		if c.Issuer != before.Issuer {
			return kept, fmt.Errorf("has checkpoints of %q and %q; name the issuer", before.Issuer, c.Issuer)
		}
		if contradiction := compare(before, c); contradiction != "" {
			kept.Findings = append(kept.Findings, fmt.Sprintf("checkpoint %d: %s", c.Seq, contradiction))
		}
	}
	return kept, nil
}

// tokenOf returns the JWS of a line. It reports false for an empty line and for a webhook of another type.
func tokenOf(line []byte) (token string, isCheckpoint bool) {
	line = bytes.TrimSpace(line)
	if !bytes.HasPrefix(line, []byte("{")) {
		return string(line), len(line) > 0
	}
	var webhook struct {
		Type audit.EventType `json:"type"`
		Data struct {
			Checkpoint string `json:"checkpoint"`
		} `json:"data"`
	}
	if strictjson.Decode(line, strictjson.Default, &webhook) != nil {
		return "", true // the verification reports it
	}
	return webhook.Data.Checkpoint, webhook.Type == audit.EventAuditCheckpoint
}

// compare returns the contradiction between two kept checkpoints, the later one last. A checkpoint names its
// predecessor, so no kept checkpoint may be between them.
func compare(a, b receipt.Checkpoint) string {
	switch {
	case a.Seq == b.Seq && a.Hash != b.Hash:
		return "it was signed twice, with different hashes"
	case a.Seq == b.Seq:
		return ""
	case b.Before == nil:
		return fmt.Sprintf("it names no predecessor, but checkpoint %d was kept: an older database was restored", a.Seq)
	case b.Before.Seq < a.Seq:
		const format = "it follows checkpoint %d, but checkpoint %d was kept: an older database was restored"
		return fmt.Sprintf(format, b.Before.Seq, a.Seq)
	case b.Before.Seq == a.Seq && b.Before.Hash != a.Hash:
		return fmt.Sprintf("it follows another checkpoint %d than the kept one", a.Seq)
	}
	return ""
}
