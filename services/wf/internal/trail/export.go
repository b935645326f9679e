package trail

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/countersign/countersign/services/wf"
)

// WriteAll writes an export of the events that each passes in batches: a line for each, and a last line with their
// number and SHA-256. An export without it is cut.
func WriteAll(to io.Writer, each func(write func([]wf.StoredEvent) error) error) error {
	sum, events := sha256.New(), 0
	both := io.MultiWriter(to, sum)
	err := each(func(batch []wf.StoredEvent) error {
		for _, e := range batch {
			if _, err := io.WriteString(both, lineOf(e)+"\n"); err != nil {
				return err
			}
			events++
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("export after %d events: %w", events, err)
	}
	_, err = io.WriteString(to, lastLine(events, sum)+"\n")
	return err
}

// lineOf returns the line of an event. An export has it in this form only.
func lineOf(e wf.StoredEvent) string {
	return fmt.Sprintf(`{"chain":%s,"seq":%d,"hash":%s,"event":%s}`, quote(e.Chain), e.Seq, quote(e.Hash), e.Body)
}

// lastLine returns the last line of an export.
func lastLine(events int, sum hash.Hash) string {
	return fmt.Sprintf(`{"end":{"events":%d,"sha256":"%s"}}`, events, hex.EncodeToString(sum.Sum(nil)))
}

func quote(s string) []byte {
	text, _ := json.Marshal(s) // strings always encode
	return text
}

// eachEvent calls use for every event of an export. It returns the first damage of the export; a damaged line has no
// event.
func eachEvent(export io.Reader, use func(Event)) (damage string, err error) {
	lines, sum, number, ended := linesOf(export), sha256.New(), 0, false
	damaged := func(format string, args ...any) {
		if damage == "" {
			damage = fmt.Sprintf("the export is damaged: "+format, args...)
		}
	}
	for lines.Scan() {
		number++
		text := lines.Text()
		var line struct {
			Chain, Hash string
			Seq         int64
			Event       json.RawMessage
		}
		switch {
		case ended:
			damaged("line %d follows the last line", number)
		case strings.HasPrefix(text, `{"end":`):
			if ended = true; text != lastLine(number-1, sum) {
				damaged("the lines are not those that the last line counts")
			}
		case json.Unmarshal(lines.Bytes(), &line) != nil,
			text != lineOf(wf.StoredEvent{Chain: line.Chain, Seq: line.Seq, Hash: line.Hash, Body: string(line.Event)}):
			damaged("line %d is not a line of an export", number)
		default:
			e, _ := Read(wf.StoredEvent{Chain: line.Chain, Seq: line.Seq, Hash: line.Hash, Body: string(line.Event)})
			use(e)
		}
		sum.Write([]byte(text + "\n"))
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		damaged("line %d is too long", number+1)
	case err != nil:
		return damage, err
	case !ended:
		damaged("it is cut: the last line is missing")
	}
	return damage, nil
}
