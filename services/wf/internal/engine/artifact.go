package engine

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

// artifactTaken rejects a request for an artifact with another open request. The refusal names that
// request only if the caller may read it.
func artifactTaken(tx *store.Tx, by identity.Actor, holder string) error {
	may := by.Has(identity.RoleViewer)
	if !may {
		var err error
		if may, err = tx.HasPart(by.ID, holder); err != nil {
			return err
		}
	}
	if !may {
		return store.ErrArtifactTaken
	}
	return refusal.New(reason.WrongState, "request %s for this artifact is open", holder)
}
