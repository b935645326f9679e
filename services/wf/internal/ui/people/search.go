package people

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// SearchUsers returns the search results for the script of the pickers.
func SearchUsers(req *page.Request) error {
	var out strings.Builder
	for _, u := range req.FindUsers(req.R.URL.Query().Get("q")) {
		fmt.Fprintf(&out, `<option value="%s">%s</option>`, template.HTMLEscapeString(u.ID),
			template.HTMLEscapeString(req.Person(u)))
	}
	req.Send(http.StatusOK, []byte(out.String()))
	return nil
}
