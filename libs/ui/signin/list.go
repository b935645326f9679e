package signin

import (
	"net/http"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/session"
)

// sessionsPage lists the sessions of the user.
type sessionsPage struct {
	Sessions []session.Session
	Current  string // the id of this browser's session
}

// ShowSessions lists the sessions of the user.
func (s *SignIn) ShowSessions(r *frame.Request, current session.Session) error {
	list, err := s.Sessions.List(r.R.Context(), current.UserID)
	if err != nil {
		return err
	}
	return r.Show(http.StatusOK, "sessions", r.T("sessions.title"), sessionsPage{list, current.ID})
}

// EndSession ends one session of the user. The end of the current one is a sign-out.
func (s *SignIn) EndSession(r *frame.Request, current session.Session) error {
	id := r.R.PathValue("id")
	if id == current.ID {
		return s.End(r)
	}
	return r.Complete(s.Sessions.EndOf(r.R.Context(), current.UserID, id), r.Root+"/sessions", "session-ended")
}

// EndOtherSessions ends the sessions of the user in other browsers.
func (s *SignIn) EndOtherSessions(r *frame.Request, current session.Session) error {
	return r.Complete(s.Sessions.EndOthers(r.R.Context(), current.UserID, current.ID), r.Root+"/sessions", "session-ended")
}
