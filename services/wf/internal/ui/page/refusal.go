package page

import (
	"cmp"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/reason"
)

// RefusalText returns a refusal in the reader's language.
func (req *Request) RefusalText(refused *refusal.Error) string {
	switch {
	case refused.StepUp != nil:
		return req.T("refused.stepup")
	case refused.Reason == reason.Missing && refused.Where == "/comment":
		return req.T("refused.comment")
	case refused.Reason == reason.Missing && refused.Where == "/data":
		return req.T("refused.data")
	}
	return req.T("refused." + string(refused.Reason.General()))
}

// TitleOf returns the display title of a request.
func (req *Request) TitleOf(r wf.Request) string {
	switch title := cmp.Or(r.Title, req.factTitle(r)); {
	case title != "":
		return title
	case r.ArtifactID != "":
		return strings.TrimSpace(r.ArtifactType + " " + r.ArtifactID)
	case r.ID == "":
		return req.T("request.unknown")
	}
	return req.T("request.untitled", r.PolicyKey)
}
