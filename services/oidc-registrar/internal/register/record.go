package register

import (
	"context"
	"errors"
	"fmt"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// place is where the registration access token of a client is kept, for its seal.
func place(clientID string) string { return "provider_record|" + clientID + "|access_token" }

// sealed is what is kept of a provider's record. Without a token there is nothing to seal.
func (g *Engine) sealed(clientID string, r registrar.ProviderRecord) (store.Record, error) {
	kept := store.Record{ClientID: clientID, ProviderClientID: r.ClientID, URI: r.URI}
	if r.AccessToken == "" {
		return kept, nil
	}
	text, err := g.Keys.Seal([]byte(r.AccessToken), place(clientID))
	kept.AccessToken = registrar.Secret(text)
	return kept, err
}

// opened is a provider's record that was kept.
func (g *Engine) opened(kept store.Record) (registrar.ProviderRecord, error) {
	r := registrar.ProviderRecord{ClientID: kept.ProviderClientID, URI: kept.URI, AccessToken: kept.AccessToken}
	if kept.AccessToken == "" {
		return r, nil
	}
	token, err := g.Keys.Open(string(kept.AccessToken), place(kept.ClientID))
	r.AccessToken = registrar.Secret(token)
	return r, err
}

// record returns what the provider said of a client.
func (g *Engine) record(ctx context.Context, clientID string) (registrar.ProviderRecord, error) {
	kept, err := g.store.Record(ctx, clientID)
	if err != nil {
		return registrar.ProviderRecord{}, err
	}
	r, err := g.opened(kept)
	if err != nil {
		err = fmt.Errorf("registration access token of client %s: %w", clientID, err)
	}
	return r, err
}

// Rekey seals the registration access tokens that are sealed with another key than the
// first, in transactions of so many, and returns how many there were; after an error, how
// many before it.
func (g *Engine) Rekey(ctx context.Context, batch int) (n int, err error) {
	if g.Keys.Empty() {
		return 0, errors.New("no keys to seal with")
	}
	for after, more := "", true; more; {
		changed := 0
		var last string
		err := g.store.Do(ctx, func(tx *store.Tx) error {
			changed = 0
			records, err := tx.Records(after, batch)
			if err != nil {
				return err
			}
			more = len(records) == batch
			for _, kept := range records {
				last = kept.ClientID
				if kept.AccessToken == "" || g.Keys.Current(string(kept.AccessToken)) {
					continue
				}
				r, err := g.opened(kept)
				if err != nil {
					return fmt.Errorf("client %s: %w", kept.ClientID, err)
				}
				if kept, err = g.sealed(kept.ClientID, r); err != nil {
					return err
				}
				if err := tx.PutRecord(kept); err != nil {
					return err
				}
				changed++
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		n, after = n+changed, last
	}
	return n, nil
}
