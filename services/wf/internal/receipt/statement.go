package receipt

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/countersign/countersign/services/wf"
)

const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://github.com/countersign/countersign/approval/v1"
	payloadType   = "application/vnd.in-toto+json"
)

// statement is an in-toto Statement, version 1.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     Claims    `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// envelope is a DSSE envelope, version 1.
type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID     string `json:"keyid"`
	Signature string `json:"sig"`
}

// SignStatement returns an in-toto Statement about the content and the attachments with a digest, in a DSSE
// envelope. The names of the subjects are distinct.
func (k Keys) SignStatement(c Claims, attachments []wf.Attachment) ([]byte, error) {
	s := statement{Type: statementType, PredicateType: predicateType, Predicate: c}
	s.Subject = append(s.Subject, subject{"context", map[string]string{"sha256": strings.TrimPrefix(c.ContextHash, "sha256:")}})
	for i, a := range attachments {
		if a.SHA256 != "" {
			s.Subject = append(s.Subject, subject{fmt.Sprintf("attachment/%d/%s", i, a.Name), map[string]string{"sha256": a.SHA256}})
		}
	}
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode a statement: %w", err)
	}
	signed := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
	return json.Marshal(envelope{
		PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString(payload),
		Signatures: []signature{{k.SigningKey(), base64.StdEncoding.EncodeToString(ed25519.Sign(k.private(), signed))}},
	})
}
