package engine

import (
	"context"
	"errors"
	"fmt"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// sealContext returns the context for sealing the registration access token of a client.
func sealContext(clientID string) string { return "provider_record|" + clientID + "|access_token" }

// sealRecord returns the record with its token sealed. A record without a token needs no seal.
func (g *core) sealRecord(clientID string, r registrar.ProviderRecord) (store.Record, error) {
	kept := store.Record{ClientID: clientID, ProviderClientID: r.ClientID, URI: r.URI}
	if r.AccessToken == "" {
		return kept, nil
	}
	text, err := g.Keys.Seal([]byte(r.AccessToken), sealContext(clientID))
	kept.AccessToken = registrar.Secret(text)
	return kept, err
}

// openRecord returns the record with its token opened.
func (g *core) openRecord(kept store.Record) (registrar.ProviderRecord, error) {
	r := registrar.ProviderRecord{ClientID: kept.ProviderClientID, URI: kept.URI, AccessToken: kept.AccessToken}
	if kept.AccessToken == "" {
		return r, nil
	}
	token, err := g.Keys.Open(string(kept.AccessToken), sealContext(kept.ClientID))
	r.AccessToken = registrar.Secret(token)
	return r, err
}

// providerRecord returns the provider's record of a client.
func (g *core) providerRecord(ctx context.Context, clientID string) (registrar.ProviderRecord, error) {
	kept, err := g.store.Record(ctx, clientID)
	if err != nil {
		return registrar.ProviderRecord{}, err
	}
	r, err := g.openRecord(kept)
	if err != nil {
		err = fmt.Errorf("registration access token of client %s: %w", clientID, err)
	}
	return r, err
}

// RekeyRecords seals again the registration access tokens that are not sealed with the first key, in
// transactions of batch rows. It returns their number, also after an error.
func (g *Calls) RekeyRecords(ctx context.Context, batch int) (n int, err error) {
	if g.Keys.IsEmpty() {
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
				if kept.AccessToken == "" || g.Keys.IsCurrent(string(kept.AccessToken)) {
					continue
				}
				r, err := g.openRecord(kept)
				if err != nil {
					return fmt.Errorf("client %s: %w", kept.ClientID, err)
				}
				if kept, err = g.sealRecord(kept.ClientID, r); err != nil {
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
