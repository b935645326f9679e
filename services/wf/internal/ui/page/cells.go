package page

import (
	"fmt"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// RequestCell returns the title of a request for a list, with a link and the priority.
func (req *Request) RequestCell(r wf.Request, link string) frame.Cell {
	urgent := r.Priority == wf.PriorityHigh || r.Priority == wf.PriorityUrgent
	return frame.Cell{frame.LinkTo(link, req.TitleOf(r))}.
		When(urgent, frame.Mark("priority "+string(r.Priority), req.Label("priority", r.Priority)))
}

// UserCell returns a user for a list.
func (req *Request) UserCell(u identity.User) frame.Cell {
	return frame.Cell{frame.Plain(req.Person(u))}
}

// StatusMark returns the status of an object. family is that of its text.
func (req *Request) StatusMark(family string, status any) frame.Part {
	return frame.Mark("status "+fmt.Sprint(status), req.Label(family, status))
}
