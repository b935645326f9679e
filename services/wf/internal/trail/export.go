package trail

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/countersign/countersign/services/wf"
)

// Writer writes an export: a line for each event, and a last line with their number and SHA-256.
type Writer struct {
	Events int // written
	to     io.Writer
	sum    hash.Hash
}

// NewWriter returns a writer of an export.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to, sum: sha256.New()} }

// Write writes the line of an event, with the bytes of its hash.
func (w *Writer) Write(e wf.StoredEvent) error {
	w.Events++
	_, err := fmt.Fprintf(io.MultiWriter(w.to, w.sum), `{"chain":%s,"seq":%d,"hash":%s,"event":%s}`+"\n",
		quote(e.Chain), e.Seq, quote(e.Hash), e.Body)
	return err
}

// Close writes the last line. An export without it is cut.
func (w *Writer) Close() error {
	_, err := fmt.Fprintf(w.to, `{"end":{"events":%d,"sha256":"%s"}}`+"\n", w.Events, hex.EncodeToString(w.sum.Sum(nil)))
	return err
}

func quote(s string) []byte {
	text, _ := json.Marshal(s) // strings always encode
	return text
}

// eachEvent calls use for every event of an export. It fails if the export is cut or damaged.
func eachEvent(export io.Reader, use func(event)) error {
	lines, sum, count := linesOf(export), sha256.New(), 0
	var end *struct {
		Events int
		SHA256 string
	}
	for lines.Scan() {
		var line struct {
			Chain, Hash string
			Seq         int64
			Event       json.RawMessage
			End         json.RawMessage
		}
		text := lines.Bytes()
		err := json.Unmarshal(text, &line)
		if err == nil && end == nil && line.End != nil {
			err = json.Unmarshal(line.End, &end)
		} else if err == nil && end != nil {
			err = errors.New("a line after the last one")
		}
		if err != nil {
			return fmt.Errorf("line %d is not a line of an export", count+1)
		}
		if end != nil {
			continue
		}
		count++
		sum.Write(text)
		sum.Write([]byte("\n"))
		e := event{chain: line.Chain, seq: line.Seq, hash: line.Hash, body: line.Event}
		if json.Unmarshal(line.Event, &e) != nil {
			e = event{chain: line.Chain, seq: line.Seq, hash: line.Hash} // does not follow any event
		}
		use(e)
	}
	switch err := lines.Err(); {
	case err != nil:
		return err
	case end == nil:
		return errors.New("the export is cut: its last line is missing")
	case end.Events != count || end.SHA256 != hex.EncodeToString(sum.Sum(nil)):
		return errors.New("the export is damaged: its lines are not those that its last line counts")
	}
	return nil
}
