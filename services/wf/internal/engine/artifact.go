package engine

import (
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// artifactTaken refuses a request for an artifact that an open request is about. It
// names that request only to callers who may read it.
func artifactTaken(tx *store.Tx, by wf.Actor, holder string) error {
	may := by.Has(wf.RoleViewer)
	if !may {
		var err error
		if may, err = tx.HasPart(by.ID, holder); err != nil {
			return err
		}
	}
	if !may {
		return store.ErrArtifactTaken
	}
	return wf.Refuse(wf.WrongState, "request %s for this artifact is open", holder)
}
