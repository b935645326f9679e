package server

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// rekeyBatch is the number of tokens that are sealed again in one transaction.
const rekeyBatch = 1000

// Rekey seals stored secrets again with the first of the keys and reports their number, also after
// an error.
func Rekey(ctx context.Context, db *sqldb.DB, keys seal.Keys) (done string, err error) {
	core := engine.New(engine.Options{Store: store.New(db), Keys: keys})
	tokens, err := core.Calls.RekeyRecords(ctx, rekeyBatch)
	endpoints := 0
	if err == nil {
		endpoints, err = core.Webhooks.RekeyEndpoints(ctx)
	}
	return fmt.Sprintf("%d registration access tokens and %d webhook endpoints re-encrypted", tokens, endpoints), err
}
