package trail_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/internal/trail"
)

// webhook is the body of a webhook of a type, with a checkpoint.
func webhook(kind audit.EventType, checkpoint string) string {
	return fmt.Sprintf(`{"type":%q,"timestamp":"2027-03-01T12:00:00.000Z","data":{"sequence":3,"checkpoint":%q}}`, kind, checkpoint)
}

// The golden file has four checkpoints: 3, 5, 8 and 9.
func TestKeptCheckpointsAreReadAndCompared(t *testing.T) {
	w := story(t)
	other, err := receipt.ParseKeys("k1:" + seal.NewKey())
	must(t, err)
	sign := func(keys receipt.Keys, change func(*receipt.Checkpoint)) string {
		c, err := receipt.VerifyCheckpoint(w.kept[1], w.keySet(), issuer)
		must(t, err)
		change(&c)
		token, err := keys.SignCheckpoint(c)
		must(t, err)
		return token
	}
	five := func(change func(*receipt.Checkpoint)) string { return sign(w.keys, change) }
	const otherHash = "sha256:00000000000000000000000000000000000000000000000000000000000000ff"
	three, rest := w.kept[0], strings.Join(w.kept[1:], "\n")
	for name, tt := range map[string]struct {
		text, issuer string
		number       int
		want         string // prefix of the only finding
		err          string
	}{
		"lines":           {text: strings.Join(w.kept, "\n"), number: 4},
		"any order":       {text: rest + "\n" + three + "\n", number: 4},
		"received twice":  {text: rest + "\n\r\n  " + rest, number: 6},
		"some are lost":   {text: three + "\n" + w.kept[3], number: 2},
		"webhooks":        {text: webhook(audit.EventAuditCheckpoint, three) + "\n" + webhook(audit.EventWebhookTest, "x"), number: 1},
		"empty":           {text: "\n \n", err: "has no checkpoint"},
		"other webhooks":  {text: webhook(audit.EventWebhookTest, three), err: "has no checkpoint"},
		"webhook without": {text: webhook(audit.EventAuditCheckpoint, ""), want: "line 1 of the checkpoints: not a JWS"},
		"member twice": {text: strings.Replace(webhook(audit.EventAuditCheckpoint, three), `"sequence":3`,
			`"checkpoint":""`, 1), want: "line 1 of the checkpoints: not a JWS"},
		"not JSON":         {text: "\n{", want: "line 2 of the checkpoints: not a JWS"},
		"not a checkpoint": {text: "x.y.z\n" + three, number: 1, want: "line 1 of the checkpoints: not a JWS"},
		"cut":              {text: three[:len(three)-1], want: "line 1 of the checkpoints: "},
		"other issuer":     {text: three, issuer: "https://other.example.org", want: `line 1 of the checkpoints: iss is "` + issuer},
		"several issuers":  {text: three + "\n" + five(func(c *receipt.Checkpoint) { c.Issuer = "x" }), issuer: "-", number: 2, err: "name the issuer"},
		"other key":        {text: sign(other, func(*receipt.Checkpoint) {}), want: "line 1 of the checkpoints: the signature"},
		"signed twice": {
			text: rest + "\n" + five(func(c *receipt.Checkpoint) { c.Hash = otherHash }), number: 4,
			want: "checkpoint 5: it was signed twice, with different hashes",
		},
		"signed again": {text: rest + "\n" + five(func(c *receipt.Checkpoint) { c.IssuedAt++ }), number: 4},
		"restored before a kept one": {
			text: strings.Join(w.kept[:2], "\n") + "\n" + five(func(c *receipt.Checkpoint) { c.Seq = 6 }), number: 3,
			want: "checkpoint 6: it follows checkpoint 3, but checkpoint 5 was kept: an older database was restored",
		},
		"restored before the first": {
			text: three + "\n" + five(func(c *receipt.Checkpoint) { c.Before = nil }), number: 2,
			want: "checkpoint 5: it names no predecessor, but checkpoint 3 was kept: an older database was restored",
		},
		"another predecessor": {
			text: three + "\n" + five(func(c *receipt.Checkpoint) { c.Before.Hash = otherHash }), number: 2,
			want: "checkpoint 5: it follows another checkpoint 3 than the kept one",
		},
		"no seq":             {text: five(func(c *receipt.Checkpoint) { c.Seq, c.Before = 0, nil }), want: "line 1 of the checkpoints: the claims"},
		"no hash":            {text: five(func(c *receipt.Checkpoint) { c.Hash = otherHash[:70] }), want: "line 1 of the checkpoints: the claims"},
		"predecessor later":  {text: five(func(c *receipt.Checkpoint) { c.Before.Seq = 5 }), want: "line 1 of the checkpoints: the claims"},
		"predecessor no seq": {text: five(func(c *receipt.Checkpoint) { c.Before.Seq = -1 }), want: "line 1 of the checkpoints: the claims"},
	} {
		t.Run(name, func(t *testing.T) {
			from := issuer
			if tt.issuer != "" {
				from = strings.Trim(tt.issuer, "-")
			}
			kept, err := trail.ReadCheckpoints(strings.NewReader(tt.text), w.keySet(), from)
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) || len(kept.Checkpoints) != tt.number {
				t.Errorf("%d checkpoints, %v", len(kept.Checkpoints), err)
			}
			if found := strings.Join(kept.Findings, "\n"); (found == "") != (tt.want == "") || !strings.HasPrefix(found, tt.want) {
				t.Errorf("findings %q, want %q", kept.Findings, tt.want)
			}
		})
	}
}

// Receipts and checkpoints have the same keys. One is not accepted as the other.
func TestAReceiptIsNotACheckpoint(t *testing.T) {
	w := story(t)
	token, err := w.keys.Sign(receipt.Claims{Issuer: issuer})
	must(t, err)
	if _, err := receipt.VerifyCheckpoint(token, w.keySet(), issuer); err == nil || !strings.HasPrefix(err.Error(), "typ is") {
		t.Errorf("a receipt as a checkpoint: %v", err)
	}
	if _, err := receipt.Verify(w.kept[0], w.keySet(), receipt.Expected{Issuer: issuer}); err == nil || !strings.HasPrefix(err.Error(), "typ is") {
		t.Errorf("a checkpoint as a receipt: %v", err)
	}
}

// A cut or damaged export is a finding, also if its last line is that of the damaged lines.
func TestACutOrDamagedExportIsAFinding(t *testing.T) {
	w := story(t)
	whole := string(w.export())
	lines := strings.SplitAfter(whole, "\n")
	kept, err := trail.ReadCheckpoints(strings.NewReader(strings.Join(w.kept, "\n")), w.keySet(), issuer)
	must(t, err)
	last := lines[len(lines)-2]
	const counted, noLine = "the lines are not those that the last line counts", "line 2 is not a line of an export"
	for name, tt := range map[string]struct{ text, want string }{
		"empty":             {"", "it is cut"},
		"no last line":      {strings.TrimSuffix(whole, last), "it is cut"},
		"cut line":          {whole[:len(whole)-20], counted},
		"line missing":      {strings.Join(lines[1:], ""), counted},
		"line changed":      {strings.Replace(whole, "one", "1", 1), counted},
		"count changed":     {strings.Replace(whole, `"events":14`, `"events":15`, 1), counted},
		"line after":        {whole + lines[0], "line 16 follows the last line"},
		"second last line":  {whole + last, "line 16 follows the last line"},
		"last line is null": {strings.TrimSuffix(whole, last) + `{"end":null}`, counted},

		"second event":       {counting(lines, func(line string) string { return line[:len(line)-1] + `,"event":{}}` }), noLine},
		"event before":       {counting(lines, func(line string) string { return `{"event":{},` + line[1:] }), noLine},
		"second hash":        {counting(lines, replaced(`"hash"`, `"hash":"","hash"`)), noLine},
		"unknown member":     {counting(lines, func(line string) string { return line[:len(line)-1] + `,"x":1}` }), noLine},
		"other letter case":  {counting(lines, replaced(`"event"`, `"Event"`)), noLine},
		"white space":        {counting(lines, replaced(`"seq":`, `"seq": `)), noLine},
		"empty line":         {counting(lines, func(string) string { return "" }), noLine},
		"no object":          {counting(lines, func(string) string { return "null" }), noLine},
		"line of 20 million": {counting(lines, func(string) string { return strings.Repeat(" ", 20_000_000) }), "line 2 is too long"},
	} {
		report, err := trail.Verify(strings.NewReader(tt.text), kept)
		if err != nil || len(report.Findings) == 0 || !strings.HasPrefix(report.Findings[0], "the export is damaged: "+tt.want) {
			t.Errorf("%s: %q, %v, want %s", name, report.Findings, err, tt.want)
		}
	}
}

// counting returns an export with a change of its second line and a last line that counts the lines.
func counting(lines []string, change func(line string) string) string {
	lines = slices.Clone(lines[:len(lines)-2])
	lines[1] = change(strings.TrimSuffix(lines[1], "\n")) + "\n"
	text := strings.Join(lines, "")
	return fmt.Sprintf("%s{\"end\":{\"events\":%d,\"sha256\":\"%x\"}}\n", text, len(lines), sha256.Sum256([]byte(text)))
}

func FuzzReadCheckpoints(f *testing.F) {
	w := story(f)
	golden, err := os.ReadFile("testdata/checkpoints.jws")
	must(f, err)
	for _, seed := range []string{string(golden), webhook(audit.EventAuditCheckpoint, w.kept[0]), "{}", "a.b.c\n\n{"} {
		f.Add(seed)
	}
	keys, export := w.keySet(), w.export()
	valid := map[receipt.Link]bool{}
	for _, line := range w.kept {
		c, err := receipt.VerifyCheckpoint(line, keys, issuer)
		must(f, err)
		valid[c.Link] = true
	}
	f.Fuzz(func(t *testing.T, text string) {
		kept, err := trail.ReadCheckpoints(strings.NewReader(text), keys, issuer)
		if err != nil {
			return
		}
		for _, c := range kept.Checkpoints {
			if !valid[c.Link] {
				t.Errorf("accepted: %+v", c)
			}
		}
		if _, err := trail.Verify(strings.NewReader(string(export)), kept); err != nil {
			t.Error(err)
		}
	})
}

// The verification of any export ends without a panic.
func FuzzVerify(f *testing.F) {
	w := story(f)
	f.Add(string(w.export()))
	kept, err := trail.ReadCheckpoints(strings.NewReader(strings.Join(w.kept, "\n")), w.keySet(), issuer)
	must(f, err)
	f.Fuzz(func(_ *testing.T, export string) { _, _ = trail.Verify(strings.NewReader(export), kept) })
}
