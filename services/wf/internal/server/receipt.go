package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// checkReceipts validates the settings of receipts.
func (c *Config) checkReceipts(p *daemon.Problems) {
	if c.ReceiptKeys == "" {
		return
	}
	_, err := receipt.ParseKeys(string(c.ReceiptKeys))
	p.AddIf(err != nil, "RECEIPT_KEYS", "%w", err)
	u, err := url.Parse(c.ReceiptIssuer)
	p.AddIf(err != nil || u.Scheme != "https" || u.Host == "",
		"RECEIPT_ISSUER", "must be an https URL with WF_RECEIPT_KEYS")
}

// receiptKeys returns the keys of receipts and their issuer. Development creates a key.
func (c *Config) receiptKeys() (receipt.Keys, string, error) {
	text, issuer := string(c.ReceiptKeys), c.ReceiptIssuer
	if text == "" && c.Dev {
		made, err := c.DevelopmentSecret("dev-receipt.key", newReceiptKey)
		if err != nil {
			return receipt.Keys{}, "", err
		}
		text, issuer = made, "https://wf.example.org"
	}
	if text == "" {
		return receipt.Keys{}, "", nil
	}
	keys, err := receipt.ParseKeys(text)
	if err != nil {
		err = fmt.Errorf("WF_RECEIPT_KEYS: %w", err)
	}
	return keys, issuer, err
}

// newReceiptKey returns a new key with an id of its own, since a database may outlive the file of a key.
func newReceiptKey() string {
	secret := seal.NewKey()
	sum := sha256.Sum256([]byte(secret))
	return fmt.Sprintf("dev-%x:%s", sum[:4], secret)
}

// publishKeys stores the public keys of receipts. It refuses a distrusted key, and an id with another stored key.
func (s *Service) publishKeys(ctx context.Context, keys receipt.Keys) error {
	if keys.Empty() || s.config.ReadOnly {
		return nil
	}
	trusted, distrusted, err := s.Store.AddSigningKeys(ctx, keys.Public())
	if err != nil {
		return err
	}
	for _, key := range keys.Public() {
		switch {
		case slices.Contains(distrusted, key):
			return fmt.Errorf("WF_RECEIPT_KEYS: key %s is distrusted; remove it", key.ID)
		case !slices.Contains(trusted, key):
			return fmt.Errorf("WF_RECEIPT_KEYS: id %s belongs to another key; choose another id", key.ID)
		}
	}
	return nil
}

// DistrustKey removes a key of receipts from the published ones.
func DistrustKey(ctx context.Context, db *sqldb.DB, id string) (done string, err error) {
	found, err := store.New(db).DistrustSigningKey(ctx, id)
	switch {
	case err != nil:
		return "", err
	case !found:
		return "", fmt.Errorf("no trusted key has the id %s", id)
	}
	return "key " + id + " is distrusted; remove it from WF_RECEIPT_KEYS and restart", nil
}
