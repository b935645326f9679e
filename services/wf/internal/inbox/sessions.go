package inbox

import (
	"net/http"

	"github.com/countersign/countersign/services/wf/internal/engine"
)

// sessionsPage lists the sessions of the reader.
type sessionsPage struct {
	Sessions []engine.Session
	Current  string // the id of this browser's session
}

func (v *visit) sessions() error {
	list, err := v.engine.Sessions(v.R.Context(), v.By.ID, v.Times)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "sessions", v.T("sessions.title"), sessionsPage{list, v.session.ID})
}

// endSession ends one session of the reader. Ending the current one is a sign-out.
func (v *visit) endSession() error {
	id := v.R.PathValue("id")
	if id == v.session.ID {
		return v.signOut()
	}
	return v.Done(v.engine.EndSessionOf(v.R.Context(), v.By.ID, id), Root+"/sessions", "session-ended")
}

func (v *visit) endOtherSessions() error {
	return v.Done(v.engine.EndOtherSessions(v.R.Context(), v.By.ID, v.session.ID), Root+"/sessions", "session-ended")
}
