package signin

import (
	"cmp"
	"net/http"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/session"
)

// sessionsPage lists the sessions of the user.
type sessionsPage struct {
	Sessions frame.Table
	Others   bool // there are sessions of other browsers
}

// ShowSessions lists the sessions of the user.
func (s *SignIn) ShowSessions(r *frame.Request, current session.Session) error {
	list, err := s.Sessions.List(r.R.Context(), current.UserID)
	if err != nil {
		return err
	}
	p := sessionsPage{Others: len(list) > 1, Sessions: frame.Table{
		Label:   r.T("sessions.title"),
		Columns: r.Columns("main sessions.browser", "sessions.begun", "sessions.seen", "list.operations"),
	}}
	for _, one := range list {
		browser := frame.Cell{frame.Plain(cmp.Or(one.Agent, r.T("sessions.unknown")))}
		begun := r.Clock(one.StartedAt)
		p.Sessions.Rows = append(p.Sessions.Rows, frame.Row{Skip: true, Cells: []frame.Cell{
			browser.When(one.ID == current.ID, frame.Mark("status active", r.T("sessions.this"))),
			{frame.Plain(begun)}, {frame.Plain(r.Clock(one.SeenAt))},
			{frame.Do(r.Root+"/sessions/"+one.ID+"/end", "", "", r.T("sessions.end"), r.T("sessions.end.of", begun))},
		}})
	}
	return r.Show(http.StatusOK, "sessions", p.Sessions.Label, p)
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
