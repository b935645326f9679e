package server

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// rekeyBatch is how many tokens are sealed anew in one transaction.
const rekeyBatch = 1000

// Rekey encrypts what is kept encrypted with the first of the keys, and says how much had
// another, or none; after an error, how much before it.
func Rekey(ctx context.Context, db *sqldb.DB, keys seal.Keys) (done string, err error) {
	core := register.New(register.Options{Store: store.New(db), Keys: keys})
	tokens, err := core.Rekey(ctx, rekeyBatch)
	endpoints := 0
	if err == nil {
		endpoints, err = core.RekeyEndpoints(ctx)
	}
	return fmt.Sprintf("%d registration access tokens and %d webhook endpoints re-encrypted", tokens, endpoints), err
}
